"""Instructions that race with a locked instruction, or in several places. One that looks at a field of every node, or of every thread's
record, races in each of them, one search after the other; so what it accesses becomes an operation wherever it lies, as if the compiler had
told that the access is an atomic one. A place of no bytes stands for it (csrc/memory/memory.c).

That is for programs of many places, where searches are lost: as long as there is such an instruction no access is passed over by its marks
(csrc/machine/filter.c), so that a program which computes takes several times as long.
"""

from __future__ import annotations

from bpor.knobs.values import visible_places
from bpor.lazy_dataclass import replace
from bpor.model.trace import End
from bpor.settings import Settings
from bpor.visible_races import MAX_VISIBLE, Place, visible_text

_SEVERAL = 2


class RacingSites:
    def __init__(self) -> None:
        self._places: dict[int, set[Place]] = {}  # where the accesses of each have raced
        self._beside_atomic: set[int] = set()  # with what is atomic: so are they

    def note(self, end: End, patched: bool) -> None:
        """Of a race that was described; is the earlier access one of machine code that tells by our patch alone?"""
        for site in (end.site, end.other_site * patched):
            if site and "atomic" in end.message:
                self._beside_atomic.add(site)
            elif site:
                self._places.setdefault(site, set()).add((end.object, end.object_bytes))

    def added(self, settings: Settings) -> Settings:
        """With them visible, as far as there is room."""
        visible = visible_places(settings.visible)
        several = {site for site, places in self._places.items() if len(places) >= _SEVERAL}
        wider = sorted({*visible, *((site, 0) for site in several | self._beside_atomic)})
        return replace(settings, visible=visible_text(wider)) if len(wider) <= MAX_VISIBLE else settings


def without_sites(settings: Settings) -> Settings:
    """Places that have bytes go first where there is no room for all: without them a search ends at their races."""
    return replace(settings, visible=visible_text(place for place in visible_places(settings.visible) if place[1]))
