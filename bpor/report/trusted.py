"""From --trust to pieces of code: where the functions lie that it names, in the program and the libraries that it links.

Invariant: what is not found is not trusted. A function that the compiler inlined is part of its caller.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from bpor.errors import UsageError
from bpor.model.trust import MOST, Trust, TrustedCode, parse_trust
from bpor.report.symbols import load
from bpor.report.symbols_demangle import function_name


def trusted_code(text: str, paths: Iterable[str]) -> tuple[TrustedCode, ...]:
    """Of Settings.trust, which is well-formed; `paths`: of the program first, then of its libraries. Raises UsageError."""
    trusts = parse_trust(text)
    modules = [TrustedCode(trust.pattern, independent=trust.independent) for trust in trusts if trust.kind == "module"]
    functions = [trust for trust in trusts if trust.kind == "function"]
    pieces = [piece for number, path in enumerate(paths) if functions for piece in _of_module(path, functions, main=number == 0)]
    if len(modules) + len(pieces) > MOST:
        raise UsageError(f"--trust {text}: these are more than {MOST} pieces of code; name the library as a whole (module:NAME)")
    return (*modules, *pieces)


def _of_module(path: str, functions: list[Trust], main: bool) -> Iterator[TrustedCode]:
    """Functions side by side are one piece."""
    module = load(path)
    name = "" if main else os.path.basename(path)
    start = end = 0
    independent = False
    for symbol in sorted(module.image.symbols(), key=lambda one: one.address) if module is not None else ():
        trust = next((one for one in functions if fnmatchcase(function_name(symbol.name), one.pattern)), None)
        if not symbol.is_function or not symbol.size or trust is None:
            continue
        if symbol.address > end or trust.independent is not independent:
            if end:
                yield TrustedCode(name, start, end, independent)
            start, independent = symbol.address, trust.independent
        end = max(end, symbol.address + symbol.size)
    if end:
        yield TrustedCode(name, start, end, independent)
