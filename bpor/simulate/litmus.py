"""Litmus tests: small programs with an outcome that only weak memory shows, and the models that show it.

`reads` has for every thread what its reads (loads, read-modify-writes, compare-exchanges) must give, None where it does not matter;
`memory` the final values. A thread whose reads end early does not show the outcome. `executions`: complete ones, unbounded, under sc, tso
and c11, where they are known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bpor.lazy_dataclass import dataclass, field
from bpor.simulate.notation import parse
from bpor.simulate.program import Program

SC, TSO, C11 = "sc", "tso", "c11"
X86 = (TSO, C11)
ONLY_C11 = (C11,)
NEVER: tuple[str, ...] = ()
Reads = tuple[Sequence[int | None], ...]


@dataclass(frozen=True, slots=True)
class Litmus:
    name: str
    text: str
    reads: Reads
    shown: tuple[str, ...]
    memory: Mapping[str, int] = field(default_factory=dict)
    executions: tuple[int, int, int] | None = None
    placed: bool = False  # c11 shows it only where stores may be placed before newer ones

    @property
    def program(self) -> Program:
        return parse(self.text)


def _sb(first: str, second: str, name: str, shown: tuple[str, ...], executions: tuple[int, int, int] | None = None) -> Litmus:
    return Litmus(name, f"{first} | {second}", ((0,), (0,)), shown, executions=executions)


def _mp(name: str, writer: str, reader: str, shown: tuple[str, ...], executions: tuple[int, int, int] | None = None) -> Litmus:
    return Litmus(name, f"{writer} | {reader}", ((), (1, 0)), shown, executions=executions)


_STORE_BUFFERING = (
    _sb("Wx.rlx 1; Ry.rlx", "Wy.rlx 1; Rx.rlx", "SB rlx", X86, (3, 5, 5)),
    _sb("Wx.rel 1; Ry.acq", "Wy.rel 1; Rx.acq", "SB rel-acq", X86),
    _sb("Wx 1; Ry", "Wy 1; Rx", "SB sc", NEVER),
    _sb("Wx.rel 1; Ry", "Wy 1; Rx", "SB 3sc+rel", X86, (3, 4, 5)),
    _sb("Wx 1; Ry.acq", "Wy 1; Rx", "SB 3sc+acq", ONLY_C11),
    _sb("Wx.rlx 1; fence; Ry.rlx", "Wy.rlx 1; fence; Rx.rlx", "SB sc fences", NEVER),
    _sb("Wx.rlx 1; fence; Ry.rlx", "Wy.rlx 1; Rx.rlx", "SB one sc fence", X86, (3, 4, 5)),
    _sb("Wx.rlx 1; fence.ar; Ry.rlx", "Wy.rlx 1; fence.ar; Rx.rlx", "SB acq_rel fences", X86),
    _sb("Wx.rlx 1; fence; Ry.rlx", "Wy 1; Rx", "SB sc fence + sc", NEVER),
    Litmus("SB rmw acq_rel", "RMWx.ar; Ry.acq | RMWy.ar; Rx.acq", ((0, 0), (0, 0)), ONLY_C11),
    Litmus("SB+rfis", "Wx.rlx 1; Rx.rlx; Ry.rlx | Wy.rlx 1; Ry.rlx; Rx.rlx", ((1, 0), (1, 0)), X86),
    Litmus(
        *("SB ring of 3", "Wx.rlx 1; Ry.rlx | Wy.rlx 1; Rz.rlx | Wz.rlx 1; Rx.rlx", ((0,), (0,), (0,)), X86),
        executions=(7, 10, 10),
    ),
)

_MESSAGE_PASSING = (
    _mp("MP rlx,rlx", "Wx.rlx 1; Wy.rlx 1", "Ry.rlx; Rx.rlx", ONLY_C11, (3, 3, 4)),
    _mp("MP rlx,acq", "Wx.rlx 1; Wy.rlx 1", "Ry.acq; Rx.rlx", ONLY_C11),
    _mp("MP rlx,sc", "Wx.rlx 1; Wy.rlx 1", "Ry.sc; Rx.rlx", ONLY_C11),
    _mp("MP rel,rlx", "Wx.rlx 1; Wy.rel 1", "Ry.rlx; Rx.rlx", ONLY_C11),
    _mp("MP sc,rlx", "Wx.rlx 1; Wy.sc 1", "Ry.rlx; Rx.rlx", ONLY_C11),
    _mp("MP rel,acq", "Wx.rlx 1; Wy.rel 1", "Ry.acq; Rx.rlx", NEVER),
    _mp("MP rel,sc", "Wx.rlx 1; Wy.rel 1", "Ry.sc; Rx.rlx", NEVER),
    _mp("MP sc,acq", "Wx.rlx 1; Wy.sc 1", "Ry.acq; Rx.rlx", NEVER),
    _mp("MP sc,sc", "Wx.rlx 1; Wy.sc 1", "Ry.sc; Rx.rlx", NEVER),
    _mp("MP fence-fence", "Wx.rlx 1; fence.rel; Wy.rlx 1", "Ry.rlx; fence.acq; Rx.rlx", NEVER),
    _mp("MP fence-acq", "Wx.rlx 1; fence.rel; Wy.rlx 1", "Ry.acq; Rx.rlx", NEVER),
    _mp("MP rel-fence", "Wx.rlx 1; Wy.rel 1", "Ry.rlx; fence.acq; Rx.rlx", NEVER),
    _mp("MP release fence alone", "Wx.rlx 1; fence.rel; Wy.rlx 1", "Ry.rlx; Rx.rlx", ONLY_C11),
    _mp("MP sc fence in the writer alone", "Wx.rlx 1; fence; Wy.rlx 1", "Ry.rlx; Rx.rlx", ONLY_C11),
    _mp("MP rmw acq", "Wx.rlx 1; Wy.rel 1", "RMWy.acq; Rx.rlx", NEVER),
    _mp("MP failed cas rlx", "Wx.rlx 1; Wy.rel 1", "CASy.acq.rlx 7 8; Rx.rlx", ONLY_C11),
    _mp("MP failed cas acq", "Wx.rlx 1; Wy.rel 1", "CASy.acq.acq 7 8; Rx.rlx", NEVER),
    _mp("CAS fails on an old value", "Wx.rlx 1; Wy.rlx 1", "Ry.rlx; CASx.rlx.rlx 7 8", ONLY_C11),
    Litmus("MP through an rmw", "Wx.rlx 1; Wy.rel 1 | RMWy.rlx | Ry.acq; Rx.rlx", ((), (None,), (2, 0)), NEVER),
    Litmus("MP behind a later store", "Wx.rlx 1; Wy.rel 1; Wy.rlx 2 | Ry.acq; Rx.rlx", ((), (2, 0)), ONLY_C11),
    Litmus("MP behind another's store", "Wx.rlx 1; Wy.rel 1 | Wy.rlx 2 | Ry.acq; Rx.rlx", ((), (), (2, 0)), ONLY_C11, {"y": 2}),
    Litmus("RCU publish rlx", "Wx.rlx 1; Wy.rlx 1 | Ry.rlx; if Rx.rlx", ((), (1, 0)), ONLY_C11, executions=(2, 2, 3)),
    Litmus("RCU publish rel, rlx load", "Wx.rlx 1; Wy.rel 1 | Ry.rlx; if Rx.rlx", ((), (1, 0)), ONLY_C11, executions=(2, 2, 3)),
    Litmus("RCU publish rel-acq", "Wx.rlx 1; Wy.rel 1 | Ry.acq; if Rx.rlx", ((), (1, 0)), NEVER),
)

_TWO_LOCATIONS = (
    Litmus("LB rlx", "Rx.rlx; Wy.rlx 1 | Ry.rlx; Wx.rlx 1", ((1,), (1,)), NEVER),
    Litmus("S rlx", "Wx.rlx 2; Wy.rlx 1 | Ry.rlx; Wx.rlx 1", ((), (1,)), ONLY_C11, {"x": 2}, (3, 3, 4), placed=True),
    Litmus("S rel-acq", "Wx.rlx 2; Wy.rel 1 | Ry.acq; Wx.rlx 1", ((), (1,)), NEVER, {"x": 2}),
    Litmus("R rlx", "Wx.rlx 1; Wy.rlx 1 | Wy.rlx 2; Rx.rlx", ((), (0,)), X86, {"y": 2}, (3, 4, 5)),
    Litmus("R sc", "Wx 1; Wy 1 | Wy 2; Rx", ((), (0,)), NEVER, {"y": 2}),
    Litmus("R sc fences", "Wx.rlx 1; fence; Wy.rlx 1 | Wy.rlx 2; fence; Rx.rlx", ((), (0,)), NEVER, {"y": 2}),
    Litmus("R fence in the reader", "Wx.rel 1; Wy.rel 1 | Wy.rlx 2; fence; Rx.rlx", ((), (0,)), ONLY_C11, {"y": 2}),
    Litmus("2+2W rlx", "Wx.rlx 1; Wy.rlx 2 | Wy.rlx 1; Wx.rlx 2", ((), ()), ONLY_C11, {"x": 1, "y": 1}, (3, 3, 5), placed=True),
    Litmus("2+2W rel", "Wx.rel 1; Wy.rel 2 | Wy.rel 1; Wx.rel 2", ((), ()), ONLY_C11, {"x": 1, "y": 1}, (3, 3, 5), placed=True),
    Litmus("2+2W 3sc+rel", "Wx.rel 1; Wy 2 | Wy 1; Wx 2", ((), ()), ONLY_C11, {"x": 1, "y": 1}, placed=True),
    Litmus("2+2W sc", "Wx 1; Wy 2 | Wy 1; Wx 2", ((), ()), NEVER, {"x": 1, "y": 1}),
    Litmus("2+2W sc fences", "Wx.rlx 1; fence; Wy.rlx 2 | Wy.rlx 1; fence; Wx.rlx 2", ((), ()), NEVER, {"x": 1, "y": 1}),
    Litmus("rmw of an old value", "Wx.rlx 1; Wy.rlx 1 | Ry.rlx; RMWx.rlx", ((), (1, 0)), ONLY_C11, placed=True),
)

_MORE_THREADS = (
    Litmus("WRC rlx", "Wx.rlx 1 | Rx.rlx; Wy.rlx 1 | Ry.rlx; Rx.rlx", ((), (1,), (1, 0)), ONLY_C11, executions=(7, 7, 8)),
    Litmus("WRC rel-acq", "Wx.rlx 1 | Rx.rlx; Wy.rel 1 | Ry.acq; Rx.rlx", ((), (1,), (1, 0)), NEVER),
    Litmus("ISA2 rlx", "Wx.rlx 1; Wy.rlx 1 | Ry.rlx; Wz.rlx 1 | Rz.rlx; Rx.rlx", ((), (1,), (1, 0)), ONLY_C11),
    Litmus("ISA2 rel-acq", "Wx.rlx 1; Wy.rel 1 | Ry.acq; Wz.rel 1 | Rz.acq; Rx.rlx", ((), (1,), (1, 0)), NEVER),
    Litmus("IRIW rlx", "Wx.rlx 1 | Wy.rlx 1 | Rx.rlx; Ry.rlx | Ry.rlx; Rx.rlx", ((), (), (1, 0), (1, 0)), ONLY_C11),
    Litmus("IRIW acq", "Wx.rel 1 | Wy.rel 1 | Rx.acq; Ry.acq | Ry.acq; Rx.acq", ((), (), (1, 0), (1, 0)), ONLY_C11),
    Litmus("IRIW sc", "Wx 1 | Wy 1 | Rx; Ry | Ry; Rx", ((), (), (1, 0), (1, 0)), NEVER),
    Litmus(*("IRIW acq-sc", "Wx 1 | Wy 1 | Rx.acq; Ry | Ry.acq; Rx", ((), (), (1, 0), (1, 0)), ONLY_C11), executions=(15, 15, 17)),
    Litmus("IRIW sc fences", "Wx.rlx 1 | Wy.rlx 1 | Rx.rlx; fence; Ry.rlx | Ry.rlx; fence; Rx.rlx", ((), (), (1, 0), (1, 0)), NEVER),
    Litmus("RWC rlx", "Wx.rlx 1 | Rx.rlx; Ry.rlx | Wy.rlx 1; Rx.rlx", ((), (1, 0), (0,)), X86, executions=(7, 8, 9)),
    Litmus("RWC sc fences", "Wx.rlx 1 | Rx.rlx; fence; Ry.rlx | Wy.rlx 1; fence; Rx.rlx", ((), (1, 0), (0,)), NEVER),
    Litmus("RWC acq+sc", "Wx.rel 1 | Rx.acq; Ry | Wy 1; Rx", ((), (1, 0), (0,)), ONLY_C11),
    Litmus("W+RWC sc fences", "Wx.rlx 1; Wz.rel 1 | Rz.acq; fence; Ry.rlx | Wy.rlx 1; fence; Rx.rlx", ((), (1, 0), (0,)), NEVER),
    Litmus("W+RWC rel-acq+sc", "Wx.rel 1; Wz.rel 1 | Rz.acq; Ry | Wy 1; Rx", ((), (1, 0), (0,)), ONLY_C11),
    Litmus("Z6 rlx", "Wx.rlx 1; Wy.rlx 1 | Wy.rlx 2; Wz.rlx 1 | Rz.rlx; Rx.rlx", ((), (), (1, 0)), ONLY_C11, {"y": 2}, (7, 7, 9)),
    Litmus("Z6 rel-acq", "Wx.rlx 1; Wy.rel 1 | Wy.rel 2; Wz.rel 1 | Rz.acq; Rx.rlx", ((), (), (1, 0)), ONLY_C11, {"y": 2}, (7, 7, 9)),
    Litmus("Z6.U", "Wx 1; Wy.rel 1 | RMWy; Rz | Wz 1; Rx", ((), (1, 0), (0,)), NEVER),
    Litmus(
        *("fence; through rlx; fence", "Wx.rlx 1; fence; Wy.rlx 1 | Ry.rlx; Wz.rlx 1 | Rz.rlx; fence; Rx.rlx"),
        *(((), (1,), (1, 0)), ONLY_C11),
        executions=(7, 7, 8),
    ),
)

_SEQLOCK_WRITER = "Wx.rlx 1; {} Wy.rlx 1; Wz.rlx 1; Wx.rel 2"
_SEQLOCK_READER = "Rx.acq; Ry.rlx; Rz.rlx; {} Rx.rlx"
_TORN: Reads = ((), (0, 1, 0, 0))


def _seqlock(name: str, writing: str, reading: str, shown: tuple[str, ...]) -> Litmus:
    text = _SEQLOCK_WRITER.format(writing) + " | " + _SEQLOCK_READER.format(reading)
    # Of 21 graphs one is run twice: a sleeper is watched for all its alternatives at once.
    return Litmus(name, text, _TORN, shown, executions=(18, 18, 22 if shown else 18))


def _chase_lev(name: str, taking: str, stealing: str, shown: tuple[str, ...]) -> Litmus:
    """Two elements: x is 1 while there are both; the owner takes the second if y, where thieves are, is 0. Taken, and stolen too."""
    steal = f"Ry.acq; {stealing} Rx.acq; if CASy.sc.rlx {{}} {{}}"
    text = f"Wx.rel 1; Wx.rlx 0; {taking} Ry.rlx | {steal.format(0, 1)}; {steal.format(1, 2)}"
    return Litmus(name, text, ((0,), (0, 1, 0, 1, 1, 1)), shown)


_STRUCTURES = (
    _chase_lev("Chase-Lev", "fence;", "fence;", NEVER),
    _chase_lev("Chase-Lev without the fence in take", "", "fence;", X86),
    _chase_lev("Chase-Lev without the fence in steal", "fence;", "", ONLY_C11),
    _seqlock("seqlock", "fence.rel;", "fence.acq;", NEVER),
    _seqlock("seqlock without its acquire fence", "fence.rel;", "", ONLY_C11),
    _seqlock("seqlock without its release fence", "", "fence.acq;", ONLY_C11),
)

_SEQ_CST = (
    Litmus(
        "fences that know each other by their clocks",
        "Wx.rlx 1; Wq.rlx 1; fence; Wz.rlx 1; Ry.rlx | Wy.rlx 1; Wz.rlx 2; fence; Wq.rlx 2; Rx.rlx",
        *(((0,), (0,)), NEVER),
    ),
    Litmus("sb;hb;sb at one location", "Wx 1; Ry | Ry.acq; Rx | Wy 1; Wy 2", ((0,), (2, 0), ()), NEVER),
    Litmus("sb;hb;sb through a lock", "lock; Wz.rlx 1; Wx 1; unlock | lock; Rz.rlx; unlock; Ry | Wy 1; Rx", ((), (1, 0), (0,)), NEVER),
    Litmus("fence that releases by a relaxed store", "Wx.rlx 1; fence; Wy.rlx 1 | Ry.acq; Rz.rlx | Wz 1; Rx", ((), (1, 0), (0,)), NEVER),
    Litmus("fence that acquires by itself", "Wx 1; fence.rel; Wy.rlx 1 | Ry.rlx; fence; Rz.rlx | Wz 1; Rx", ((), (1, 0), (0,)), NEVER),
    Litmus("failed cas is a fence", "Wx.rlx 1; CASx.rlx.rlx 7 8; Ry.rlx | SWAPy.rlx 1; Rx.rlx", ((1, 0), (0, 0)), ONLY_C11),
)

_COHERENCE = (
    Litmus("CoRR", "Wx.rlx 1; Wx.rlx 2 | Rx.rlx; Rx.rlx", ((), (2, 1)), NEVER),
    Litmus("CoRR of the initial value", "Wx.rlx 1 | Rx.rlx; Rx.rlx", ((), (1, 0)), NEVER),
    Litmus("CoWR", "Wx.rlx 1; Rx.rlx | Wx.rlx 2", ((0,), ()), NEVER),
    Litmus("CoWW", "Wx.rlx 1; Wx.rlx 2", ((),), NEVER, {"x": 1}),
    Litmus("CoRW", "Rx.rlx; Wx.rlx 1 | Wx.rlx 2", ((1,), ()), NEVER),
    Litmus("CoRW of another's", "Rx.rlx; Wx.rlx 1 | Wx.rlx 2", ((2,), ()), NEVER, {"x": 2}),
    Litmus("CoRR by two readers", "Wx.rlx 1 | Wx.rlx 2 | Rx.rlx; Rx.rlx | Rx.rlx; Rx.rlx", ((), (), (1, 2), (2, 1)), NEVER),
    Litmus("rmw atomicity", "RMWx.rlx | RMWx.rlx", ((0,), (0,)), NEVER),
)

LITMUS = (*_STORE_BUFFERING, *_MESSAGE_PASSING, *_TWO_LOCATIONS, *_MORE_THREADS, *_STRUCTURES, *_SEQ_CST, *_COHERENCE)
