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
from bpor.report.dwarf_variables import element_at, is_reserved, size_of, type_of
from bpor.report.symbols import ModuleSymbols, Symbols

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


def ways(symbols: Symbols, is_mine: Callable[[int], bool], stack: NativeStack, address: int, block: int) -> list[Way]:
    """To the object at `address`, innermost frame first. `block`: where its heap memory begins, 0 if it is not on the heap."""
    found = [way for local in _locals(symbols, is_mine, stack) for way in local.ways(address, block)]
    return found + list(_static_ways(symbols, dict(stack.words), address, block))


def holders(symbols: Symbols, is_mine: Callable[[int], bool], stack: NativeStack, address: int) -> list[Way]:
    """The variables of a stack's frames in which the object at `address` lies."""
    around = list(_locals(symbols, is_mine, stack, around=address))
    return [way for local in around for way in local.ways(address, 0)] or _variable_length(around, address)


def _variable_length(around: list[_Local], address: int) -> list[Way]:
    """Where an array ends whose length is computed is not recorded: the last variable that begins before the object
    holds it."""
    before = [(start, local) for local in around if (start := local.variable.place.address) is not None and start <= address]
    _, last = max(before, key=lambda one: one[0], default=(0, None))
    return last.element(address) if last is not None else []


def handed_over(symbols: Symbols, is_mine: Callable[[int], bool], stack: NativeStack, address: int) -> list[Way]:
    """A variable of another thread's stack, by the record through which the compiler hands it over (`#pragma omp parallel`)."""
    return [way for local in _locals(symbols, is_mine, stack) if not local.variable.name for way in local.ways(address, 0)]


@dataclass(frozen=True, slots=True)
class _Local:
    """A variable of a frame that is being run."""

    module: ModuleSymbols
    variable: LocalVariable
    frame: RecordedFrame

    def ways(self, address: int, block: int) -> list[Way]:
        none: list[Way] = []
        return self.module.read(lambda: list(_ways_of(self.variable, self.frame, address, block)), none)

    def element(self, address: int) -> list[Way]:
        """Of an array whose length is not known."""
        none: list[Way] = []
        return self.module.read(lambda: list(_element(self.variable, address)), none)


def _locals(symbols: Symbols, is_mine: Callable[[int], bool], stack: NativeStack, around: int | None = None) -> Iterator[_Local]:
    """Of all frames, innermost first, or of the frame around an address."""
    words = dict(stack.words)
    for number, frame in enumerate(stack.frames[:-1]):
        cfa = stack.frames[number + 1].pointer
        if (around is not None and not frame.pointer <= around < cfa) or not is_mine(frame.address):
            continue
        module, relative = symbols.module_at(frame.address)
        scope = module.scope(relative) if module is not None else None
        if module is None or scope is None:
            continue
        state = RecordedFrame(cfa, frame.pointer, frame.registers, words)
        yield from (_Local(module, local, state) for local in scope.variables(state) if not is_reserved(local.name))


def _static_ways(symbols: Symbols, words: Mapping[int, int], address: int, block: int) -> Iterator[Way]:
    """Through static variables: `pool` in `pool->lock` is no variable of any frame."""
    for where, value in words.items():
        if not block <= value <= address:
            continue
        module, relative = symbols.data_at(where)
        holder = module.static_at(relative) if module is not None else None
        if module is not None and holder is not None:
            variable = LocalVariable(holder.name, holder.die, VariablePlace(where - holder.offset))
            state = RecordedFrame(0, 0, (0, 0, 0, 0, 0, 0), {where: value})
            yield from _Local(module, variable, state).ways(address, block)


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


def _element(local: LocalVariable, address: int) -> Iterator[Way]:
    kind, start = type_of(local.die), local.place.address
    if kind is None or start is None or kind.tag != "DW_TAG_array_type" or size_of(kind):
        return
    found = element_at(kind, address - start)
    inner = path_to(found[1], found[2]) if found is not None else None
    if found is not None and inner is not None:
        yield _way(local.name, kind, start, Path(found[0] + inner.text, inner.leaf, inner.rest), ".", direct=True)


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
    if block and value == block and name and name not in _SELF:
        yield Way(f"{name}+{address - value}" if address > value else f"*{name}", "", value, "", False)


def _way(name: str, kind: DIE, base: int, path: Path, arrow: str, *, element: str = "", direct: bool = False) -> Way:
    if not name:
        return Way(path.text.removeprefix("."), "", base, path.text, direct)
    text = f"{name}{element}{arrow}{path.text[1:]}" if path.text.startswith(".") else f"{name}{element}{path.text}"
    if arrow == "->" and not path.text and not is_record(kind):
        text = f"*{name}"
    whole = type_name(kind) if is_record(kind) and not is_library_type(kind) and not type_name(kind).startswith("<lambda") else ""
    named = "" if name in _SELF or name.startswith(tuple(f"{word}." for word in _SELF)) else text
    return Way(named, whole, base, path.text, direct)
