"""Every counterexample of the errata is searched completely: at its own bound with all combinations of options, and at other bounds."""

from __future__ import annotations

from itertools import product

import pytest

from bpor.search.options import SearchOptions
from bpor.simulate.bounds import BesideFair, Combined, OracleBound, OracleContext, OracleDelta, OracleDepth, Unbounded
from bpor.simulate.errata import COUNTEREXAMPLES, Counterexample
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle
from bpor.simulate.program import Semantics
from tests.property.trial import judge

OPTIONS = [SearchOptions(sleep, transitive, bound, release) for sleep, transitive, bound, release in product((True, False), repeat=4)]


def text_of(bound: OracleBound) -> str:
    if isinstance(bound, BesideFair):
        return f"fair:{bound.fair},{text_of(bound.other)}"
    if isinstance(bound, OracleContext | OracleDelta | OracleDepth):
        return f"{type(bound).__name__.removeprefix('Oracle').lower()}:{bound.limit}"
    assert isinstance(bound, Combined)
    terms = (("fair", bound.fair), ("preemption", bound.preemption))
    return ",".join(f"{kind}:{value}" for kind, value in terms if value is not None) or "none"


OTHERS = ("fair:1", "fair:1,preemption:1", "fair:0,preemption:0", "context:2", "delta:1", "fair:1,context:2", "fair:1,delta:1")


def bounds_of(example: Counterexample) -> list[str]:
    """Its own bound, and the others that end on every counterexample."""
    own = text_of(example.bound) if not isinstance(example.bound, Unbounded) else "none"
    return [own] + [other for other in OTHERS if other != own]


@pytest.mark.parametrize("example", COUNTEREXAMPLES, ids=str)
def test_a_counterexample_is_searched_completely(example: Counterexample) -> None:
    endless = "until" in example.text
    for bound in bounds_of(example):
        if endless and "fair" not in bound:
            continue
        oracle = Oracle(example.program, example.semantics)
        for options in OPTIONS if bound == bounds_of(example)[0] else (OPTIONS[0], OPTIONS[-1]):
            verdict = judge(oracle, bound, options)
            assert verdict.good, (bound, options, verdict)


# Found by our own fuzzing, beyond the published list.
FOUND_HERE = {
    "a thread created by one that has yielded blocks others under a fair bound": (
        "Wx; yield; sleep; spawn 3 |  | yield; sleep; Rx | yield; trylock m; if Wx",
        "fair:0,preemption:1",
    ),
    "a join that a thread's end enables blocks others under a fair bound": (
        "post; yield; sleep; sem_trywait; if W x | yield; sem_trywait; spawn 2; join 2 | if W x; post",
        "fair:1,preemption:1",
    ),
    "a wait that is misuse releases nothing": ("| lock m; unlock m; wait c m | lock m; signal; unlock m", "none"),
    "a timeout at the depth bound is beyond it": (
        "2*yield; timedwrlock | timedrdlock; trywrlock; if wrunlock; trywrlock; if wrunlock",
        "depth:5",
    ),
}


@pytest.mark.parametrize("what", FOUND_HERE)
def test_what_fuzzing_found_stays_found(what: str) -> None:
    text, bound = FOUND_HERE[what]
    for options in OPTIONS:
        verdict = judge(Oracle(parse(text, s=1), Semantics()), bound, options)
        assert verdict.good, (options, verdict)
