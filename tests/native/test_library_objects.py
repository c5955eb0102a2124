"""Objects of an instrumented program on which libstdc++ works in functions of its own: strings and streams."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.native.compiled import ROOT, compiled
from tests.native.tool import run_inside, run_words

PROBE = ROOT / "tests/native/probes/library_objects.cpp"
OBJECTS = re.findall(r'name == "(\w+)"', PROBE.read_text(encoding="utf-8"))

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

HARMLESS = r"""
#include <cfenv>
#include <future>
#include <iomanip>
#include <iostream>
#include <memory_resource>
#include <sstream>
#include <system_error>
static int work(unsigned __int128 number)
{
    std::pmr::unsynchronized_pool_resource pool;
    std::pmr::string text("some text that is longer than others", &pool);
    std::ostringstream out;
    out << std::setw(8) << std::setfill('.') << 1.5 << text << std::fegetround();
    std::string error = std::make_error_code(std::future_errc::no_state).message();
    try { throw std::system_error(2, std::generic_category()); } catch (std::system_error &) { }
    return std::use_facet<std::ctype<char>>(out.getloc()).is(std::ctype_base::alpha, text[0]) + int(number / (error.size() | 1) % 7);
}
int main(int count, char **)
{
    auto other = std::async(std::launch::async, [&] { return work(count); });
    int sum = work(count) + other.get();
    std::cout << sum << std::endl;
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


@pytest.mark.needs("g++")
@pytest.mark.parametrize("name", OBJECTS)
def test_in_a_plain_program_the_library_works_on_its_objects_in_every_order(name: str) -> None:
    """Whoever comes first: what a function of the library does, or what the other thread looks at."""
    run = run_inside(compiled(PROBE), [name], ["--bound", "preemption:1"])
    assert run.kinds == {"memory" if name == "error" else "assertion"}, run


@pytest.mark.needs("g++")
def test_what_a_program_uses_of_the_library_without_sharing_is_not_held_against_it(tmp_path: Path) -> None:
    source = tmp_path / "harmless.cpp"
    source.write_text(HARMLESS)
    run = run_inside(compiled(source), [], ["--bound", "preemption:0"])
    assert run.exit_code == 0 and "looked into" not in run.report["statement"], run
