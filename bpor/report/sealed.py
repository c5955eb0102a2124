"""--seal: which call sites lie in code that is trusted to be atomic, by function, source file or object file.

A site is where a call was made; functions that were inlined around it count. Invariant: a pattern is a shell's (`lib*`), and every
name that one matched is known at the end, so that the verdict can say what was trusted.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from fnmatch import fnmatchcase

from bpor.model.operation import Operation
from bpor.model.trace import Description
from bpor.report.symbols import Symbols


class SealedSites:
    """An answer to `options.sealed`, once the program runs."""

    def __init__(self, patterns: tuple[str, ...]) -> None:
        self._patterns = patterns
        self._describe: Callable[[], Description] | None = None
        self._symbols: Symbols | None = None
        self._known: dict[int, bool] = {}
        self.names: dict[str, None] = {}  # what was sealed

    def attach(self, describe: Callable[[], Description]) -> None:
        self._describe, self._symbols = describe, None
        self._known.clear()

    def __call__(self, operation: Operation) -> bool:
        site = operation.site
        if site not in self._known:
            self._known[site] = bool(site) and self._matches(site)
        return self._known[site]

    def _matches(self, site: int) -> bool:
        if self._symbols is None:
            assert self._describe is not None
            self._symbols = Symbols(self._describe().modules)
        for frame in self._symbols.frames(site):
            for name in (frame.function, os.path.basename(frame.file), os.path.basename(frame.module)):
                if name and any(fnmatchcase(name, pattern) for pattern in self._patterns):
                    self.names[name] = None
                    return True
        return False
