"""Objects of an instrumented program on which libstdc++ works in functions of its own: strings and streams."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.native.tool import run_words

SOURCE = r"""
#include <cassert>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>

static std::string text("x"), words[2];
static std::ostringstream out;
static std::istringstream in("12 34");

static void use(int thread, const std::string &how)
{
    if (how == "append")
        text.append("y");
    else if (how == "format")
        out << 1.5;
    else if (how == "write")
        out.write("123", 3);
    else if (how == "parse")
        in >> words[thread];
    else
        std::cout << how << thread << std::endl;
}

int main(int, char **arguments)
{
    const std::string how(arguments[1]);
    std::thread one(use, 0, how), other(use, 1, how);
    one.join();
    other.join();
    assert(how != "append" || text.size() == 3);
    assert((how != "format" && how != "write") || out.str().size() == 6);
    assert(how != "parse" || words[0].size() + words[1].size() == 4);
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("objects")
    (directory / "use.cpp").write_text(SOURCE)
    built = run_words(directory, "c++", "-g", "-pthread", "-o", "use", "use.cpp")
    assert built.returncode == 0, built.stderr
    return directory


@pytest.mark.parametrize("how", ["append", "format", "write", "parse"])
def test_threads_that_use_one_object_at_once_are_found_where_the_library_does_the_work(program: Path, how: str) -> None:
    run = run_words(program, "./use", "--bound", "preemption:1", "--", how)
    assert run.returncode == 1, run.stdout
    assert "use.cpp" in run.stdout.splitlines()[-1]


def test_lines_that_threads_print_are_not_tried_in_every_order(program: Path) -> None:
    run = run_words(program, "./use", "--", "print")
    assert run.returncode == 0, run.stdout
    assert "(1 distinct," in run.stdout
    assert subprocess.run([program / "use", "print"], capture_output=True, check=True).stdout.count(b"\n") == 2
