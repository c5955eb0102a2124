"""C++ names as people write them: `_ZN4Bank8transferEii` -> `Bank::transfer`.

Invariant: demangling never fails. Without libstdc++ (or for a name it does not know) the raw name is the answer.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from bpor.report.symbols_rust import is_rust, rust_name, without_rust_hash

_LONGEST_TEMPLATE = 24  # characters of `<...>` kept in a function's name; the rest tells a tired reader nothing
_CLONE = re.compile(r"(\.(constprop|isra|part|cold|lto_priv|llvm|localalias|\d+))+(\.\d+)*$| \[clone [^]]*\]")
_OPERATOR = re.compile(r"(?<=\boperator)(?:\(\)|->\*?|<=>|<<=|>>=|<<|>>|<=|>=|<|>)")
_ABI = re.compile(r"\[abi:\w+\]")
_LAMBDA = re.compile(r"(?:\{lambda\([^{}]*\)(?:#\d+)?\}|\$_\d+)::operator\(\)(?:\([^()]*\))?(?: const)?")  # gcc's and clang's spelling


@cache
def _library() -> tuple[Any, Any, Any] | None:
    """The demangler inside the C++ runtime: the only implementation that is always as new as the compiler."""
    from cffi import FFI  # reads C with a parser of its own: slow to load, and only C++ needs it

    ffi = FFI()
    ffi.cdef("char *__cxa_demangle(const char *, char *, size_t *, int *); void free(void *);")
    try:
        return ffi, ffi.dlopen("libstdc++.so.6"), ffi.dlopen(None)
    except OSError:
        return None


@cache
def demangle(name: str) -> str:
    """The whole signature, or the name itself."""
    if not name.startswith("_Z") or (library := _library()) is None:
        return name
    ffi, cxx, libc = library
    text = cxx.__cxa_demangle(_CLONE.sub("", name).encode(), ffi.NULL, ffi.NULL, ffi.new("int *"))
    if text == ffi.NULL:
        return name
    try:
        return without_rust_hash(bytes(ffi.string(text)).decode("utf-8", "replace"))
    finally:
        libc.free(text)


@cache
def function_name(name: str) -> str:
    """The name without parameters, return type, clone suffix and long template arguments."""
    text = _CLONE.sub("", name)
    if text.startswith("_R"):
        return rust_name(text)
    signature = demangle(text)
    if signature == text or is_rust(text):
        return signature
    signature = _LAMBDA.sub("{lambda}", _ABI.sub("", signature))
    operators = _OPERATOR.findall(signature)  # their brackets are none: out of the way while brackets are counted
    name = _without_long_templates(_without_return_type(_without_parameters(_OPERATOR.sub("\0", signature))))
    for operator in operators[: name.count("\0")]:
        name = name.replace("\0", operator, 1)
    return name


def variable_name(name: str) -> str:
    """`counter.0` (a static of a function) -> `counter`; `_ZZ4mainE1m` -> `main::m`."""
    if name.startswith("_R"):
        return rust_name(name)
    demangled = _ABI.sub("", demangle(name))
    return re.sub(r"\(\)(?=::)", "", demangled) if demangled != name else re.sub(r"\.\d+$", "", name)


def _without_parameters(signature: str) -> str:
    """Cut at the parenthesis that opens the last top-level parameter list; `(anonymous namespace)` stays."""
    depth = 0
    for index in range(len(signature) - 1, -1, -1):
        char = signature[index]
        depth += (char in ")>}") - (char in "(<{")
        if depth == 0 and char == "(" and not signature.startswith("(anonymous", index):
            return signature[:index]
    return signature


def _without_return_type(name: str) -> str:
    """Templates carry their return type: `void worker<int>` -> `worker<int>`."""
    depth = 0
    for index in range(len(name) - 1, -1, -1):
        char = name[index]
        depth += (char in ")>}") - (char in "(<{")
        if char == " " and depth == 0 and "operator" not in name[:index]:
            return name[index + 1 :]
    return name


def _without_long_templates(name: str) -> str:
    result: list[str] = []
    index = 0
    while index < len(name):
        end = _closing(name, index) if name[index] == "<" else index
        inner = name[index : end + 1]
        result.append("<…>" if len(inner) > _LONGEST_TEMPLATE else inner)
        index = end + 1
    return "".join(result)


def _closing(name: str, start: int) -> int:
    depth = 0
    for index in range(start, len(name)):
        depth += (name[index] == "<") - (name[index] == ">")
        if depth == 0:
            return index
    return start
