"""ProgramNames: the functions and variables of the program under test, for a search that was told names (bpor.search.naming.Naming).

Invariant: nothing is looked up before somebody asks; then one execution that stops at once tells where the modules lie.
"""

from __future__ import annotations

from collections.abc import Callable

from bpor.model.trace import Description


class ProgramNames:
    def __init__(self) -> None:
        self._describe: Callable[[], Description] | None = None
        self._functions: dict[int, tuple[str, ...]] = {}
        self._variables: dict[int, str] = {}
        self._description: Description | None = None

    def attach(self, describe: Callable[[], Description]) -> None:
        """The program runs now: this tells what it looks like."""
        self._describe, self._description = describe, None
        self._functions.clear()

    def functions(self, address: int) -> tuple[str, ...]:
        """Those of the program's own code, the innermost first: several where calls were inlined."""
        if address not in self._functions:
            self._functions[address] = self._look_up(address)
        return self._functions[address]

    def variable(self, identity: int) -> str:
        """Static objects only: those on the heap and on stacks have no name that holds for all executions."""
        if identity not in self._variables:
            from bpor.report.names import Names  # for a search that was told names

            description = self._described()
            self._variables[identity] = Names(description).static_variable(identity) or "" if description is not None else ""
        return self._variables[identity]

    def _look_up(self, address: int) -> tuple[str, ...]:
        from bpor.report.names import is_library
        from bpor.report.symbols import Symbols

        description = self._described()
        if description is None or not address:
            return ()
        return tuple(frame.function for frame in Symbols(description.modules).frames(address) if not is_library(frame))

    def _described(self) -> Description | None:
        if self._description is None and self._describe is not None:
            self._description = self._describe()
        return self._description
