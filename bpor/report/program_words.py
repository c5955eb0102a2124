"""The names in a program: its functions, variables, source files and libraries, found without running it.

They serve options that name code (--seal, --suppressions, priorities of best-first): a name that nothing has is a typing error, and a
search that ignored it would not be the one that was asked for. Invariant: it errs on the side of a name that might be one; where the
program can load more code while it runs nothing is denied.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from bpor.report.symbols import load
from bpor.report.symbols_demangle import function_name, variable_name

_STRINGS = (".debug_str", ".debug_line_str", ".debug_info", ".debug_line", ".debug_types")  # the last three hold short ones among others
_LOADERS = frozenset({"dlopen", "dlmopen"})


class ProgramWords:
    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = tuple(paths)  # the program first, then its libraries

    def has(self, matches: Callable[[str], bool]) -> bool:
        """Does any word match? The symbol tables are asked first: they are small."""
        return self.is_open or any(map(matches, self._listed)) or any(map(matches, self._mentioned()))

    @cached_property
    def is_open(self) -> bool:
        """The program itself loads code while it runs, or cannot be read."""
        program = load(self._paths[0]) if self._paths else None
        return program is None or bool(_LOADERS & program.image.imported())

    @cached_property
    def _listed(self) -> frozenset[str]:
        words = {part for path in self._paths for part in (path, os.path.basename(path))}
        for path in self._paths:
            module = load(path)
            for symbol in module.image.symbols() if module is not None else ():
                words.add(function_name(symbol.name) if symbol.is_function else variable_name(symbol.name))
        return frozenset(words)

    def _mentioned(self) -> Iterator[str]:
        """Every string of the debug information: names of inlined functions, of files, and much that is neither."""
        for path in self._paths:
            module = load(path)
            for name in _STRINGS if module is not None else ():
                for text in module.image.strings(name) if module is not None else ():
                    yield text
                    if text.startswith("_Z"):
                        yield function_name(text)
                    elif "/" in text:
                        yield os.path.basename(text)
