"""The smallest programs known on which a published or obvious rule is incomplete, with the bound at which it is.

Each must be complete under our rules; the numbers E1 to E30, E48 to E50 and E60 on are those of the list of errata in the documentation.
"""

from __future__ import annotations

from bpor.lazy_dataclass import dataclass, field
from bpor.simulate.bounds import BesideFair, Combined, OracleBound, OracleContext, OracleDelta, OracleDepth, Unbounded
from bpor.simulate.notation import parse
from bpor.simulate.program import DEFAULT, Program, Semantics


@dataclass(frozen=True, slots=True)
class Counterexample:
    erratum: str
    text: str
    bound: OracleBound = field(default_factory=Unbounded)
    semantics: Semantics = DEFAULT
    says: str = ""  # what the rule that fails here says

    @property
    def program(self) -> Program:
        return parse(self.text)

    def __str__(self) -> str:
        return f"{self.erratum}: {self.text}"


def _at(preemption: int | None = None, fair: int | None = None) -> OracleBound:
    return Combined(preemption, fair)


_TWO_TIMEOUTS = "lock a; timedwait(c1, a); Wx | lock b; timedwait(c2, b); Wx"
_IDLE_SWITCH = "lock a; unlock a | lock a; timedwait(c, a) | lock b; timedwait(c, b)"

