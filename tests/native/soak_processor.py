"""`python -m tests.native.soak_processor SECONDS [SEED]`: plain programs, beside an emulator that runs every order of their instructions.

Random programs that gcc or clang has compiled in some way are searched by default or with random options. "All schedules" has to have
shown each outcome that the emulator finds, and none may show another one. The emulator (`pip install unicorn`) shares no code with what
it checks: it decodes and runs the instructions by itself. Prints each difference, keeps its program, and exits 1 at the end.
"""

from __future__ import annotations

import importlib.util
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.native.interleaved.processor import Processor, TooMuch
from tests.native.interleaved.programs import Writer

TOOL = Path(sys.executable).with_name("bpor-native")
ALWAYS = ("-w", "-g", "-pthread", "-mcx16", "-msse4.2", "-mpopcnt")
LEVELS = ("-O0", "-O1", "-O2", "-O3", "-Os", "-Og")
FLAGS = ("-fno-omit-frame-pointer", "-fcf-protection", "-fno-strict-aliasing", "-funroll-loops", "-mno-red-zone", "-fno-pie -no-pie")
OF_GCC = ("-minline-all-stringops", "-mmemcpy-strategy=rep_8byte:-1:noalign", "-mmemcpy-strategy=rep_byte:-1:noalign")
OPTIONS = (
    *([],) * 4,
    *(["--bound=none", *more] for more in ([], ["--search=optimal"], ["--search=dpor", "--match=off"], ["-j", "2"], ["--carrier=threads"])),
)
ALONE = 3  # runs without the tool: an outcome that the emulator lacks is a fault of the emulator


def built(source: random.Random, seed: int, directory: Path) -> Path | None:
    text, program = directory / f"program{seed}.c", directory / f"program{seed}"
    text.write_text(Writer(seed).program())
    compiler = source.choice(("gcc", "gcc", "clang"))
    flags = [source.choice(LEVELS), *source.choice(FLAGS).split()]
    flags += [source.choice(OF_GCC)] if compiler == "gcc" and source.random() < 0.4 else []
    done = subprocess.run([compiler, *ALWAYS, *flags, str(text), "-o", str(program)], capture_output=True, check=False)
    return program if done.returncode == 0 else None


def difference(program: Path, expected: set[str], options: list[str]) -> str | None:
    """In words; None: it cannot be told."""
    if any(subprocess.run([program], capture_output=True, text=True, check=False).stdout not in expected for _ in range(ALONE)):
        return None
    report = program.with_suffix(".json")
    command = [str(TOOL), *options, "--outcomes", "--state=none", "--max-time=30", "--json", str(report), str(program)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 3):
        return f"exit code {run.returncode}\n{run.stdout}{run.stderr}"
    told = json.loads(report.read_text())
    seen = {one["stdout"] for one in told["outcomes"] or ()}
    complete = told["statement"].startswith("pass: all schedules") and "not seen" not in told["statement"]
    if seen - expected or (complete and expected - seen):
        return f"{told['statement']}\n  too many: {sorted(seen - expected)[:3]}\n  missing: {sorted(expected - seen)[:3]}"
    return "" if complete else None


def main() -> int:
    if importlib.util.find_spec("unicorn") is None:
        print("nothing is compared: pip install unicorn")
        return 0
    until, seed = time.monotonic() + float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
    directory, counts = Path(tempfile.mkdtemp(prefix="bpor-processor-")), Counter[str]()
    while time.monotonic() < until:
        source = random.Random(seed)
        program = built(source, seed, directory)
        options = source.choice(OPTIONS)
        try:
            expected = Processor(program).outcomes() if program is not None else None
        except TooMuch:
            expected = None
        found = difference(program, expected, options) if program is not None and expected else None
        counts["not compared" if found is None else "different" if found else "the same"] += 1
        if found:
            print(f"{program} {' '.join(options)}\n  {found}", flush=True)
        else:
            for file in directory.glob(f"program{seed}*"):
                file.unlink()
        seed += 1
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
