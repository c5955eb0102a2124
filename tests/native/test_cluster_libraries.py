"""Libraries that a program finds by a path of its own travel with it, whatever that path looks like."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from bpor.cluster import jury
from bpor.cluster.asked import Asked, Comparing
from bpor.cluster.parcel import Packed, name_of, pack
from bpor.target.census import libraries_of
from bpor.target.program import inspect_program
from tests.native.test_cluster import make_cluster
from tests.native.tool import run_words

LIMIT = "int limit(void) { return 3; }\n"
PROGRAM = """
#include <dlfcn.h>
#include <pthread.h>
#ifndef NAME
int limit(void);
#endif
static void *other(void *unused) { return unused; }
int main(void)
{
#ifdef NAME
    void *library = dlopen(NAME, RTLD_NOW);
    int found = library ? ((int (*)(void))dlsym(library, "limit"))() : 9;
#else
    int found = limit();
#endif
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    pthread_join(thread, 0);
    return found - 3;
}
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    Path("limit.c").write_text(LIMIT)
    Path("program.c").write_text(PROGRAM)
    for directory in ("lib", "two words"):
        Path(directory).mkdir()
        subprocess.run(["gcc", "-shared", "-fPIC", "limit.c", "-o", f"{directory}/liblimit.so"], check=True)
    return tmp_path


def linked(*flags: str) -> Path:
    subprocess.run(["gcc", "-g", "-pthread", "program.c", "-o", "program", *flags], check=True)
    return Path("program").resolve()


def packed(program: Path, *send: str) -> Packed:
    return pack(inspect_program(str(program)), ["./program"], send, dict(os.environ))


def names(one: Packed) -> set[str]:
    return {os.path.relpath(f"/{item.name}") for item in one.parcel.items}


@pytest.mark.parametrize("directory", ["lib", "./lib", "two words", "{place}/two words"])
def test_the_library_of_a_search_path_travels(place: Path, directory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = linked("-Llib", "-llimit")
    monkeypatch.setenv("LD_LIBRARY_PATH", directory.format(place=place))
    assert names(packed(program)) == {"program", f"{os.path.relpath(directory.format(place=place))}/liblimit.so"}
    found, missing = libraries_of(inspect_program(str(program)).elf or pytest.fail("no ELF file"))
    assert all(os.path.isabs(path) for path in found) and not missing


def test_a_library_that_is_loaded_by_name_and_sent_is_found_as_it_is_here(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = linked('-DNAME="liblimit.so"', "-Wl,-rpath,$ORIGIN/lib")
    sent = packed(program, "lib")
    assert names(sent) == {"program", "lib/liblimit.so"} and sent.parcel.libraries == (name_of("lib"),)
    others = packed(program, "two words")
    assert names(others) == {"program", "two words/liblimit.so"} and not others.parcel.libraries, "it is not what this program finds"
    elf = inspect_program(str(program)).elf
    assert Comparing(packed(program).parcel, elf).other([Asked("?", "liblimit.so", "")]).endswith(": --send-files lib/liblimit.so")
    monkeypatch.setattr(jury, "SHARE", 10**9)
    with make_cluster(1) as cluster:
        words = ("run", "--cluster", cluster.scheduler_address, "--insecure-cluster", "--state", "none", "--bound", "none")
        there = run_words(place, *words, "--send-files", "lib", "--", str(program))
    assert there.returncode == 0, there
    assert there.stdout.splitlines()[-1] == run_words(place, "run", "--bound", "none", "--", str(program)).stdout.splitlines()[-1]
