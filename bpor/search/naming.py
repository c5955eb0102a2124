"""Naming: what the program calls its functions and variables. For searches that are told names; the search itself knows numbers only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Naming(Protocol):
    def functions(self, address: int) -> Sequence[str]:
        """The functions around a return address (Operation.site, Operation.stack): several where calls were inlined; empty: no name."""
        ...

    def variable(self, identity: int) -> str:
        """The object (Access.object) by its name; empty if it has none."""
        ...
