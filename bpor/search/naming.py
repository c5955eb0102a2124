"""Naming: what the program calls its functions and variables. For searches that are told names; the search itself knows numbers only."""

from __future__ import annotations

from typing import Protocol


class Naming(Protocol):
    def function(self, site: int) -> str:
        """The function that contains a call site (Operation.site); empty if it has no name."""
        ...

    def variable(self, identity: int) -> str:
        """The object (Access.object) by its name; empty if it has none."""
        ...
