"""The bounded space without reduction, for best-first search: everything is tried, and races are recorded, so that the priority `dpor` can
take them first."""

from __future__ import annotations

from bpor.search.bounds.runahead import Everything
from bpor.search.engine.tree import Tree


class EverythingRacesNoted(Everything):
    reduces = notes_races = True  # races are looked for; `initial` has asked for every thread already

    def backtrack(self, tree: Tree, index: int, thread: int) -> None:
        tree.frames[index].raced |= 1 << thread
