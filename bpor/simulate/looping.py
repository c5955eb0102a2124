"""Programs with loops: the smallest ones known on which a search that recognises states is incomplete without one of its rules (errata E31
to E41), and small classics by which such searches are measured. In the notation of automaton.py.
"""

from __future__ import annotations

from bpor.lazy_dataclass import dataclass
from bpor.simulate.automaton import automata
from bpor.simulate.program import Program


@dataclass(frozen=True, slots=True)
class Example:
    erratum: str
    text: str
    preemption: int | None = None
    fair: int | None = None
    says: str = ""  # what the rule that fails here says

    @property
    def program(self) -> Program:
        return automata(self.text)

    def __str__(self) -> str:
        return f"{self.erratum}: {self.text}"


GOOD_SAMARITAN = "a: lock m; R f; unlock m; zero a | lock m; W f 1; unlock m"

EXAMPLES = (
    Example("E31", "W x 1 | W x 1; R x | R y; nonzero L; W x 2; L:", says="known futures race with nothing"),
    Example("E32", "L: R y; zero L | RMW x 1", says="cycles are not expanded"),
    Example(
        "E33",
        "L: W y 1; R x; nonzero M; W y 0; goto L; M: | RMW x 1; R x; INC y | L: R x; R x; nonzero L",
        says="only the head of a cycle is expanded",
    ),
    Example("E34", "R y; W x 2 | R x; INC x", 1, says="who ran last does not matter"),
    Example("E35", "R x | R x | R x; INC x; RMW x 1", 1, says="what was spent does not matter"),
    Example("E36", "R x; R x; RMW x 1 | R x | R x; R x", 1, says="a known future exceeds nothing"),
    Example("E37", "R x | L: W x 1; goto L", 0, says="leaving a thread that comes back alone costs a preemption"),
    Example("E37", "S: R y; zero S; W y 0; L: lock m; R y; unlock m; zero L | R x", 0, says="the same"),
    Example("E38", "L: R y; zero L | RMW x 1", says="threads fall asleep on cycles"),
    Example(
        "E39",
        "L: R x; zero M; yield; goto L; M: lock m; R x; unlock m; nonzero N; yield; goto M; N: "
        "| T: trylock m; zero T; RMW y 1; unlock m; R y; zero Z; W x 2; Z:",
        says="who slept does not matter",
    ),
    Example("E40", GOOD_SAMARITAN, says="a cycle is fair if nobody is enabled all along who never steps"),
    Example(
        "E41",
        "L: CAS x 1 2; nonzero M; yield; goto L; M: | S: R x; nonzero Q; yield; goto S; Q:",
        fair=0,
        says="who yielded how often does not matter",
    ),
)


def _threads(number: int, text: str) -> str:
    """`text` for each thread: # is its number, @ that of the next one."""
    return " | ".join(text.replace("#", str(each)).replace("@", str((each + 1) % number)) for each in range(number))


def _lines(*parts: str, yielding: bool) -> str:
    return "; ".join(part for part in parts if part != "yield" or yielding)


def polite(threads: int, yielding: bool = True) -> str:
    """Philosophers who put their fork back if they cannot have the other."""
    code = _lines("a: lock m#", "trylock m@", "nonzero ok", "unlock m#", "yield", "goto a", "ok: unlock m@", "unlock m#", yielding=yielding)
    return _threads(threads, code)


def flags(yielding: bool = False) -> str:
    code = _lines("a: W f# 1", "R f@", "zero ok", "W f# 0", "yield", "goto a", "ok: RMW x 1", "W f# 0", yielding=yielding)
    return _threads(2, code)


def spinlock(threads: int, yielding: bool = True) -> str:
    return _threads(threads, _lines("a: CAS l 0 1", "nonzero ok", "yield", "goto a", "ok: R x", "INC x", "W l 0", yielding=yielding))


def ticket(threads: int, yielding: bool = True) -> str:
    code = _lines("RMW next 1", "keep", "a: again serv", "same ok", "yield", "goto a", "ok: RMW x 1", "RMW serv 1", yielding=yielding)
    return _threads(threads, code)


def seqlock(readers: int, yielding: bool = False) -> str:
    reader = _lines(
        *("s: R seq", "is 1 re", "keep", "again a", "again b", "again seq", "same ok", "re:", "yield", "goto s", "ok: R a"),
        yielding=yielding,
    )
    return " | ".join(["W seq 1; W a 1; W b 1; W seq 2", *[reader] * readers])


def queue(yielding: bool = True) -> str:
    """One place, two items; who finds it full, or empty, tries again."""

    def side(leave: str, value: int) -> str:
        rounds = (
            _lines(
                *(f"p{k}: lock m", "R n", f"{leave} q{k}", "unlock m", "yield", f"goto p{k}", f"q{k}: W n {value}", "unlock m"),
                yielding=yielding,
            )
            for k in range(2)
        )
        return "; ".join(rounds)

    return f"{side('zero', 1)} | {side('nonzero', 0)}"


def counter(threads: int, rounds: int, clearing: bool = False) -> str:
    clear = "; clear" * clearing
    return _threads(threads, "; ".join([f"lock m; R x; INC x; unlock m{clear}"] * rounds))


def pool(workers: int) -> str:
    worker = (
        "a: lock m; t: R n; nonzero go; R stop; nonzero end; wait c m; goto t; go: RMW n -1; unlock m; RMW done 1; goto a; end: unlock m"
    )
    task = "lock m; RMW n 1; signal c; unlock m"
    return " | ".join([*[worker] * workers, f"{task}; {task}; lock m; W stop 1; broadcast c; unlock m"])


def readers_writers(readers: int, writers: int) -> str:
    """The first reader shuts the gate and the last one opens it: semaphore g, which is 1 at first."""
    reader = "lock q; RMW rc 1; nonzero i; sem_wait g; i: unlock q; R x; lock q; RMW rc -1; is 1 last; goto e; last: post g; e: unlock q"
    return " | ".join([*[reader] * readers, *["sem_wait g; R x; INC x; post g"] * writers])


def peterson(yielding: bool = False) -> str:
    code = _lines(
        *("W f# 1", "W t @", "a: R f@", "zero ok", "R t", "is # ok", "yield", "goto a", "ok: R x", "INC x", "W f# 0"), yielding=yielding
    )
    return _threads(2, code)


def dekker(yielding: bool = False) -> str:
    code = _lines(
        *("W f# 1", "a: R f@", "zero ok", "R t", "is # a2", "W f# 0", "b: R t", "is # c", "yield", "goto b", "c: W f# 1", "goto a", "a2:"),
        *("yield", "goto a", "ok: R x", "INC x", "W t @", "W f# 0"),
        yielding=yielding,
    )
    return _threads(2, code)


def bakery(yielding: bool = False) -> str:
    """Two customers; of equal numbers thread 0 is first."""
    code = _lines(
        *("W ch# 1", "R n@", "INC n#", "W ch# 0", "a: R ch@", "zero b", "yield", "goto a", "b: R n#", "keep", "c: again n@", "zero ok"),
        *("same tie#", "is 1 cmp", "is 2 ok", "cmp:", "yield", "goto c", "tie1:", "yield", "goto c", "tie0: ok: R x", "INC x", "W n# 0"),
        yielding=yielding,
    )
    return _threads(2, code)
