"""How many objects of the reports have no name of the programmer's: counted over the findings of native_tests/buggy and of other programs.

`python benchmarks/object_names.py [--real | PROGRAM ...]`: programs of benchmarks/real, or those (with their arguments, quoted), instead of
native_tests. An object counts if a reader meets it: in a step that the text report shows, or as what a thread waits for or holds. `mutex#1`
has no name. A program of benchmarks/real is right, so a line is added that lets it fail when it ends: the report then shows an execution
of the library, whose packages have no debug information unless they are headers.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from bpor import api
from bpor.cli.arguments import parse
from bpor.report.finding import Finding, ObjectName
from bpor.report.trace_columns_select import select
from bpor.settings import Settings

_NUMBERED = re.compile(r"(mutex|condition|semaphore|rwlock|barrier|futex|variable|container|memory|PyMutex)#\d+")
# One of each kind: C and C++, libraries that are headers and such that are binaries of Debian's.
_REAL = (
    *("apr_queue.c", "apr_thread_pool.c", "glib_async_queue.c", "glib_thread_pool.c", "libuv_work.c", "liburcu_queue.c", "ck_ring.c"),
    *("boost_lockfree_queue.cpp", "boost_thread.cpp", "concurrentqueue.cpp", "readerwriterqueue.cpp", "std_latch.cpp"),
)
_FAILS = "#include <stdlib.h>\n__attribute__((destructor)) static void it_fails(void) { abort(); }\n"


def met(finding: Finding) -> Iterator[ObjectName]:
    """The objects that a reader of its report meets."""
    shown = select(finding)
    for position, step in enumerate(finding.steps):
        if position in shown:
            yield from step.objects[:1]
    for thread in finding.threads:
        yield from (*thread.objects, *(held.object for held in thread.held))
    if finding.object is not None:
        yield finding.object


def programs(words: list[str]) -> Iterator[tuple[str, list[str], dict[str, object]]]:
    """(name, command, knobs)."""
    if words == ["--real"]:
        yield from real_programs()
        return
    if words:
        yield from ((word, shlex.split(word), {}) for word in words)
        return
    from tests.native.compiled import PROGRAMS, compiled
    from tests.native.expectations import read_program

    for path in sorted(path for path in (PROGRAMS / "buggy").rglob("*") if path.suffix in (".c", ".cpp")):
        program = read_program(path)
        first = program.expectations[0]
        if first.verdict == "bug" and not first.slow and not program.machine:
            flags = [*program.flags, *(f"-D{define}" for define in first.defines)]
            command = [str(compiled(path, flags, program.instrumented)), *program.args]
            yield path.name, command, {**_knobs(program.options), "bound": first.bound}


def real_programs() -> Iterator[tuple[str, list[str], dict[str, object]]]:
    from benchmarks.real.build import build
    from benchmarks.real.subjects import read_subjects

    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        (place / "fails.c").write_text(_FAILS)
        for subject in read_subjects():
            if subject.test in _REAL:
                failing = replace(subject, flags=(str(place / "fails.c"), *subject.flags))
                os.environ.update(subject.environment)
                yield subject.test, [str(build(failing, "plain", place, "names"))], {"bound": "preemption:1"}


def _knobs(options: tuple[str, ...]) -> dict[str, object]:
    """The settings that words of the command line stand for."""
    settings = parse(["run", *options, "program"]).settings
    return {name: value for name, value in asdict(settings).items() if value != getattr(Settings(), name)}


def main(words: list[str]) -> int:
    named = unnamed = 0
    for name, command, knobs in programs(words):
        result = api.check(command, **{**knobs, "state": "none", "max_time": 60.0})
        objects = {name for finding in result.findings for name in met(finding)}
        without = sorted(one.name for one in objects if _NUMBERED.fullmatch(one.name))
        named, unnamed = named + len(objects) - len(without), unnamed + len(without)
        print(f"{name}: {len(objects)} objects" + (f", without a name: {', '.join(without)}" if without else ""), flush=True)
    total = named + unnamed
    print(f"{total} objects, {unnamed} without a name ({unnamed / max(total, 1):.1%})")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
