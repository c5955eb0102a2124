"""What is surveyed: a package, how to make an object of it, what is done to the object, and how the outcome is seen.

A result must be comparable and picklable. Operations are kept as small as they can be: every access of the extension's own memory is a
step of the simulated free threading.
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Operation = Callable[[Any], Any]
MODES = ("real", "off")
LONG = b"x" * 70_000  # xxhash lets the GIL go above 65,536 bytes


@dataclass(frozen=True)
class Subject:
    package: str  # as PyPI spells it
    version: str
    what: str  # the class
    make: Callable[[], Any]
    observe: Operation
    operations: Mapping[str, Operation]
    with_gil: Mapping[str, Operation] = field(default_factory=dict)  # only there: too long to interleave access by access
    says: str = ""  # what the package says about threads, or its sources
    remark: str = ""  # what a finding was about, looked into by hand

    @property
    def every(self) -> dict[str, Operation]:
        return {**self.operations, **self.with_gil}


@dataclass(frozen=True)
class Pair:
    """Two operations of a subject, at once, with the GIL or without."""

    subject: Subject
    gil: str
    first: str
    second: str

    def __str__(self) -> str:
        return f"{self.subject.package}-{self.subject.what}-{self.gil}-{self.first}-{self.second}"


def pairs(subject: Subject) -> list[Pair]:
    usable = {"real": subject.every, "off": subject.operations}
    return [Pair(subject, gil, first, second) for gil in MODES for first, second in itertools.combinations_with_replacement(usable[gil], 2)]


def _new(module: str, name: str, *arguments: Any) -> Any:
    return getattr(importlib.import_module(module), name)(*arguments)


def _lru() -> Any:
    cache = _new("lru", "LRU", 2)
    cache["a"], cache["b"] = 1, 2
    return cache


def _multidict() -> Any:
    return _new("multidict", "MultiDict", [("a", 1), ("a", 2), ("b", 3)])


def _unpacker() -> Any:
    unpacker = _new("msgpack", "Unpacker")
    unpacker.feed(b"\x01\x02\x03")
    return unpacker


def _packer() -> Any:
    packer = importlib.import_module("msgpack").Packer(autoreset=False)
    packer.pack(1)
    return packer


def _regex() -> tuple[Any, Any, Any]:
    pattern = importlib.import_module("regex").compile("(a)b?")
    return pattern, pattern.scanner("abaab", concurrent=True), pattern.search("xab")


def _spans(scanner: Any) -> list[tuple[int, int]]:
    return [match.span() for match in iter(scanner.search, None)]


def _automaton() -> Any:
    automaton = _new("ahocorasick", "Automaton")
    automaton.add_word("ab", 1)
    return automaton


def _mutation() -> Any:
    return _new("immutables", "Map", {"a": 1, "b": 2}).mutate()


def _set(key: str, value: Any) -> Operation:
    return lambda subject: subject.__setitem__(key, value)


def _delete(key: str) -> Operation:
    return lambda subject: subject.__delitem__(key)


SUBJECTS = (
    Subject(
        "xxhash",
        "4.1.0",
        "xxh64",
        lambda: _new("xxhash", "xxh64", b"seed"),
        lambda h: h.hexdigest(),
        {
            "update": lambda h: h.update(b"ab"),
            "digest": lambda h: h.digest(),
            "copy": lambda h: h.copy().digest(),
            "reset": lambda h: h.reset(),
        },
        with_gil={"update long": lambda h: h.update(LONG)},
        says="a lock in every object from Python 3.13 on; before, only once it was updated with more than 64 KiB, which lets the GIL go."
        " The README discourages sharing an object between threads",
    ),
    Subject(
        "lru-dict",
        "1.4.1",
        "LRU",
        _lru,
        lambda cache: (cache.items(), cache.get_size()),
        {
            "get": lambda cache: cache["a"],
            "set": _set("c", 3),
            "delete": _delete("a"),
            "popitem": lambda cache: cache.popitem(),
            "clear": lambda cache: cache.clear(),
            "set_size": lambda cache: cache.set_size(1),
        },
        says="no lock of its own, and no claim to work without a GIL",
        remark="Every operation, `get` too, takes a node out of a doubly linked list and puts it in front (`lru_remove_node`,"
        " `lru_add_node_at_head`), and uses nodes that another thread may free. U: the list is left with more nodes than the"
        " dict has, or as a circle; `items()`, the observer, then writes past the end of the Python list it made, and what that"
        " destroys depends on what lies behind it: it fails differently each time.",
    ),
    Subject(
        "bitarray",
        "3.12.3",
        "bitarray",
        lambda: _new("bitarray", "bitarray", "1011001"),
        lambda bits: bits.to01(),
        {
            "append": lambda bits: bits.append(1),
            "pop": lambda bits: bits.pop(),
            "extend": lambda bits: bits.extend("01"),
            "invert": lambda bits: bits.invert(),
            "count": lambda bits: bits.count(),
            "clear": lambda bits: bits.clear(),
        },
        says="claims to work without a GIL, by critical sections, which only a free-threaded build compiles in",
        remark="`resize` frees or moves the buffer while another thread reads or writes bits of it.",
    ),
    Subject(
        "regex",
        "2026.11.9",
        "Pattern, Scanner, Match",
        _regex,
        lambda subject: (_spans(subject[1]), subject[2].string, subject[2].groups()),
        {
            "search": lambda subject: subject[0].search("xab", concurrent=True).span(),
            "scan": lambda subject: subject[1].search().span(),
            "sub": lambda subject: subject[0].sub("-", "xabx", concurrent=True),
            "group": lambda subject: subject[2].group(1),
            "detach": lambda subject: subject[2].detach_string(),
        },
        says="lets the GIL go while it matches; claims to work without a GIL, by locks that only a free-threaded build compiles in",
        remark="Two scans of one scanner race for the field in which it keeps the thread state of whoever let the GIL go, with the GIL as"
        ' well as without. With the GIL and `races="off"` the search goes past it and finds what comes of it, a deadlock: the second'
        " thread finds the field set by the first and waits for the scanner's lock without letting the GIL go. Two real threads that scan"
        " a long string hang, too. Without the GIL a thread goes on with no thread state at all, which the interpreter ends. Two detaches:"
        " `match_detach_string` looks whether there is a string and drops it later, and the other thread has dropped it meanwhile.",
    ),
    Subject(
        "msgpack",
        "1.2.4",
        "Packer",
        _packer,
        lambda packer: packer.bytes(),
        {
            "pack number": lambda packer: packer.pack(7),
            "pack text": lambda packer: packer.pack("ab"),
            "pack list": lambda packer: packer.pack([1, 2]),
            "bytes": lambda packer: packer.bytes(),
            "reset": lambda packer: packer.reset(),
        },
        says="claims to work without a GIL, by critical sections, which only a free-threaded build compiles in",
    ),
    Subject(
        "msgpack",
        "1.2.4",
        "Unpacker",
        _unpacker,
        lambda unpacker: (unpacker.tell(), list(unpacker)),
        {
            "feed": lambda unpacker: unpacker.feed(b"\x04"),
            "unpack": lambda unpacker: unpacker.unpack(),
            "skip": lambda unpacker: unpacker.skip(),
            "read_bytes": lambda unpacker: unpacker.read_bytes(1),
            "tell": lambda unpacker: unpacker.tell(),
        },
        says="as Packer",
    ),
    Subject(
        "multidict",
        "7.2.1",
        "MultiDict",
        _multidict,
        lambda many: list(many.items()),
        {
            "add": lambda many: many.add("c", 4),
            "getall": lambda many: many.getall("a"),
            "popone": lambda many: many.popone("a"),
            "set": _set("a", 5),
            "delete": _delete("a"),
            "list": lambda many: list(many.items()),
        },
        says="claims to work without a GIL, by critical sections, which only a free-threaded build compiles in",
        remark="The crashes are in functions that say `Caller holds md's critical section` (`_md_pop_one_locked`, `_md_del_locked`):"
        " the entry that one thread has found is emptied by the other.",
    ),
    Subject(
        "pyahocorasick",
        "2.3.1",
        "Automaton",
        _automaton,
        lambda words: sorted(words.items()),
        {
            "add_word": lambda words: words.add_word("ac", 2),
            "get": lambda words: words.get("ab"),
            "remove_word": lambda words: words.remove_word("ab"),
            "make_automaton": lambda words: words.make_automaton(),
            "clear": lambda words: words.clear(),
        },
        says="no lock of its own, and no claim to work without a GIL",
        remark="Nodes are reallocated and freed (`memory_realloc`, `memory_free`) while another thread walks over them.",
    ),
    Subject(
        "immutables",
        "0.21",
        "MapMutation",
        _mutation,
        lambda mutation: sorted(mutation.finish().items()),
        {
            "get": lambda mutation: mutation["a"],
            "set": _set("c", 3),
            "delete": _delete("a"),
            "pop": lambda mutation: mutation.pop("b"),
            "length": lambda mutation: len(mutation),
        },
        says="no lock of its own, and no claim to work without a GIL",
        remark="The root of the tree is used without a reference of its own (`map_node_find(self->m_root, ...)`) while another thread"
        " puts a new one in its place and drops the old one (`Py_SETREF(o->m_root, new_root)`).",
    ),
)
