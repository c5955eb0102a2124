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
from bpor.cluster.testimony import Repeating, facts_of, said
from bpor.errors import MemberLost, Uncontrolled
from bpor.lazy_dataclass import replace
from bpor.model.exploration import Batch, Exploration, Told, TreeTold
from bpor.model.plan import Plan
from bpor.model.trace import End, Outcome, Trace
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


def told(*trees: TreeTold, executions: int = 2) -> Trace:
    """As it travels: what can be asked of a tree before the next batch stays where it is."""
    first, second = (replace(tree, graph=dict, save=dict) for tree in trees)
    return Trace(End(Outcome.STOPPED), (), batch=Batch(executions, {}, 0, Told(executions=2), (first, second)))


def test_what_a_member_says_of_a_tree_that_it_was_not_asked_for_is_no_testimony() -> None:
    """It goes back to before its counts began anew, and whoever repeats it cannot know it: honest workers were excluded."""
    old, fresh, asked = TreeTold(begun=True, finished=True), TreeTold(), TreeTold(begun=True)
    assert facts_of(told(old, asked), (False, True)) == facts_of(told(fresh, asked), (False, True))
    assert facts_of(told(old, asked), (True, True)) != facts_of(told(fresh, asked), (True, True))


class Stops(Host):
    """After the executions that it was asked for; that nothing is left it finds out only when it is to go on."""

    def __init__(self) -> None:
        super().__init__("")
        self.asked: list[int] = []

    def ask(self, request: bytes) -> Future[bytes]:
        exploration = pickle.loads(request)[1][0].exploration
        self.asked.append(exploration.executions)
        return self._answer(told(TreeTold(begun=True, finished=exploration.executions == 0), TreeTold(), executions=exploration.executions))


def test_a_batch_that_came_to_the_end_of_a_tree_is_repeated_to_that_end() -> None:
    plan = Plan(exploration=Exploration(trees=(True, False), executions=9))
    true = said("run", (plan,), told(TreeTold(begun=True, finished=True), TreeTold()))
    host = Stops()
    assert Repeating(host, NOBODY, [], 60.0).facts(replace(true, facts="")) == true.facts
    assert host.asked == [2, 0]


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
