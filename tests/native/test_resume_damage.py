"""A checkpoint that is not as it was written, or not of this search, is never used: the verdict and every count are a fresh run's."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import bpor
from bpor.store.checkpoints import SqliteCheckpoints
from tests.native.tool import run_words

COUNTER = "correct/mutex/counter.c"
UPDATE = "update search set value = ? where key = ?"
STOPPED = 20  # executions of 90
EVERY = int(os.environ.get("BPOR_DAMAGED_PLACES", "5"))  # of so many places one is damaged; `make soak` damages each


class Searched:
    """One program, stopped in the midst of its search; what was saved may be damaged and gone on with."""

    def __init__(self, binary: Path, directory: Path, engine: str) -> None:
        self.binary, self.engine = binary, engine
        self.saved, self.damaged = directory / "saved.sqlite", directory / "damaged.sqlite"
        self.notes: list[str] = []
        self.fresh = self.run(directory / "fresh.sqlite")
        self.run(self.saved, STOPPED)

    def run(self, database: Path, most: int | None = None) -> tuple[object, ...]:
        self.notes.clear()
        checkpoints = SqliteCheckpoints(database, "the same search", True, self.notes.append)
        result = bpor.check([str(self.binary)], bound="none", engine=self.engine, max_executions=most, checkpoints=checkpoints)
        assert result.search is not None
        return result.verdict.statement, result.search.executions, result.search.counts, result.search.levels

    def again(self) -> tuple[object, ...]:
        shutil.copy(self.saved, self.damaged)
        return self.run(self.damaged)

    def after(self, damage: Callable[[sqlite3.Connection], object]) -> bool:
        """Goes on after the damage; was it noticed?"""
        shutil.copy(self.saved, self.damaged)
        with sqlite3.connect(self.damaged) as connection:
            damage(connection)
        connection.close()
        assert self.run(self.damaged) == self.fresh
        return any("begins anew" in note for note in self.notes)


@pytest.fixture(params=["python", "native"])
def search(request: pytest.FixtureRequest, program: Callable[..., Path], tmp_path: Path) -> Searched:
    return Searched(program(COUNTER, "-DTHREADS=3"), tmp_path, request.param)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place of a JSON value; of a list its first and its last element."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from leaves(value[key], (*path, key))
    elif isinstance(value, list):
        for index in sorted({0, len(value) - 1}) if value else ():
            yield from leaves(value[index], (*path, index))


def edited(value: Any) -> Any:
    match value:
        case bool():
            return not value
        case int() | float():
            return value - 1
        case str():
            return value[:-1]
        case list() | tuple():
            return value[:-1]
        case dict():
            return dict(list(value.items())[:-1])
    return 1


def with_edit(text: str, path: tuple[Any, ...]) -> str:
    state = json.loads(text)
    around = state
    for key in path[:-1]:
        around = around[key]
    if not path:
        return json.dumps(edited(state))
    around[path[-1]] = edited(around[path[-1]])
    return json.dumps(state)


def test_a_search_that_nobody_touched_goes_on(search: Searched) -> None:
    assert search.again() == search.fresh
    assert search.notes == []


def test_every_edit_of_a_place_in_the_saved_search_is_noticed(search: Searched) -> None:
    with sqlite3.connect(search.saved) as connection:
        ((text,),) = connection.execute("select value from search where key like 'state %'").fetchall()
    connection.close()
    places = {tuple("#" if isinstance(key, int) else key for key in path): path for path in leaves(json.loads(text))}
    assert len(places) > 20
    for path in list(places.values())[::EVERY]:
        changed = with_edit(text, path)
        if json.loads(changed) != json.loads(text):
            assert search.after(lambda connection, to=changed: connection.execute(UPDATE, [to.encode(), "state 000000000000"])), path


def test_every_row_that_is_gone_or_another_is_noticed(search: Searched) -> None:
    with sqlite3.connect(search.saved) as connection:
        rows = dict(connection.execute("select key, value from search"))
    connection.close()
    assert len(rows) >= 5
    for key, value in rows.items():
        other = value + b"\1" if isinstance(value, bytes) else value + 1 if isinstance(value, int) else value + " "
        assert search.after(lambda connection, key=key: connection.execute("delete from search where key = ?", [key])), key
        assert search.after(lambda connection, key=key, to=other: connection.execute(UPDATE, [to, key])), key
    assert search.after(lambda connection: connection.execute("insert into search values ('more', 1)"))
    assert search.after(lambda connection: connection.execute("drop table search"))


def test_a_file_that_was_cut_or_overwritten_anywhere_is_noticed_or_does_no_harm(search: Searched) -> None:
    data = search.saved.read_bytes()
    for part in range(16):
        at = len(data) * part // 16
        search.damaged.write_bytes(data[:at])
        assert search.run(search.damaged) == search.fresh
        assert any("begins anew" in note for note in search.notes), f"cut at {at} of {len(data)}"
        search.damaged.write_bytes(data[:at] + bytes(byte ^ 0x55 for byte in data[at : at + 8]) + data[at + 8 :])
        assert search.run(search.damaged) == search.fresh
    search.damaged.unlink()
    search.damaged.mkdir()
    assert search.run(search.damaged) == search.fresh


# ---- through the command line: of another search ----


def tool(directory: Path, *words: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    run = run_words(directory, "-q", "--bound", "none", *words, **variables)
    assert run.returncode in (0, 1, 3), run
    return run


def place(binary: Path, path: Path) -> None:
    path.write_bytes(binary.read_bytes())
    os.chmod(path, 0o700)


def test_the_searches_of_two_programs_are_not_taken_for_each_other(program: Callable[..., Path], tmp_path: Path) -> None:
    place(program(COUNTER, "-DTHREADS=2"), tmp_path / "two")
    place(program(COUNTER, "-DTHREADS=3"), tmp_path / "three")
    for name in ("two", "three"):
        tool(tmp_path, f"./{name}")
    (two,), (three,) = (list((tmp_path / ".bpor").glob(f"{name}-*/search.sqlite")) for name in ("two", "three"))
    kept = two.read_bytes()
    two.write_bytes(three.read_bytes())
    three.write_bytes(kept)
    for name in ("two", "three"):
        assert "cannot be resumed: the arguments changed; the search begins anew" in tool(tmp_path, "--resume", f"./{name}").stderr


LIBRARY = "void touch(int *value) { *value += AMOUNT; }\n"
USER = """
#include <pthread.h>
#include <stdlib.h>
void touch(int *);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;
static void *add(void *unused)
{
    pthread_mutex_lock(&lock);
    touch(&value);
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    add(NULL);
    pthread_join(thread, NULL);
    return value != 2 || getenv("FAIL") != NULL;
}
"""


def library(directory: Path, amount: int) -> None:
    words = ["gcc", "-shared", "-fPIC", f"-DAMOUNT={amount}", "-o", "libtouch.so", "lib.c"]
    subprocess.run(words, cwd=directory, check=True)


def test_a_finished_search_of_anything_else_than_this_is_run_again(tmp_path: Path) -> None:
    """The program is the same, its library, its environment, a file it was given or the suppressions are not."""
    (tmp_path / "lib.c").write_text(LIBRARY)
    (tmp_path / "user.c").write_text(USER)
    (tmp_path / "data").write_text("1")
    (tmp_path / "known").write_text("exit:main\n")
    library(tmp_path, 1)
    words = ["gcc", "-g", "-pthread", "-o", "user", "user.c", "-L.", "-ltouch", "-Wl,-rpath,$ORIGIN"]
    subprocess.run(words, cwd=tmp_path, check=True)
    again = ("--resume", "./user", "data")
    assert tool(tmp_path, "./user", "data").returncode == 0
    assert (run := tool(tmp_path, *again)).returncode == 0 and "anew" not in run.stderr
    run = tool(tmp_path, *again, FAIL="1")
    assert run.returncode == 1 and "the environment changed (FAIL)" in run.stderr
    assert tool(tmp_path, *again).returncode == 0
    library(tmp_path, 2)
    run = tool(tmp_path, *again)
    assert run.returncode == 1 and "a library of the program changed" in run.stderr
    library(tmp_path, 1)
    assert tool(tmp_path, *again).returncode == 0
    (tmp_path / "data").write_text("2")
    assert "the files changed (data)" in tool(tmp_path, *again).stderr
    known = ("--suppressions", "known", *again[1:])
    assert "nothing was tested behind `exit:main`" in tool(tmp_path, *known, FAIL="1").stdout
    (tmp_path / "known").write_text("deadlock:main\n")
    assert tool(tmp_path, "--resume", *known, FAIL="1").returncode == 1
