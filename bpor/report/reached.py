"""How an object was reached: the variables on a stack that hold it, or local and static ones that point to what holds it, in the words of
the source.

Invariant: a way is told only if the variable's value in this very execution leads to the object's address, and its type says what is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from bpor.lazy_dataclass import dataclass
from bpor.model.trace import NativeStack
from bpor.report.dwarf_locals import LocalVariable, RecordedFrame, VariablePlace
from bpor.report.dwarf_paths import Path, is_library_type, is_pointer, is_record, is_rust, path_to, type_name
from bpor.report.dwarf_variables import is_reserved, size_of, type_of
from bpor.report.symbols import Symbols

if TYPE_CHECKING:
    from elftools.dwarf.die import DIE

_SELF = ("this", "self", "&self")


@dataclass(frozen=True, slots=True)
class Way:
    """A variable from which the object is one step away, or in which it lies."""

    text: str  # `cache.mutex_`, `pool->queue.lock`; empty if the variable has no name of the programmer's (`this`)
    type: str  # of the whole that the object is part of: `Cache`; empty if it is no record of the program's
    base: int  # where that whole lies
    path: str  # from there to the object: `.mutex_`
    direct: bool  # the object lies in the variable itself

    @property
    def variable(self) -> str:
        """`cache` of `cache.mutex_`; only for what lies in the variable itself."""
        return self.text.removesuffix(self.path)

    @property
    def by_type(self) -> tuple[str, int, str] | None:
        return (self.type, self.base, self.path) if self.type else None


def ways(symbols: Symbols, is_mine: Callable[[int], bool], stack: NativeStack, address: int, block: int, *, direct: bool) -> list[Way]:
    """To the object at `address`, innermost frame first. `block`: where its heap memory begins, 0 if it is not on the heap;
    `direct`: only variables that hold it."""
    words = dict(stack.words)
    found: list[Way] = []
    for number, frame in enumerate(stack.frames[:-1]):
        cfa = stack.frames[number + 1].pointer
        if (direct and not frame.pointer <= address < cfa) or not is_mine(frame.address):
            continue
        module, relative = symbols.module_at(frame.address)
        scope = module.scope(relative) if module is not None else None
        if module is None or scope is None:
            continue
        state = RecordedFrame(cfa, frame.pointer, frame.registers, words)
        none: list[Way] = []
        for local in scope.variables(state):
            if not is_reserved(local.name):
                # the default arguments tie the variable of this round to the look-up
                found += module.read(lambda local=local, state=state: list(_ways_of(local, state, address, block)), none)  # type: ignore[misc]
    return found if direct else found + list(_static_ways(symbols, words, address, block))


def _static_ways(symbols: Symbols, words: Mapping[int, int], address: int, block: int) -> Iterator[Way]:
    """Through static variables: `pool` in `pool->lock` is no variable of any frame."""
    none: list[Way] = []
    for where, value in words.items():
        if not block <= value <= address:
            continue
        module, relative = symbols.data_at(where)
        holder = module.static_at(relative) if module is not None else None
        if module is not None and holder is not None:
            variable = LocalVariable(holder.name, holder.die, VariablePlace(where - holder.offset))
            state = RecordedFrame(0, 0, (0, 0, 0, 0), {where: value})
            yield from module.read(lambda variable=variable, state=state: list(_ways_of(variable, state, address, block)), none)  # type: ignore[misc]


def _ways_of(local: LocalVariable, frame: RecordedFrame, address: int, block: int) -> Iterator[Way]:
    kind = type_of(local.die)
    if kind is None:
        return
    place = local.place
    if place.value is not None:
        if is_pointer(kind):
            yield from _through(local, "", kind, place.value, address, block)
        return
    start = place.address
    assert start is not None
    path = path_to(kind, address - start)
    if path is not None:
        yield _way(local.name, kind, start, path, ".", direct=True)
        return
    for where in range(start & ~7, start + max(size_of(kind), 1), 8):
        if where in frame.words and where >= start:
            held = path_to(kind, where - start)
            if held is not None and held.rest == 0 and held.leaf is not None and is_pointer(held.leaf):
                yield from _through(local, held.text, held.leaf, frame.words[where], address, block)


def _through(local: LocalVariable, held: str, pointer: DIE, value: int, address: int, block: int) -> Iterator[Way]:
    pointee = type_of(pointer)
    size = size_of(pointee) if pointee is not None else 0
    if pointee is None or size == 0:
        yield from _through_opaque(local.name + held, value, address, block)
        return
    if value > address:
        return
    index, offset = divmod(address - value, size)
    if index and (value != block or pointer.tag != "DW_TAG_pointer_type"):
        return  # only a pointer to the whole block counts elements from its beginning
    path = path_to(pointee, offset)
    if path is None:
        return
    element = f"[{index}]" if index else ""
    arrow = "." if is_rust(local.die) or index or pointer.tag != "DW_TAG_pointer_type" else "->"
    yield _way(local.name + held, pointee, value + index * size, path, arrow, element=element)


def _through_opaque(name: str, value: int, address: int, block: int) -> Iterator[Way]:
    """A pointer to what only a library knows (`GAsyncQueue *`, `void *`): bytes are counted, as in a static variable without a type. What
    it points to may end anywhere, so the allocation has to be its own: `value` is where the block begins."""
    if block and value == block and name not in _SELF:
        yield Way(f"{name}+{address - value}" if address > value else f"*{name}", "", value, "", False)


def _way(name: str, kind: DIE, base: int, path: Path, arrow: str, *, element: str = "", direct: bool = False) -> Way:
    text = f"{name}{element}{arrow}{path.text[1:]}" if path.text.startswith(".") else f"{name}{element}{path.text}"
    if arrow == "->" and not path.text and not is_record(kind):
        text = f"*{name}"
    whole = type_name(kind) if is_record(kind) and not is_library_type(kind) and not type_name(kind).startswith("<lambda") else ""
    named = "" if name in _SELF or name.startswith(tuple(f"{word}." for word in _SELF)) else text
    return Way(named, whole, base, path.text, direct)