COUNTEREXAMPLES = (
    Counterexample("E1", "Wa; Wx | Wx", _at(0), says="no backtrack point at the initial state"),
    Counterexample("E3", "Wa; Wx | Wx", _at(0), says="conservative points do not sleep"),
    Counterexample("E4", "Ra; Rx | Rx | Wx; Wx", _at(1), says="no siblings asleep at a conservative point"),
    Counterexample("E4", "Wx; lock; unlock; Rx; lock | Wx; lock", _at(1), says="no siblings asleep at a conservative point"),
    Counterexample("E4", "lock; Rx | Wx", _at(0), says="a sleeper watches its next operation only"),
    Counterexample("E5", "Wx | Rx; Wy | Rx; Ry", says="a backtrack point that sleeps is skipped"),
    Counterexample("E6", "lock; unlock | Wx; lock", says="transitive reduction tested on the acquire"),
    Counterexample("E7", "Wx; lock; unlock; Wx | Rx; Wx; lock; Rx", _at(2), says="release optimisation under a preemption bound"),
    Counterexample("E8", "Wx; yield; Rx | Ry | Rx; yield; yield; Wx", _at(fair=1), says="a fair-blocked thread is added alone"),
    Counterexample("E10", "sem_wait; Wx | yield; Rx | yield; post", _at(fair=0), says="a release sleeps"),
    Counterexample("E10", "lock; yield; unlock | Wx; lock; Wx | yield; yield; Wx", _at(fair=1), says="a useless release sleeps"),
    Counterexample("E11", "until Rx | 2*yield; Wx", _at(fair=1), says="fair cost with the sign reversed"),
    Counterexample("E12", "RMWx | Wy; Rx | Rx", says="source set initials on pending operations"),
    Counterexample("E13", "yield; Wx; Wx | yield; Wx", _at(1, 0), says="(a) switches after yields cost"),
    Counterexample("E13", "Rx; yield; Rx | post", _at(0, 0), says="(b) leaving a fair-blocked thread costs"),
    Counterexample("E13", "Wx; lock; yield; unlock; Wx | Rx", _at(0), says="(d) blocks are not cut at yields"),
    Counterexample("E14", "Rx; if Wx | RMWx; Rx", says="local context is not stable"),
    Counterexample("E14", "RMWx; Ry | Wx | Wy", OracleContext(1), says="local context is the context bound"),
    Counterexample("E15", "lock; Wx | Wx", OracleContext(1), says="plain sleep sets under a context bound"),
    Counterexample("E16", "Wx | Rx; Ry", OracleDepth(2), says="dynamic partial-order reduction under a depth bound"),
    Counterexample("E18", "Ry; RMWx | Rx; Rx", _at(1), says="fall back only where the point exceeds the bound"),
    Counterexample("E19", "Wx | Rx", _at(0), says="no backtrack point once the preemptions are spent"),
    Counterexample("E20", "Wx; Wy | Wx; Ry | Ry | Wy; Rx; if Wy", _at(0), says="pruned on the least number of preemptions, without slack"),
    Counterexample("E21", "exit | post", _at(0), says="the end of the process has no footprint"),
    Counterexample("E21", "Rx; assert | Wx | Ry", _at(0), says="a failed assertion has the footprint of its step"),
    Counterexample("E21", "leave | Wx | Wy", says="the ends of threads have no footprint, although the last one ends the process"),
    Counterexample("E22", _TWO_TIMEOUTS, _at(0), says="a timeout only when nothing else can run"),
    Counterexample("E22", _TWO_TIMEOUTS, says="a timeout only when nothing else can run"),
    Counterexample("E22", _IDLE_SWITCH, _at(0), says="the switch at an idle state costs"),
    Counterexample("E23", "rdlock; rdunlock | trywrlock", says="a failed trywrlock is a read"),
    Counterexample("E23", "trywrlock | Wx | rdlock; Rx; rdunlock", says="a failed trywrlock is a read"),
    Counterexample("E25", "5*yield; Wd | Rd", _at(fair=2), says="all schedules, although the fair bound refused some"),
    Counterexample("E26", "Rx | Wx; lock; Wx; unlock | Wx; Wx", _at(1), says="siblings sleep in any order of exploration"),
    Counterexample(
        "E27",
        "lock; timedwait; unlock | lock; signal; unlock",
        _at(0),
        Semantics(explore_timeouts=True),
        says="leaving a timed wait costs a preemption",
    ),
    Counterexample("E28", "yield; Wx | join 2; Wx | Wx; yield; yield", _at(fair=0), says="the end of a thread enables nobody who matters"),
    Counterexample("E28", "join 2; Rx | Rx; yield; Wx | yield; yield", _at(fair=0), says="the end of a thread sleeps"),
    Counterexample("E48", "sem_timedwait | 2*yield; post | 2*yield", _at(fair=1), says="a timeout depends on what it waited for only"),
    Counterexample(
        "E48",
        "yield; Wx | lock; timedwait | pause; yield; signal",
        _at(fair=1),
        says="a timeout depends on the step before it only, if that made the state idle",
    ),
    Counterexample("E48", "2*yield; Wx | lock; timedwait | pause; yield; signal", _at(fair=1), says="yields sleep beside a timed wait"),
    Counterexample(
        "E48",
        "yield; Wy; sem_wait | lock; timedwait; post | pause; yield; signal",
        _at(fair=1),
        says="a step sleeps beside a timed wait after which its thread is blocked",
    ),
    Counterexample(
        "E28",
        "yield; rdlock; rdunlock | until Rx | join 0; Wx",
        _at(0, 1),
        says="an end that enables a joiner has no conservative points",
    ),
    Counterexample(
        "E50",
        "yield; sem_timedwait; pause; Wx | lock m; timedwait(d, m); Wx | lock m; timedwait(d, m); yield; timedwait(c, m)",
        _at(fair=0),
        says="a step after which the state is idle keeps nobody from running",
    ),
    Counterexample("E49", "lock a; wait(c, a) | lock b; wait(c, b); unlock b | signal c", says="release optimisation from another mutex"),
    Counterexample("E60", "yield; join 1 | spawn 2 | ", OracleContext(1), says="a sleeper watches its block, not what it then waits for"),
    Counterexample(
        "E60", "join 2 | yield; sleep | yield", BesideFair(0, OracleContext(2)), says="an access wakes whoever waits for a join"
    ),
    Counterexample("E62", "timedwrlock | Wy; timedrdlock | timedwrlock", OracleDelta(2), says="threads sleep beside a timed wait"),
    Counterexample("E65", "spawn 2; Wx | Wx | Rx", OracleDelta(1), says="a release sleeps under a delta bound"),
    Counterexample("E66", "Rx | lock n | Wx; Wx", OracleDelta(2), says="a thread sleeps beside those before it in the rotation"),
    Counterexample(
        "E67", "pause; sleep; Rx | yield; Wx | Rx", BesideFair(1, OracleDelta(1)), says="only releases change who is passed over"
    ),
    Counterexample("E68", "join 2 | Wx | pause", OracleContext(1), says="no conservative points where a context switch is forced"),
    Counterexample("E68", "lock m | Rx | lock m; Wx", OracleDelta(2), says="no conservative points for those who are passed over"),
    Counterexample(
        "E69",
        "Wx; join 2; leave | 2*yield | Rx; yield",
        _at(fair=1),
        says="an end that comes before the join keeps nobody waiting",
    ),
    Counterexample("E30", "3*yield; spawn 1; spawn 2; Rx | Wx | Wx", _at(fair=2), says="a new thread has never yielded"),
)
