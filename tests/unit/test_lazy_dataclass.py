"""Our dataclass does what the standard library's does: the same classes, made by both, behave alike."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import pkgutil
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import bpor
from bpor import lazy_dataclass

STANDARD = {"dataclass": dataclasses.dataclass, "field": dataclasses.field}
OURS = {"dataclass": lazy_dataclass.dataclass, "field": lazy_dataclass.field}
CLASSES = """
@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2
    names: tuple = ()

@dataclass(frozen=True, slots=True)
class Named(Point):
    name: str = field(default="p", compare=False)
    notes: list = field(default_factory=list, repr=False)
    z: int = 7
    def __post_init__(self):
        object.__setattr__(self, "z", self.z + 1)
    def far(self):
        return self.x > 10

@dataclass(slots=True)
class Counter:
    count: int = 0
    seen: dict = field(default_factory=dict)

@dataclass(slots=True, unsafe_hash=True)
class Value:
    words: tuple
    site: int = 0

@dataclass(frozen=True, slots=True)
class Own:
    a: int
    def __eq__(self, other): return True
    def __hash__(self): return 5
    def __repr__(self): return "own"

@dataclass(frozen=True, slots=True)
class Nothing:
    pass
"""


def made_by(library: dict[str, Any]) -> dict[str, Any]:
    space = {**library, "__name__": __name__}
    exec(CLASSES, space)
    return space


KINDS = {"standard": made_by(STANDARD), "ours": made_by(OURS)}
BOTH = pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS)


@BOTH
def test_values_are_made_compared_and_told(kinds: dict[str, Any]) -> None:
    point = kinds["Point"]
    assert point(1) == point(1, 2, ()) == point(x=1, y=2) != point(2)
    assert hash(point(1)) == hash((1, 2, ())) and point(1) != (1, 2, ())
    assert repr(point(1, names=("a",))) == "Point(x=1, y=2, names=('a',))"
    assert point.__match_args__ == ("x", "y", "names") and not hasattr(point(1), "__dict__")
    with pytest.raises(TypeError):
        point()
    assert kinds["Nothing"]() == kinds["Nothing"]() and repr(kinds["Nothing"]()) == "Nothing()"


@BOTH
def test_a_class_inherits_fields_and_counts_only_those_that_are_compared(kinds: dict[str, Any]) -> None:
    named = kinds["Named"]
    first, second = named(1, name="a"), named(1, name="b")
    assert first != second or first.notes == second.notes  # notes are compared, names are not
    assert first == second and first.z == 8 and not first.far()
    assert first.notes is not second.notes
    assert repr(first) == "Named(x=1, y=2, names=(), name='a', z=8)"


@BOTH
def test_what_is_frozen_does_not_change(kinds: dict[str, Any]) -> None:
    point = kinds["Point"](1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        point.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        del point.x
    counter = kinds["Counter"]()
    counter.count += 1
    assert counter == kinds["Counter"](1)
    with pytest.raises(TypeError):
        hash(counter)
    assert hash(kinds["Value"]((1,))) == hash(((1,), 0))


@BOTH
def test_methods_that_a_class_defines_itself_stay(kinds: dict[str, Any]) -> None:
    own = kinds["Own"]
    assert own(1) == own(2) and hash(own(1)) == 5 and repr(own(1)) == "own"


@BOTH
def test_the_standard_functions_take_both(kinds: dict[str, Any]) -> None:
    point = kinds["Point"](1)
    assert dataclasses.replace(point, y=5) == kinds["Point"](1, 5)
    assert dataclasses.asdict(point) == {"x": 1, "y": 2, "names": ()}
    assert [each.name for each in dataclasses.fields(kinds["Named"])] == ["x", "y", "names", "name", "notes", "z"]
    assert dataclasses.is_dataclass(point)
    assert copy.copy(point) == point == copy.deepcopy(point)


def test_our_own_functions() -> None:
    kinds = KINDS["ours"]
    point = kinds["Point"](1, names=(kinds["Value"]((3,)), {"a": kinds["Value"](())}))
    assert lazy_dataclass.replace(point, y=5) == kinds["Point"](1, 5, point.names)
    assert lazy_dataclass.asdict(point) == dataclasses.asdict(point)
    assert [each.name for each in lazy_dataclass.fields(point)] == ["x", "y", "names"]
    with pytest.raises(TypeError):
        lazy_dataclass.replace(point, w=5)


@lazy_dataclass.dataclass(frozen=True, slots=True)
class Sent:
    text: str
    numbers: tuple[int, ...] = ()


def test_a_frozen_value_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(Sent("a", (1, 2)))) == Sent("a", (1, 2))


def test_a_default_that_can_change_is_refused() -> None:
    with pytest.raises(ValueError, match="names"):

        @lazy_dataclass.dataclass(slots=True)
        class _Shared:
            names: list[int] = []  # noqa: RUF012


def test_every_method_that_is_compiled_late_compiles() -> None:
    """A mistake in a class would show only where it is first used."""
    for found in pkgutil.walk_packages(bpor.__path__, "bpor."):
        if not found.name.endswith(("__main__", "gdb_commands")):
            import_module(found.name)
    assert lazy_dataclass._uncompiled
    lazy_dataclass.compile_all()
    assert not lazy_dataclass._uncompiled


def test_no_module_that_a_run_may_load_takes_the_standard_one() -> None:
    """It brings `inspect` and `ast` besides."""
    package = Path(bpor.__file__).parent
    standard = {str(path.relative_to(package)) for path in package.rglob("*.py") if "from dataclasses import" in path.read_text()}
    assert standard == {"lazy_dataclass.py", "simulate/place.py"}


def test_a_standard_class_can_inherit_from_one_of_ours() -> None:
    @lazy_dataclass.dataclass(slots=True)
    class Ours:
        first: int

    @dataclasses.dataclass(slots=True)
    class Theirs(Ours):
        second: int

    assert Theirs(1, 2) == Theirs(first=1, second=2) and repr(Theirs(1, 2)).endswith("Theirs(first=1, second=2)")
