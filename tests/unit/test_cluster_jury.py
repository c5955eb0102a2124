"""Who is believed where two members of a search say different things."""

from __future__ import annotations

import itertools
import pickle
from concurrent.futures import Future
from typing import Any

import pytest

from bpor.cluster import jury
from bpor.cluster.jury import Jury, Lied
from bpor.cluster.member import Answer, Opening
from bpor.cluster.recovering import TURN, Recovering
from bpor.cluster.testimony import said
from bpor.errors import MemberLost, Uncontrolled
from bpor.simulate.notation import parse
from tests.unit.test_cluster_parts import explorer_of

NOBODY: Any = None


class Host:
    def __init__(self, says: str) -> None:
        self._says = says

    def open(self, opening: Opening) -> Future[bytes]:
        return self._answer(None)

    def ask(self, request: bytes) -> Future[bytes]:
        return self._answer(self._says)

    def end(self) -> Future[bytes]:
        return self._answer(None)

    def _answer(self, value: Any) -> Future[bytes]:
        future: Future[bytes] = Future()
        future.set_result(pickle.dumps(Answer(value)))
        return future


@pytest.fixture(autouse=True)
def everybody_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jury, "SHARE", 1)


def heard(member: str, witness: str, client: str, place: str = "witness") -> tuple[Jury, list[str]]:
    excluded: list[str] = []
    of = Jury(lambda _: (Host(witness), place), lambda: Host(client), excluded.append)
    session = of.listen("member", NOBODY, [])
    assert session is not None
    session.add(said("save", (0,), member))
    return of, excluded


def test_two_that_agree_are_believed_and_the_client_is_not_asked() -> None:
    of, excluded = heard("a", "a", client="b")
    of.settle(60.0)
    assert not excluded and not of.lies


@pytest.mark.parametrize(("member", "witness", "liar"), [("b", "a", "member"), ("a", "b", "witness")])
def test_whoever_disagrees_with_the_client_has_lied(member: str, witness: str, liar: str) -> None:
    of, excluded = heard(member, witness, client="a")
    with pytest.raises(Lied, match=f"the worker at {liar} lied"):
        of.settle(60.0)
    assert excluded == [liar]
    of.settle(60.0)  # what was searched again is judged by itself


@pytest.mark.parametrize(("witness", "place"), [("b", "witness"), ("b", "")])
def test_where_nobody_agrees_nobody_is_convicted_and_there_is_no_verdict(witness: str, place: str) -> None:
    of, excluded = heard("a", witness, client="c", place=place)
    with pytest.raises(Uncontrolled, match="agrees with neither"):
        of.settle(60.0)
    assert not excluded


def test_a_search_whose_counts_begin_anew_now_and_then_counts_what_one_that_goes_on_does() -> None:
    program = parse("R x; W x; R y | W x; W y; R x | W y; R x")
    whole, ticks, turns = explorer_of(program, None).run().counts, itertools.count(step=TURN / 3), 0
    checkpoints = Recovering(None, Jury(NOBODY, NOBODY, NOBODY), turns=True, interval=0.0, clock=lambda: next(ticks))
    while True:
        try:
            assert explorer_of(program, checkpoints).run().counts == whole
            break
        except MemberLost:
            turns += 1
    assert turns > 2
