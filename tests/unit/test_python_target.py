"""Python interpreters as programs: their names, their arguments, the environment in which things repeat."""

from __future__ import annotations

import pytest

from bpor.target.python import is_python_name, python_arguments, python_assumptions, python_environment, split_arguments
from bpor.target.workspace import users_preload


@pytest.mark.parametrize("name", ["python", "/usr/bin/python3", "python3.11", "python3.14t", "../.venv/bin/python3"])
def test_interpreters_are_known_by_name(name: str) -> None:
    assert is_python_name(name)


@pytest.mark.parametrize("name", ["pythonic/tool", "ipython3", "python-config", "pypy3"])
def test_other_programs_are_not(name: str) -> None:
    assert not is_python_name(name)


@pytest.mark.parametrize(
    ("words", "options", "program"),
    [
        ("script.py -m x", "", "script.py -m x"),
        ("-X dev -B -W error script.py", "-X dev -B -W error", "script.py"),
        ("-u -m pytest -q", "-u", "-m pytest -q"),
        ("-c pass", "", "-c pass"),
        ("-V", "-V", ""),
    ],
)
def test_the_interpreters_options_end_where_its_program_begins(words: str, options: str, program: str) -> None:
    assert split_arguments(words.split()) == (options.split(), program.split())


def test_a_program_is_run_by_our_runner_and_standard_input_is_not() -> None:
    assert [word.rsplit("/", 1)[-1] for word in python_arguments(["-B", "x.py", "y"])] == ["-B", "run_script.py", "x.py", "y"]
    assert python_arguments(["-"]) == ["-"]
    assert python_arguments([]) == []


def test_what_the_user_set_stays_unless_it_starts_threads() -> None:
    given = {"PYTHONHASHSEED": "7", "GLIBC_TUNABLES": "glibc.malloc.check=1", "OMP_NUM_THREADS": "4"}
    made = python_environment(given)
    assert made["PYTHONHASHSEED"] == "7"
    assert made["GLIBC_TUNABLES"] == "glibc.malloc.check=1:glibc.pthread.rseq=0"
    assert made["OMP_NUM_THREADS"] == "1"
    assert python_environment(made) == made
    assert python_environment({"PYTHONHASHSEED": "random"})["PYTHONHASHSEED"] == "0"


def test_a_free_threaded_interpreter_keeps_its_allocator_and_is_not_given_a_lock_for_our_sake() -> None:
    made = python_environment({}, free_threaded=True)
    assert "PYTHONMALLOC" not in made
    assert made["PYTHON_GIL"] == "0"
    assert python_environment({"PYTHON_GIL": "1"}, free_threaded=True)["PYTHON_GIL"] == "1"
    assert "PYTHON_GIL" not in python_environment({})  # another interpreter would not start with it


def test_a_preload_of_ours_is_not_the_users() -> None:
    assert users_preload("/x/libbpor.so:/x/alias/libtsan.so.2:/mine.so /other.so") == "/mine.so:/other.so"


def test_a_free_threaded_interpreter_is_not_said_to_have_a_lock() -> None:
    assert python_assumptions("real", free_threaded=True)[0] == "the interpreter has no GIL"
