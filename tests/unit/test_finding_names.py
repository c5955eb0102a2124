"""Names of objects in a program of two files, as an execution would describe them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bpor.model.trace import Description
from bpor.protocol.ops import Op
from bpor.report.finding import ObjectName
from bpor.report.names import Names
from bpor.report.symbols import load
from tests.patience import PATIENCE

BASE = 0x555555554000
SYNC = 1 << 60
FIRST = "#include <pthread.h>\nstatic pthread_mutex_t lock;\nvoid *first(void) { return &lock; }\n"
SECOND = "#include <pthread.h>\nstatic pthread_mutex_t lock;\nvoid *second(void) { return &lock; }\nint main(void) { return 0; }\n"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("names")
    for name, text in (("first.c", FIRST), ("second.c", SECOND)):
        (directory / name).write_text(text)
    output = directory / "program"
    subprocess.run(["gcc", "-g", str(directory / "first.c"), str(directory / "second.c"), "-o", str(output)], check=True, timeout=PATIENCE)
    return output


def offsets(program: Path, name: str) -> list[int]:
    module = load(str(program))
    assert module is not None
    return [symbol.address for symbol in module.image._symbols[1] if symbol.name == name]


@pytest.mark.needs("gcc")
def test_two_statics_of_one_name_are_told_apart_and_keep_their_names(program: Path) -> None:
    names = Names(Description(modules=[(BASE, str(program))]))
    one, two = (SYNC | offset for offset in offsets(program, "lock"))
    assert names.object(one, Op.MUTEX_LOCK) == ObjectName("lock")
    assert names.object(two, Op.MUTEX_LOCK) == ObjectName("lock#2")
    assert names.object(one, Op.MUTEX_UNLOCK) == ObjectName("lock")


@pytest.mark.needs("gcc")
def test_a_static_object_is_found_by_module_and_offset_or_by_its_address(program: Path) -> None:
    offset = offsets(program, "lock")[0]
    by_offset = Names(Description(modules=[(0x1000, "/no/such"), (BASE, str(program))]))
    assert by_offset.object(SYNC | 1 << 32 | offset, Op.MUTEX_LOCK).name == "lock"
    by_address = Names(Description(modules=[(BASE, str(program))], objects={SYNC | 7 << 32: (BASE + offset, 0)}))
    assert by_address.object(SYNC | 7 << 32, Op.MUTEX_LOCK).name == "lock"


@pytest.mark.parametrize(
    ("op", "position", "name"),
    [
        (Op.MUTEX_LOCK, 0, "mutex#1"),
        (Op.COND_SIGNAL, 0, "condition#1"),
        (Op.COND_WAIT, 0, "condition#1"),
        (Op.COND_WAIT, 1, "mutex#1"),
        (Op.COND_WAKE, 1, "mutex#1"),
        (Op.SEM_POST, 0, "semaphore#1"),
        (Op.RWLOCK_WRLOCK, 0, "rwlock#1"),
        (Op.BARRIER_ARRIVE, 0, "barrier#1"),
        (Op.RMW, 0, "variable#1"),
    ],
)
def test_an_object_without_a_name_is_called_by_what_it_is(op: Op, position: int, name: str) -> None:
    assert Names(Description()).object(SYNC | 5, op, position).name == name


@pytest.mark.needs("gcc")
def test_threads_are_named_by_their_start_routines(program: Path) -> None:
    start = BASE + offsets(program, "second")[0]
    names = Names(Description(modules=[(BASE, str(program))], threads={1: (0, start)}))
    assert [names.thread(number) for number in range(3)] == ["main", "second", ""]
