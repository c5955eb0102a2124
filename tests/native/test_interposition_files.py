"""Interposition of the descriptor, stdio, futex, random and refused families.

One probe calls every function of these families and prints result, errno and data: plain, with the library loaded but no controller, and
under control, the output is the same. What is refused under control has a native test of its own in native_tests/unsupported/.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from bpor.api import check
from bpor.model.plan import Plan
from bpor.model.trace import Outcome
from bpor.report.verdict import VerdictKind
from bpor.target.executor import NativeExecutor
from tests.native.compiled import ROOT, compiled
from tests.patience import PATIENCE

pytestmark = pytest.mark.needs("gcc")
PROBE = ROOT / "tests/native/probes/files.c"
LIBRARY = ROOT / "bpor/_native/libbpor.so"
FLAGS = ("-fno-builtin", "-Wno-nonnull")  # the calls as they are written, senseless ones included
FAMILIES = {"syscall", "descriptor", "descriptor_io", "pipe", "poll", "epoll", "stdio", "random", "refused"}
ELSEWHERE = {"_ZNSt13random_device9_M_getvalEv"}  # C++ only: native_tests/correct/cpp/random_device.cpp


def rows() -> set[str]:
    table = (ROOT / "csrc/protocol/intercepted.def").read_text(encoding="utf-8")
    return {name for name, family in re.findall(r"^FUNCTION\((\w+), *(\w+)\)", table, re.MULTILINE) if family in FAMILIES}


def output(executable: Path, *arguments: str, preload: str = "") -> str:
    environment = {**os.environ, "LD_PRELOAD": preload} if preload else dict(os.environ)
    result = subprocess.run(
        [executable, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment, timeout=PATIENCE, check=True
    )
    return result.stdout


def test_the_probe_calls_every_function_of_its_families() -> None:
    text = PROBE.read_text(encoding="utf-8")
    body = text[text.index("static void descriptors") :]
    called = set(re.findall(r"\b(\w+)\(", body)) | set(re.findall(r"list\((\w+),", body))
    assert rows() - ELSEWHERE - called == set()


def test_without_a_controller_everything_passes_through() -> None:
    executable = compiled(PROBE, FLAGS)
    plain = output(executable)
    assert plain.count("\n") > 100
    assert output(executable, preload=str(LIBRARY)) == plain


def test_under_control_the_answers_are_the_same() -> None:
    executable = compiled(PROBE, FLAGS)
    with NativeExecutor([str(executable), "controlled"]) as executor:
        end = executor.run(Plan()).end
    assert end.outcome is Outcome.PASSED, end
    assert end.stdout.decode() == output(executable, "controlled")


BY_NUMBERS = r"""
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>
void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    return (void *)syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);
}
int munmap(void *at, size_t bytes) { return (int)syscall(SYS_munmap, at, bytes); }
ssize_t write(int fd, const void *from, size_t bytes) { return syscall(SYS_write, fd, from, bytes); }
"""
ITS_USER = r"""
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
static void *work(void *unused)
{
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(page != MAP_FAILED && write(1, page, 1) == 1 && munmap(page, 4096) == 0);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    return pthread_join(thread, NULL);
}
"""


def test_a_library_that_defines_functions_by_their_numbers_is_passed_through_once(tmp_path: Path) -> None:
    """As tcmalloc does: each call went round between it and us until the stack was full, and was a crash of the program's."""
    for name, text in (("numbers.c", BY_NUMBERS), ("user.c", ITS_USER)):
        (tmp_path / name).write_text(text)
    subprocess.run(["gcc", "-shared", "-fPIC", "numbers.c", "-o", "libnumbers.so"], cwd=tmp_path, check=True, timeout=PATIENCE)
    linked = ["-Wl,--no-as-needed", "-L.", "-lnumbers", f"-Wl,-rpath,{tmp_path}"]
    subprocess.run(["gcc", "-g", "-pthread", "user.c", *linked, "-o", "user"], cwd=tmp_path, check=True, timeout=PATIENCE)
    assert check([str(tmp_path / "user")], state="none").verdict.kind is VerdictKind.PASS
