"""Patched programs against the same programs unpatched: real ones by what they print, those of native_tests by their executions.

    python -m tests.native.soak_machine [PATTERN]

Real programs run under control, patched with `--machine-code=all`, and must print byte by byte what they print alone. Test programs that
are built with `bpor-native cc` are also built plainly, and must have the same verdict, kinds, executions and traces, but for those that
are listed here. (Without known steps: which executions are spot checks depends on names of objects, which differ. In strong memory:
machine code tells no orders.) Those that clang makes
of the same source must have the same verdict and kinds; it may merge accesses.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bpor.model.plan import Plan
from bpor.native_target import native_target
from bpor.settings import Settings
from tests.native.compiled import PROGRAMS, compiled
from tests.native.expectations import read_program
from tests.native.tool import Run, run_inside

# What the instrumented build reports as a race is explored here; a pause, which only machine code shows, is a yield; and a second race
# behind the one that ends an execution there is found here. A load of what nobody writes is no operation here (gives_up.c), and states that
# are told apart by what the other build has nowhere, such as a register that was saved, are more (allocates_in_each_round.c: 64 for 56).
DIFFERENT = (
    "buggy/race/",
    "buggy/deadlock/semaphore_crossed.cpp",
    "buggy/livelock/ticket_load_store.c",
    "buggy/memory/michael_scott_freed_early.c",
    "correct/cpp/static_local_instrumented.cpp",
    "correct/cpp20/",
    "correct/lifetime/exception_crosses_threads.cpp",
    "correct/spin/allocates_in_each_round.c",
    "correct/yield/gives_up.c",
    "unsupported/survived_fault.c",
)


# clang 14 keeps the static `turn`, which one function uses, on the stack of each thread that runs it: the binary does hang. Of a flag
# that nobody sets it makes a jump to itself, in which there is nothing to see, and it leaves out a late read whose value nobody reads.
OTHERWISE_BY_CLANG = {
    "correct/lockfree/peterson.c",
    "buggy/livelock/flag_never_set.c",
    "buggy/livelock/plain_flag_never_set.c",
    "buggy/memory/read_late_in_a_round.c",
}
STORM = """
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>
static int deep(int n, std::vector<std::string> &log)
{
    std::string here = "frame " + std::to_string(n);
    try {
        if (n == 0)
            throw std::runtime_error(here);
        if (n % 7 == 3)
            throw std::logic_error(here);
        return deep(n - 1, log) + 1;
    } catch (const std::logic_error &error) {
        log.push_back(error.what());
        if (n % 2)
            throw std::runtime_error("again");
        return n;
    }
}
int main()
{
    std::vector<std::string> log;
    long sum = 0;
    for (int i = 0; i < 2000; i++)
        try { sum += deep(i % 40, log); } catch (const std::exception &error) { sum += (long)std::string(error.what()).size(); }
    std::printf("%ld %zu %s\\n", sum, log.size(), log.back().c_str());
}
"""
CRAB = """
use std::collections::BTreeMap;
fn main() {
    let mut words: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for n in 0..5000u64 { words.entry(format!("{:x}", n * n % 251)).or_default().push(n); }
    let caught = (0..50).filter(|n| std::panic::catch_unwind(|| if n % 3 == 0 { panic!("x") }).is_err()).count();
    println!("{} {:?} {}", words.len(), words.iter().next_back(), caught);
}
"""


SNAKE = """
import re
words = {number: str(number * number) for number in range(300)}
try:
    words[-1]
except KeyError as error:
    print(sorted(words, key=words.get)[:9], error, len(re.findall("1+", "".join(words.values()))), sum(map(hash, words)))
