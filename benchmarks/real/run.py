"""Fetches, builds and searches what subjects.toml has, and writes docs/real-programs.md:

    python -m benchmarks.real.run [--seconds 60] [--cross-check SECONDS] [--part 1/2] [NAME ...]

Needs Debian's archive, and root where a package is missing. With names only those subjects are run, by a part of their name. Rows are kept
in rows.jsonl, which is committed: --page writes the page of them anywhere, and what was run with the same sources of the tool and no
smaller budget is not run again. --cross-check: each pass is looked at by random searches for so many seconds; what they find makes it a
false pass. All seconds are of a processor: what a table says does not depend on what else the machine does. It exits with 1 if rows
contradict each other or what was judged by hand (checks.py).
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict, replace
from datetime import date
from functools import cache
from pathlib import Path

from benchmarks.real.build import BUILDS, ROOT, TOOL, build
from benchmarks.real.checks import contradictions
from benchmarks.real.fetch import install
from benchmarks.real.page import page
from benchmarks.real.processor import spend
from benchmarks.real.row import FAILED, Row, Searched, row_of
from benchmarks.real.subjects import HERE, TESTS, Subject, read_subjects

PLACE = ROOT / "build" / "real"
PAGE = ROOT / "docs" / "real-programs.md"
ROWS = HERE / "rows.jsonl"
SEARCHES = ("random", "pct")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--cross-check", type=int, default=0)
    parser.add_argument("--page", action="store_true", help="only write the page again, from what is kept")
    parser.add_argument("--part", default="1/1", help="of the subjects, for several runners at once")
    parser.add_argument("names", nargs="*")
    words = parser.parse_args()
    part, parts = map(int, words.part.split("/"))
    subjects = [one for one in read_subjects() if not words.names or any(name in one.name for name in words.names)]
    PLACE.mkdir(parents=True, exist_ok=True)
    if not words.page:
        for subject in subjects[part - 1 :: parts]:
            for how in BUILDS:
                row = tried(subject, how, words.seconds, words.cross_check)
                print(f"{subject.name}, {how}: {row.verdict} ({row.executions} executions, {row.reached})", flush=True)
    rows = kept()
    PAGE.write_text(page(read_subjects(), rows))
    wrong = list(contradictions(subjects, rows))
    print(*wrong, sep="\n", end="\n" * bool(wrong), file=sys.stderr)
    return 1 if wrong else 0


def tried(subject: Subject, how: str, seconds: int, check: int) -> Row:
    known = kept().get((subject.name, how))
    if known is not None and known.setting == setting(subject) and known.answers(seconds, check):
        return known
    install(subject.packages)
    try:
        program = build(subject, how, PLACE, setting(subject))
    except subprocess.CalledProcessError as error:
        return keep(Row(subject.name, how, setting(subject), FAILED, says=(error.stderr or "").strip()[-600:]))
    if known is None or known.setting != setting(subject) or not known.answers(seconds, 0):
        known = keep(row_of(subject, how, setting(subject), seconds, searched(subject, how, program, [], seconds)))
    if not check or known.verdict != "pass":
        return known
    found = [checked(subject, how, program, name, check // len(SEARCHES)) for name in SEARCHES]
    return keep(known.cross_checked(check, [one for one in found if one]))


def searched(subject: Subject, how: str, program: Path, options: list[str], seconds: int) -> Searched:
    """One search, which is interrupted when it has had its seconds of a processor. What it printed is kept beside the program."""
    report = PLACE / "reports" / f"{subject.stem}.{how}.json"
    report.parent.mkdir(exist_ok=True)
    report.unlink(missing_ok=True)
    environment = {**os.environ, **subject.environment, "PYTHONPATH": str(ROOT)}
    command = [*TOOL, "-q", "--state", "none", "--max-time", "none", "--json", str(report), *options, "--", str(program)]
    with open(report.with_suffix(".txt"), "w") as log:
        used = spend(command, seconds, env=environment, cwd=program.parent, stdout=log, stderr=log)
    said = report.with_suffix(".txt").read_text()
    return Searched(json.loads(report.read_text()) if report.exists() else None, said, used)


def checked(subject: Subject, how: str, program: Path, search: str, seconds: int) -> str:
    """What a random search finds; empty: nothing."""
    words = ["--search", search, "--seed", str(int(time.time()) % 1000)]
    ended = searched(subject, how, program, words, max(seconds, 1))
    found = ended.report is None or ended.report["verdict"] not in ("pass", "inconclusive")
    return f"{search}: {ended.said.splitlines()[0] if ended.said else 'nothing said'}" if found else ""


def setting(subject: Subject) -> str:
    """What a row depends on besides its budget: the tool, the test and how it is built."""
    told = {key: value for key, value in asdict(subject).items() if key not in ("remark", "changed", "kind", "judged")}
    return _hash([state_of_tool().encode(), (TESTS / subject.test).read_bytes(), str(told).encode()])


@cache
def state_of_tool() -> str:
    """By its sources, so that it is the same wherever they are built."""
    files = [*sorted((ROOT / "bpor").rglob("*.py")), *sorted(path for path in (ROOT / "csrc").rglob("*") if path.is_file())]
    return _hash([path.read_bytes() for path in files])


def _hash(parts: list[bytes]) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def kept() -> dict[tuple[str, str], Row]:
    lines: Iterable[str] = ROWS.read_text().splitlines() if ROWS.exists() else ()
    rows = [Row(**json.loads(line)) for line in lines]
    return {(row.name, row.how): row for row in rows}


def keep(row: Row) -> Row:
    """Among the others, which another runner may add to."""
    row = replace(row, tool=state_of_tool(), day=date.today().isoformat())
    with open(PLACE / "rows.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        rows = kept() | {(row.name, row.how): row}
        ROWS.write_text("".join(f"{json.dumps(asdict(rows[key]), ensure_ascii=False)}\n" for key in sorted(rows)))
    return row


if __name__ == "__main__":
    raise SystemExit(main())
