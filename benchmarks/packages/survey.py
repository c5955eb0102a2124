"""Builds the packages from their sdists, runs test_pairs.py, writes docs/packages.md:  python -m benchmarks.packages.survey [PACKAGE ...]

Needs the network. With names, only those packages are run, and the page is printed instead of written. A survey that was stopped goes
on where it was when it is started again; with another tool, interpreter or budget it begins anew.
"""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.packages.page import page
from benchmarks.packages.record import HUNG, Ended, Record
from benchmarks.packages.subjects import SUBJECTS, Subject, pairs
from benchmarks.packages.test_pairs import EXECUTIONS, SECONDS
from bpor.target.elf import read_elf

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / "build" / "packages"
PAGE = ROOT / "docs" / "packages.md"
PATIENCE = 5 * SECONDS + 120  # seconds without a pair that begins or ends: to confirm and to word a finding comes after its search


def main() -> None:
    names = sys.argv[1:] or list(dict.fromkeys(subject.package for subject in SUBJECTS))
    chosen = [subject for subject in SUBJECTS if subject.package in names]
    if missing := set(names) - {subject.package for subject in chosen}:
        raise SystemExit(f"survey: not known: {', '.join(sorted(missing))}")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    PLACE.mkdir(parents=True, exist_ok=True)
    record = Record(PLACE / f"record-{setting()}.jsonl")
    for package in names:
        build(next(subject for subject in chosen if subject.package == package))
        run(package, record)
    text = page(chosen, record.ended())
    if sys.argv[1:]:
        print(text)
    else:
        PAGE.write_text(text)


def setting() -> str:
    """What a verdict depends on besides its pair."""
    files = [*sorted((ROOT / "bpor").rglob("*.py")), ROOT / "bpor/_native/libbpor.so", ROOT / "benchmarks/packages/subjects.py"]
    parts = [*(path.read_bytes() for path in files), f"{sys.version} {EXECUTIONS} {SECONDS}".encode()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def site(subject: Subject) -> Path:
    return PLACE / f"{subject.package}-{subject.version}"


def build(subject: Subject) -> None:
    """From the sdist, into a place of its own, once; its build dependencies come as wheels and are not instrumented."""
    target = site(subject)
    if not target.exists():
        unfinished = target.with_name(f"{target.name}.{os.getpid()}")
        words = ["--quiet", "--no-deps", "--no-binary", subject.package, "--target", unfinished, f"{subject.package}=={subject.version}"]
        pip = [sys.executable, "-m", "pip", "install", *words]
        subprocess.run([sys.executable, "-m", "bpor", "build", *pip], check=True, cwd=ROOT)
        unfinished.rename(target)
    for module in sorted(target.rglob("*.so")):
        elf = read_elf(str(module))
        assert elf is not None and elf.instrumented, f"{module} is not instrumented"


def run(package: str, record: Record) -> None:
    """Until every pair has ended, by one pytest after another if need be."""
    subjects = [subject for subject in SUBJECTS if subject.package == package]
    wanted = {str(pair) for subject in subjects for pair in pairs(subject)}
    while left := wanted - record.ended().keys():
        print(f"{package}: {len(left)} of {len(wanted)} pairs are left", flush=True)
        process = start(subjects[0], record)
        try:
            alive = wait(process, record)
        finally:  # also when the survey itself is stopped
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        if (pair := record.running()) is not None and pair in left:
            record.end(pair, Ended(HUNG, says=f"no answer within {PATIENCE} s" if alive else "the test runner died"))
        elif left == wanted - record.ended().keys():
            raise SystemExit(f"survey: pytest ran nothing; see {log_of(package)}")


def start(subject: Subject, record: Record) -> subprocess.Popen[bytes]:
    words = ["--bpor", "-q", "-p", "no:cacheprovider", "benchmarks/packages/test_pairs.py"]
    told = {"BPOR_SURVEY_PACKAGE": subject.package, "BPOR_SURVEY_RECORD": str(record.path), "PYTHONPATH": f"{ROOT}:{site(subject)}"}
    with open(log_of(subject.package), "a") as log:  # the reports of what was found
        command = [sys.executable, "-m", "pytest", *words]
        return subprocess.Popen(command, cwd=ROOT, env={**os.environ, **told}, stdout=log, stderr=log, start_new_session=True)


def log_of(package: str) -> Path:
    return PLACE / f"{package}.log"


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
