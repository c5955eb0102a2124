"""ProgramNames: the functions and variables of the program under test, for a search that was told names (bpor.search.naming.Naming).

Invariant: nothing is looked up before somebody asks; then one execution that stops at once tells where the modules lie.
"""

from __future__ import annotations

from collections.abc import Callable

from bpor.model.trace import Description


class ProgramNames:
    def __init__(self) -> None:
        self._describe: Callable[[], Description] | None = None
        self._functions: dict[int, str] = {}
        self._variables: dict[int, str] = {}
        self._description: Description | None = None

    def attach(self, describe: Callable[[], Description]) -> None:
        """The program runs now: this tells what it looks like."""
        self._describe, self._description = describe, None
        self._functions.clear()

    def function(self, site: int) -> str:
        """The innermost function of the program's own code around a call."""
        if site not in self._functions:
            self._functions[site] = self._look_up_function(site)
        return self._functions[site]

    def variable(self, identity: int) -> str:
        """Static objects only: those on the heap and on stacks have no name that holds for all executions."""
        if identity not in self._variables:
            from bpor.report.names import Names  # for a search that was told names

            description = self._described()
            self._variables[identity] = Names(description).static_variable(identity) or "" if description is not None else ""
        return self._variables[identity]

    def _look_up_function(self, site: int) -> str:
        from bpor.report.names import is_library
        from bpor.report.symbols import Symbols

        description = self._described()
        if description is None or not site:
            return ""
        mine = [frame.function for frame in Symbols(description.modules).frames(site) if not is_library(frame)]
        return mine[0] if mine else ""

    def _described(self) -> Description | None:
        if self._description is None and self._describe is not None:
            self._description = self._describe()
        return self._description
