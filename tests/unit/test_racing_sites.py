"""Instructions that race: which of them become operations wherever they go."""

from __future__ import annotations

from bpor.model.trace import End, Outcome
from bpor.racing_sites import RacingSites, without_sites
from bpor.settings import Settings
from bpor.visible_races import MAX_VISIBLE, visible_text

WIDER = Settings(visible="10+8")


def race(place: int, site: int, other: int, atomic: bool = False) -> End:
    message = f"data race: read of 8 bytes by T1, and {'atomic ' * atomic}write by T0, in no order"
    return End(Outcome.RACE, message=message, object=place, object_bytes=8, site=site, other_site=other)


def test_one_that_races_with_an_atomic_access_is_one_at_once() -> None:
    sites = RacingSites()
    sites.note(race(0x10, 0x5000, 0, atomic=True), patched=False)
    assert sites.added(WIDER).visible == "10+8,5000+0"


def test_any_other_is_one_when_it_has_raced_in_a_second_place() -> None:
    sites = RacingSites()
    for place, other in ((0x10, 0x6000), (0x10, 0x6000), (0x40, 0x7000)):
        assert sites.added(WIDER) == WIDER
        sites.note(race(place, 0x5000, other), patched=True)
    assert sites.added(WIDER).visible == "10+8,5000+0"


def test_an_earlier_access_of_code_that_tells_by_itself_is_none() -> None:
    """It would hide the race."""
    sites = RacingSites()
    for place in (0x10, 0x40):
        sites.note(race(place, 0, 0x6000), patched=False)
    assert sites.added(WIDER) == WIDER


def test_places_go_first_where_there_is_no_room() -> None:
    sites = RacingSites()
    sites.note(race(0x10, 0x5000, 0, atomic=True), patched=False)
    full = Settings(visible=visible_text((64 * number, 8) for number in range(MAX_VISIBLE)))
    assert sites.added(full) == full
    assert without_sites(Settings(visible="10+8,5000+0")) == WIDER
