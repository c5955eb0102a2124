"""Programs with inputs and failing calls: what the tests of bpor_choose, bpor_assume and --faults have in common."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.native.compiled import ROOT, compiled
from tests.native.tool import Run, run_inside

HEAD = """
#include <assert.h>
#include <bpor.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum;
"""


def program(directory: Path, text: str, instrumented: bool = False) -> Path:
    source = directory / "program.c"
    source.write_text(HEAD + text)
    return compiled(source, ["-Wno-unused-variable", "-Wno-unused-result", "-I", str(ROOT / "bpor" / "include")], instrumented)


def run(directory: Path, text: str, *options: str, instrumented: bool = False, arguments: Sequence[str] = ()) -> Run:
    return run_inside(program(directory, text, instrumented), arguments, ["--state", "none", *options])


def replay_line(text: str) -> str:
    return next(line.strip() for line in text.splitlines() if line.strip().startswith("bpor-native replay"))
