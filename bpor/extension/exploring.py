"""Exploring: a process that comes to a fork point and switches exploration on and off, whoever started it.

Needs the standard library alone: it also lives in an interpreter that has nothing else of ours.
"""

from __future__ import annotations

import gc

from bpor.extension.library import Library


class Exploring:
    """A bpor.extension.plain_threads.Explorer."""

    def __init__(self, library: Library, on: bool) -> None:
        """`on`: what follows the fork point is explored."""
        self.library = library
        self.forked = False
        self.own_threads = False  # threads that start now are a region's own: they wait at its gate
        self._exploring = on

    def fork_point(self) -> None:
        """Returns once in each execution, in the midst of which no garbage is collected, whatever its age."""
        if not self.forked:
            self.forked = True
            gc.freeze()
            gc.disable()
            self.library.fork_point()

    def explore(self, on: bool) -> bool:
        """How it was before."""
        before, self._exploring = self._exploring, on
        if on != before:
            self.library.explore(on)
        return before