"""


def interpreter(directory: Path) -> Iterator[list[str]]:
    """By a name of its own it is a program like any other; a Python by its name is not patched."""
    if (python := shutil.which("python3", path="/usr/bin")) is not None:
        shutil.copy(python, directory / "snake")
        yield [str(directory / "snake"), "-I", "-c", SNAKE]


def built(directory: Path) -> Iterator[list[str]]:
    """Programs of our own: exceptions in C++, and a Rust program whose panics are caught."""
    for name, text, words in (
        ("storm.cpp", STORM, ["g++", "-O2"]),
        ("storm_clang.cpp", STORM, ["clang++", "-O1"]),
        ("crab.rs", CRAB, ["rustc", "-O"]),
    ):
        if shutil.which(words[0]) is not None:
            source, program = directory / name, directory / name.replace(".", "_")
            source.write_text(text)
            subprocess.run([*words, "-o", program, source], check=True, capture_output=True)
            yield [str(program)]


def data_and_text(directory: Path, size: int) -> tuple[Path, Path]:
    """Two files, of so many bytes and of a fortieth of that in lines."""
    numbers = random.Random(1)
    data, text = directory / "data", directory / "text"
    data.write_bytes(bytes(numbers.randrange(256) >> numbers.randrange(8) for _ in range(size)))
    text.write_text("".join(f"{numbers.randrange(10**6)} {numbers.random()}\n" for _ in range(size // 40)))
    return data, text


def real_programs(directory: Path) -> Iterator[list[str]]:
    """Those that are installed, with something to do that comes out the same (so `openssl dgst`, not `openssl speed`)."""
    data, text = data_and_text(directory, 200_000)
    rows = "".join(f"insert into t values({number}, {number * number % 97});" for number in range(300))
    sums = f"create table t(a, b); {rows} select b, sum(a) from t group by b;"
    wanted = [
        ["gzip", "-c", "-n", str(data)],
        ["pigz", "-c", "-n", "-p", "2", "-b", "128", str(data)],
        ["bzip2", "-c", str(data)],
        ["xz", "-c", str(data)],
        ["xz", "-c", "-T2", "--block-size=65536", str(data)],
        ["zstd", "-c", "-q", "-T2", str(data)],
        ["sort", "-n", str(text)],
        ["sort", "--parallel=2", "-S", "1M", "-k2", str(text)],
        ["awk", '{ s += $2; n[$1 % 7]++ } END { printf "%.6f %d\\n", s, n[3] }', str(text)],
        ["perl", "-e", "my %h; $h{$_ % 101} .= chr(65 + $_ % 26) for 1..20000; print join(',', map { length $h{$_} } sort keys %h)"],
        ["sqlite3", ":memory:", sums],
        ["openssl", "dgst", "-sha256", str(data)],
        ["openssl", "enc", "-aes-256-cbc", "-pbkdf2", "-iter", "1000", "-nosalt", "-pass", "pass:x", "-in", str(data)],
        ["sed", "-E", "s/([0-9]+)\\.([0-9])/\\2-\\1/g", str(text)],
        *interpreter(directory),
        *built(directory),
    ]
    yield from ([path, *words[1:]] for words in wanted if (path := shutil.which(words[0])) is not None)


def compared(argv: list[str]) -> tuple[bool, str]:
    """Does it print and end, patched, as it does alone? And what it did."""
    alone = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True)
    settings = Settings(machine_code="all", races="explore", state="none", watchdog=600.0)
    target = native_target(argv, settings)
    with target.open() as executor:
        end = executor.run(Plan(max_steps=10**7)).end
    same = (end.code, end.stdout) == (alone.returncode, alone.stdout[: len(end.stdout)]) and bool(end.stdout or not alone.stdout)
    return same, f"{Path(argv[0]).name}, {len(end.stdout)} bytes, {end.outcome.value}, coverage {target.coverage}"


def stress() -> int:
    bad = 0
    with tempfile.TemporaryDirectory() as directory:
        for argv in real_programs(Path(directory)):
            same, told = compared(argv)
            bad += not same
            print(f"{'same' if same else 'DIFFERS'}: {told}", flush=True)
    return bad


def facts(run: Run) -> tuple[object, ...]:
    report = run.report
    return run.exit_code, sorted(run.kinds), report.get("executions"), report.get("distinct_traces")


def other_compiler(path: Path) -> str:
    return "clang++" if path.suffix == ".cpp" else "clang"


def differs_by_clang(path: Path, flags: list[str], told: Run, args: list[str], options: list[str]) -> str:
    """What the plain program that clang makes ends with, if that is something else."""
    words = [*flags, "-Wno-everything"]
    plain = run_inside(compiled(path, words, using=other_compiler(path)), args, options)
    return "" if (plain.exit_code, plain.kinds) == (told.exit_code, told.kinds) else f"by clang {facts(plain)}"


def twins(pattern: str) -> int:
    bad = same = 0
    sources = (path for path in PROGRAMS.rglob("*") if path.suffix in {".c", ".cpp"})
    for path in sorted(path for path in sources if PROGRAMS / "extensions" not in path.parents):
        program, name = read_program(path), str(path.relative_to(PROGRAMS))
        if not program.instrumented or pattern not in name or name.startswith(DIFFERENT):
            continue
        for expectation in program.expectations:
            if expectation.slow:
                continue
            flags = [*program.flags, *(f"-D{define}" for define in expectation.defines)]
            options = [*program.options, *(["--bound", expectation.bound] if expectation.bound else []), "--no-known-steps", "--memory=sc"]
            told = run_inside(compiled(path, flags, True), program.args, options)
            plain = run_inside(compiled(path, flags), program.args, [*options, "--machine-code=auto"])
            other = "" if facts(told) == facts(plain) else f"plain {facts(plain)}"
            if not other and name not in OTHERWISE_BY_CLANG and shutil.which(other_compiler(path)) is not None:
                other = differs_by_clang(path, flags, told, program.args, [*options, "--machine-code=auto"])
            same, bad = same + (not other), bad + bool(other)
            if other:
                print(f"DIFFERS: {name} {expectation}: instrumented {facts(told)}, {other}", flush=True)
    print(f"{same} searches of plain binaries are those of the instrumented ones, {bad} are not")
    return bad


if __name__ == "__main__":
    pattern = sys.argv[1] if len(sys.argv) > 1 else ""
    sys.exit(1 if (0 if pattern else stress()) + twins(pattern) else 0)
