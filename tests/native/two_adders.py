"""Two threads that add to an atomic of another source file: what every build, of whatever kind, has to make visible."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.native.tool import Run, run_tool

SOURCE = """
#include <pthread.h>
#include <stdatomic.h>
int counted(void);
void add(void);
static void *twice(void *unused) { add(); add(); return unused; }
int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, twice, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return counted() < 2;
}
"""
LIBRARY = """
#include <stdatomic.h>
static atomic_int counter;
int counted(void);
void add(void);
int counted(void) { return atomic_load(&counter); }
void add(void) { int seen = atomic_load(&counter); atomic_store(&counter, seen + 1); }
"""
TRACES = 22  # of two threads that load and store twice, within two preemptions


def write_sources(directory: Path) -> Path:
    (directory / "main.c").write_text(SOURCE)
    (directory / "add.c").write_text(LIBRARY)
    return directory


def assert_seen(program: Path, coverage: str = "memory") -> Run:
    """Runs alone; under the tool every access of the atomic is a step."""
    assert subprocess.run([program], env=clean_environment()).returncode == 0
    run = run_tool(program, options=["--bound", "preemption:2"])
    assert (run.exit_code, run.report["distinct_traces"], run.report["coverage"]) == (0, TRACES, coverage), run
    return run


def clean_environment() -> dict[str, str]:
    """Without the tool: nothing of ours is named."""
    return {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "LD_LIBRARY_PATH", "PYTHONPATH")}
