"""Fetches, builds and searches what subjects.toml has, and writes docs/real-programs.md:

    python -m benchmarks.real.run [--seconds 60] [--cross-check SECONDS] [--part 1/2] [NAME ...]

Needs Debian's archive, and root where a package is missing. With names only those subjects are run, by a part of their name. What was
run with this tool and this budget is kept in build/real, so a run that was stopped goes on. --cross-check: each pass is looked at by
random searches for so many seconds; what they find makes it a false pass.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import subprocess
import time
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from benchmarks.real.build import BUILDS, ROOT, TOOL, build
from benchmarks.real.fetch import install
from benchmarks.real.page import page
from benchmarks.real.row import FAILED, Row, row_of
from benchmarks.real.subjects import TESTS, Subject, read_subjects

PLACE = ROOT / "build" / "real"
PAGE = ROOT / "docs" / "real-programs.md"
SEARCHES = ("random", "pct")


def main() -> None:
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
    by_name = {subject.name: subject for subject in read_subjects()}
    older = sum(row.setting != setting(by_name[row.name], words.seconds) for row in rows.values() if row.name in by_name)
    PAGE.write_text(page(tuple(by_name.values()), rows, words.seconds, older))


def tried(subject: Subject, how: str, seconds: int, check: int) -> Row:
    known = kept().get((subject.name, how))
    if known is not None and known.setting == setting(subject, seconds) and (known.checked >= check or known.verdict != "pass"):
        return known
    install(subject.packages)
    try:
        program = build(subject, how, PLACE)
    except subprocess.CalledProcessError as error:
        return keep(Row(subject.name, how, setting(subject, seconds), FAILED, says=(error.stderr or "").strip()[-600:]))
    before = processor_time()
    report, said = searched(subject, how, program, ["--max-time", f"{seconds}s"], seconds)
    row = row_of(subject, how, setting(subject, seconds), report, said, processor_time() - before)
    found = [checked(subject, how, program, name, check // len(SEARCHES)) for name in SEARCHES if check and row.verdict == "pass"]
    return keep(row.cross_checked(check, [one for one in found if one]))


def searched(subject: Subject, how: str, program: Path, options: list[str], seconds: int) -> tuple[dict[str, object] | None, str]:
    """The JSON of one search, and what it printed, which is kept beside the program."""
    report = PLACE / "reports" / f"{subject.stem}.{how}.json"
    report.parent.mkdir(exist_ok=True)
    report.unlink(missing_ok=True)
    environment = {**os.environ, **subject.environment, "PYTHONPATH": str(ROOT)}
    command = [*TOOL, "-q", "--state", "none", "--json", str(report), *options, "--", str(program)]
    with open(report.with_suffix(".txt"), "w") as log:
        try:
            subprocess.run(command, env=environment, cwd=program.parent, stdout=log, stderr=log, timeout=10 * seconds + 300)
        except subprocess.TimeoutExpired:
            return None, f"no answer within {10 * seconds + 300} s"
    said = report.with_suffix(".txt").read_text()
    return (json.loads(report.read_text()) if report.exists() else None), said


def processor_time() -> float:
    """Of the searches that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def checked(subject: Subject, how: str, program: Path, search: str, seconds: int) -> str:
    """What a random search finds; empty: nothing."""
    words = ["--search", search, "--max-time", f"{max(seconds, 1)}s", "--seed", str(int(time.time()) % 1000)]
    report, said = searched(subject, how, program, words, seconds)
    found = report is None or report["verdict"] not in ("pass", "inconclusive")
    return f"{search}: {said.splitlines()[0] if said else 'nothing said'}" if found else ""


def setting(subject: Subject, seconds: int) -> str:
    """What a row depends on: the tool, the test, how it is built and the budget."""
    files = [*sorted((ROOT / "bpor").rglob("*.py")), ROOT / "bpor/_native/libbpor.so", TESTS / subject.test]
    told = {key: value for key, value in asdict(subject).items() if key not in ("remark", "changed", "kind")}
    parts = [*(path.read_bytes() for path in files), f"{told} {seconds}".encode()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def kept() -> dict[tuple[str, str], Row]:
    path = PLACE / "rows.jsonl"
    lines: Iterable[str] = path.read_text().splitlines() if path.exists() else ()
    rows = [Row(**json.loads(line)) for line in lines]
    return {(row.name, row.how): row for row in rows}


def keep(row: Row) -> Row:
    with open(PLACE / "rows.jsonl", "a") as stream:
        stream.write(json.dumps(asdict(row)) + "\n")
    return row


if __name__ == "__main__":
    main()
