"""Builds of other people: with CC="bpor-native cc", and under `bpor-native build`, they make programs that tell their atomics."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.native.tool import command
from tests.native.two_adders import assert_seen, write_sources

pytestmark = pytest.mark.needs("gcc", "bpor-native")

MAKEFILE = "LDLIBS = -pthread\nprogram: main.o add.o\n\t$(CC) $^ $(LDLIBS) -o $@\n"
CMAKE = """\
cmake_minimum_required(VERSION 3.10)
project(t C)
find_package(Threads REQUIRED)
add_library(add SHARED add.c)
add_executable(program main.c)
target_link_libraries(program add Threads::Threads)
"""
MESON = """\
project('t', 'c')
executable('program', 'main.c', 'add.c', dependencies: dependency('threads'))
"""
# add.c is no module that Python could import, and needs none of Python's symbols: any program can load it.
SETUPTOOLS = """\
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
class WithoutInit(build_ext):
    def get_export_symbols(self, extension): return []
setup(name="add", ext_modules=[Extension("add", ["add.c"])], cmdclass={"build_ext": WithoutInit})
"""


class Build:
    """One of the two ways to tell a build which compiler to take."""

    def __init__(self, before: list[str], **variables: str) -> None:
        self.before = before
        self.variables = variables

    def __call__(self, directory: Path, *words: str, **variables: str) -> None:
        environment = {**os.environ, **self.variables, **variables}
        result = subprocess.run([*self.before, *words], cwd=directory, env=environment, capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    return write_sources(tmp_path)


@pytest.fixture(params=["CC", "build"])
def build(request: pytest.FixtureRequest) -> Build:
    return Build([], CC="bpor-native cc", CXX="bpor-native c++") if request.param == "CC" else Build(command("build"))


@pytest.mark.needs("make")
def test_make(build: Build, sources: Path) -> None:
    (sources / "Makefile").write_text(MAKEFILE)
    build(sources, "make", "-e")
    assert_seen(sources / "program")


@pytest.mark.needs("cmake", "make")
def test_cmake(build: Build, sources: Path) -> None:
    (sources / "CMakeLists.txt").write_text(CMAKE)
    build(sources, "sh", "-ec", "cmake -S . -B out && cmake --build out")
    assert_seen(sources / "out" / "program")


@pytest.mark.needs("meson", "ninja")
def test_meson(build: Build, sources: Path) -> None:
    (sources / "meson.build").write_text(MESON)
    build(sources, "sh", "-ec", "meson setup out && ninja -C out")
    assert_seen(sources / "out" / "program")


def test_setuptools(build: Build, sources: Path) -> None:
    """The extension loads into a plain interpreter, and tells its atomics to a program that loads it under the tool."""
    (sources / "setup.py").write_text(SETUPTOOLS)
    build(sources, sys.executable, "setup.py", "build_ext", "--inplace")
    [module] = sources.glob("add*.so")
    load = f"import ctypes; module = ctypes.CDLL({str(module)!r}); module.add(); assert module.counted() == 1"
    assert subprocess.run([sys.executable, "-c", load]).returncode == 0
    build(sources, "sh", "-ec", f"$CC -pthread main.c -L. -l:{module.name} '-Wl,-rpath,$ORIGIN' -o program")
    assert_seen(sources / "program")


# ---- no Python per file ----

BROKEN = {"PYTHONHOME": "/nonexistent"}  # no interpreter starts with this


def test_the_command_cc_starts_no_python(sources: Path) -> None:
    """Where no Python can start, the command is dead for everything but compiling."""
    dead = subprocess.run(["bpor-native", "--version"], env={**os.environ, **BROKEN}, capture_output=True, text=True)
    assert dead.returncode != 0
    (sources / "Makefile").write_text(MAKEFILE)
    Build([], CC="bpor-native cc")(sources, "make", "-e", **BROKEN)
    assert_seen(sources / "program")


@pytest.mark.needs("g++")
def test_the_command_cxx_starts_no_python(tmp_path: Path) -> None:
    (tmp_path / "one.cc").write_text('#include <string>\nint main() { return std::string("").size(); }\n')
    Build([], CXX="bpor-native c++")(tmp_path, "sh", "-ec", "$CXX one.cc -o one", **BROKEN)
    assert subprocess.run([tmp_path / "one"]).returncode == 0


def test_the_command_is_found_through_a_link_whose_name_has_a_space(sources: Path) -> None:
    there = sources / "other tools"
    there.mkdir()
    (there / "bpor-native").symlink_to(shutil.which("bpor-native") or "")
    Build([], PATH=f"{there}:/usr/bin:/bin")(sources, "sh", "-ec", "bpor-native cc -pthread main.c add.c -o program", **BROKEN)
    assert_seen(sources / "program")
