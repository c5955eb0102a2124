"""Builds the packages from their sdists, runs every pair of subjects.toml, writes docs/packages.md:

    python -m benchmarks.packages.survey [--examples] [PACKAGE ...]

--examples: only the smallest test of each package is run again, and its line and its replay line on the page are replaced.
Needs the network. With names, only those packages are run, and the page is printed instead of written. A survey that was stopped goes
on where it was when it is started again; with another tool or budget it begins anew. A free-threaded interpreter runs the pairs without
the GIL, and prints how they ended: that is kept in free_threaded.json, of which the page has a table.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

from benchmarks.packages.page import counts, page
from benchmarks.packages.record import HUNG, Ended, Record
from benchmarks.packages.subjects import Subject, minimal, pairs, read_subjects, suite
from bpor.target.elf import read_elf

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / "build" / "packages" / f"{sys.implementation.cache_tag}{sys.abiflags}"
PAGE = ROOT / "docs" / "packages.md"
SUBJECTS = read_subjects()
EXECUTIONS = int(os.environ.get("BPOR_SURVEY_EXECUTIONS", "2000"))
SECONDS = int(os.environ.get("BPOR_SURVEY_SECONDS", "120"))
PLUGINS = ["-p", "bpor.pytest_plugin", "-p", "no:cacheprovider"]  # by name: bpor-native need not be installed for this interpreter
PATIENCE = 5 * SECONDS + 120  # seconds without a pair that begins or ends: to confirm and to word a finding comes after its search


def main() -> None:
    examples = "--examples" in sys.argv
    words = [word for word in sys.argv[1:] if word != "--examples"]
    names = words or list(dict.fromkeys(subject.package for subject in SUBJECTS))
    chosen = [subject for subject in SUBJECTS if subject.package in names]
    if missing := set(names) - {subject.package for subject in chosen}:
        raise SystemExit(f"survey: not known: {', '.join(sorted(missing))}")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    PLACE.mkdir(parents=True, exist_ok=True)
    record = Record(PLACE / f"record-{setting()}.jsonl")
    if examples:
        renew([subject for subject in chosen if subject.example], record)
        return
    free_threaded = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    for subject in chosen:
        build(subject)
        run(subject, record)
        if subject.example and not free_threaded:  # what it shows may be protected there
            show(subject, record)
    if free_threaded:
        counted = {f"{subject.package} {subject.version}, {subject.what}": counts(subject, record.ended()) for subject in chosen}
        print(json.dumps({f"{sysconfig.get_python_version()}t": counted}, indent=1, ensure_ascii=False))
        return
    text = page(chosen, record.ended(), EXECUTIONS, SECONDS)
    if words:
        print(text)
    else:
        PAGE.write_text(text)


def setting() -> str:
    """What a verdict depends on besides the text of its test."""
    files = [*sorted((ROOT / "bpor").rglob("*.py")), ROOT / "bpor/_native/libbpor.so"]
    parts = [*(path.read_bytes() for path in files), f"{sys.version} {EXECUTIONS} {SECONDS}".encode()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def site(subject: Subject) -> Path:
    return PLACE / f"{subject.package}-{subject.version}"


def build(subject: Subject) -> None:
    """From the sdist, into a place of its own, once; its build dependencies come as wheels and are not instrumented."""
    target = site(subject)
    if not target.exists():
        unfinished = target.with_name(f"{target.name}.{os.getpid()}")
        built = [subject.package, *subject.needs]
        words = ["--quiet", "--no-deps", "--no-binary", ",".join(built), "--target", unfinished]
        words += [f"{subject.package}=={subject.version}", *subject.needs]
        pip = [sys.executable, "-m", "pip", "install", *words]
        subprocess.run([sys.executable, "-m", "bpor", "build", *pip], check=True, cwd=ROOT)
        unfinished.rename(target)
    for module in sorted(target.rglob("*.so")):
        elf = read_elf(str(module))
        assert elf is not None and elf.instrumented, f"{module} is not instrumented"


def run(subject: Subject, record: Record) -> None:
    """Until every pair has ended, by one pytest after another if need be."""
    wanted = {str(pair) for pair in pairs(subject)}
    tests = written(f"{subject.stem}.py", suite(subject, EXECUTIONS, SECONDS))
    while left := wanted - record.ended().keys():
        print(f"{subject.package} {subject.version}: {len(left)} of {len(wanted)} pairs are left", flush=True)
        process = start(subject, record, tests)
        try:
            alive = wait(process, record)
        finally:  # also when the survey itself is stopped
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        if (pair := record.running()) is not None and pair in left:
            record.end(pair, Ended(HUNG, says=f"no answer within {PATIENCE} s" if alive else "the test runner died"))
        elif left == wanted - record.ended().keys():
            raise SystemExit(f"survey: pytest ran nothing; see {log_of(subject)}")


def show(subject: Subject, record: Record) -> None:
    """The example by itself: its report, and whether its replay line repeats it."""
    if subject.stem in record.ended():
        return
    tests = written(f"{subject.stem}_example.py", minimal(subject))
    command = [sys.executable, "-m", "pytest", "-q", *PLUGINS, tests.name]
    said = subprocess.run([*command, "--bpor"], cwd=tests.parent, env=environment(subject), capture_output=True, text=True).stdout
    found = re.search(r"^replay: .*'(--bpor-replay=\S+)'$", said, re.MULTILINE)
    if found is None:
        raise SystemExit(f"survey: the example of {subject.package} finds nothing:\n{said}")
    first = sentence(said)
    again = subprocess.run([*command, found[1]], cwd=tests.parent, env=environment(subject), capture_output=True, text=True).stdout
    if first != sentence(again):
        raise SystemExit(f"survey: the replay line of {subject.package} does not repeat what it is about:\n{said}\n{again}")
    record.end(subject.stem, Ended(subject.example[0], 0, first, found[1]))


def sentence(said: str) -> str:
    """What pytest says of the first failure: it may go over several lines."""
    lines = itertools.takewhile(lambda line: line and not line.startswith(("  It takes ", "  It fails ")), said.splitlines()[3:])
    return " ".join(line.strip() for line in lines)


def renew(subjects: list[Subject], record: Record) -> None:
    """What the page says of the smallest tests, as it is with this tool. Each is written at once: a run may be stopped."""
    for subject in subjects:
        build(subject)
        show(subject, record)
        told = record.ended()[subject.stem]
        line = f"replay: pytest {subject.stem}_example.py '"
        lines = PAGE.read_text().splitlines()
        at = next(number for number, text in enumerate(lines) if text.startswith(line))
        begin = max(number for number in range(at) if lines[number] == "```text")
        lines[begin + 1 : at + 1] = [told.says, f"{line}{told.replay}'"]
        PAGE.write_text("\n".join(lines) + "\n")
        print(f"{subject.package} {subject.version}: {told.says}", flush=True)


def written(name: str, text: str) -> Path:
    path = PLACE / "tests" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def start(subject: Subject, record: Record, tests: Path) -> subprocess.Popen[bytes]:
    words = ["--bpor", "-q", "-p", "benchmarks.packages.recording", *PLUGINS, tests.name]
    told = {**environment(subject), "BPOR_SURVEY_RECORD": str(record.path)}
    with open(log_of(subject), "a") as log:  # the reports of what was found
        command = [sys.executable, "-m", "pytest", *words]
        return subprocess.Popen(command, cwd=tests.parent, env=told, stdout=log, stderr=log, start_new_session=True)


def environment(subject: Subject) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{ROOT}:{site(subject)}", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def log_of(subject: Subject) -> Path:
    return PLACE / f"{subject.stem}.log"


def wait(process: subprocess.Popen[bytes], record: Record) -> bool:
    """Until it ends or nothing comes any more; whether it still lives."""
    size, since = -1, time.monotonic()
    while process.poll() is None:
        now = record.path.stat().st_size if record.path.exists() else 0
        if now != size:
            size, since = now, time.monotonic()
        elif time.monotonic() - since > PATIENCE:
            return True
        time.sleep(0.5)
    return False


if __name__ == "__main__":
    main()
