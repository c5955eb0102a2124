"""Random programs of atomic accesses with memory orders and fences, in the notation of bpor.simulate.notation.

One grammar for both sources of choice, hypothesis (shrinks) and random.Random (soak). Of programs that are drawn access by access one in
twenty shows something that only weak memory does; of litmus tests that are bent, every second. Now and then an access depends on what was
read before; locks stand beside them in some programs. In a `strong` one most accesses are seq_cst, which must have an order of all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from hypothesis import strategies as st

from bpor.simulate.litmus import LITMUS

Integer = Callable[[int, int], int]

_LOADS = ("rlx", "rlx", "acq", "sc")
_STORES = ("rlx", "rlx", "rel", "sc")
_BOTH = ("rlx", "acq", "rel", "ar", "sc")
_FENCES = ("acq", "rel", "ar", "sc", "sc")
_WEAK, _ANY, _STRONG = range(3)  # which orders are the common ones


def generate(integer: Integer, max_accesses: int = 7, locks: bool = False, strong: bool = False) -> str:
    """Nearly as many accesses as may be, mostly of two variables or three, dealt in turn: else weak memory seldom shows anything."""
    threads = (2, 2, 3, 2, 3, 4)[integer(0, 5)]
    variables = ("x", "y", "z")[: (2, 2, 3, 1)[integer(0, 3)]]
    taste = _STRONG if strong else (_WEAK, _WEAK, _ANY)[integer(0, 2)]
    bodies: list[list[str]] = [[] for _ in range(threads)]
    for number in range(integer(max(threads, max_accesses - 2), max(threads, max_accesses))):
        thread = number % threads if integer(0, 3) else integer(0, threads - 1)
        bodies[thread].append(_operation(integer, variables, taste))
    if locks:
        for body in bodies:
            if body and integer(0, 1):
                begin = integer(0, len(body) - 1)
                body.insert(begin, "lock")
                body.insert(integer(begin + 1, len(body)), "unlock")
    return " | ".join("; ".join(body) for body in bodies if body) or "R x.rlx"


def _operation(integer: Integer, variables: tuple[str, ...], taste: int) -> str:
    def one_of(choices: tuple[str, ...]) -> str:
        if taste != _ANY and integer(0, 3):
            return choices[0 if taste == _WEAK else -1]
        return choices[integer(0, len(choices) - 1)]

    variable = variables[integer(0, len(variables) - 1)]
    value = integer(1, 2)
    kind = integer(0, 11)
    if kind <= 3:
        text = f"R {variable}.{one_of(_LOADS)}"
    elif kind <= 7:
        text = f"W {variable}.{one_of(_STORES)} {value}"
    elif kind == 8:
        text = f"RMW {variable}.{one_of(_BOTH)}"
    elif kind == 9:
        text = f"CAS {variable}.{one_of(_BOTH)}.{one_of(('rlx', 'acq', 'sc'))} {integer(0, 1)} {value}"
    elif kind == 10:
        text = f"SWAP {variable}.{one_of(_BOTH)} {value}"
    else:
        return f"fence.{_FENCES[integer(0, len(_FENCES) - 1)]}"
    return ("if " if integer(0, 5) == 0 else "") + text


def bend(integer: Integer, locks: bool = False) -> str:
    """A litmus test with other orders here and there, and one or two operations more."""
    litmus = LITMUS[integer(0, len(LITMUS) - 1)]
    bodies = [[_reordered(integer, operation.strip()) for operation in body.split(";")] for body in litmus.text.split("|")]
    variables = tuple(sorted(set(_NAMES.findall(litmus.text)))) or ("x",)
    for _ in range(integer(0, 2)):
        body = bodies[integer(0, len(bodies) - 1)]
        body.insert(integer(0, len(body)), _operation(integer, variables, _ANY))
    if locks and "lock" not in litmus.text:
        for body in bodies:
            begin = integer(0, len(body))
            body.insert(begin, "lock")
            body.insert(integer(begin + 1, len(body)), "unlock")
    return " | ".join("; ".join(body) for body in bodies)


_NAMES = re.compile(r"(?:RMW|CAS|SWAP|R|W)([a-z])(?=[. ;|]|$)")
_ACCESS = re.compile(r"^(if )?(RMW|CAS|SWAP|R|W)([a-z])((?:\.\w+)*)")


def _reordered(integer: Integer, operation: str) -> str:
    found = _ACCESS.match(operation)
    if found is None or integer(0, 2):
        return operation
    choices = {"R": _LOADS, "W": _STORES}.get(found[2], _BOTH)
    orders = "." + choices[integer(0, len(choices) - 1)] + (".rlx" if found[2] == "CAS" else "")
    return f"{found[1] or ''}{found[2]}{found[3]}{orders}{operation[found.end() :]}"


def wait(integer: Integer) -> str:
    """A thread waits in a loop for what another stores, and then looks at what else that did; now and then a third comes in between."""

    def one_of(*choices: str) -> str:
        return choices[integer(0, len(choices) - 1)]

    stores = f"{one_of('', 'R z.rlx; ')}W x.{one_of('rlx', 'rel')} 1; {one_of('', 'fence.rel; ', 'fence; ')}"
    tells = one_of("W y.rlx 1", "W y.rel 1", "W y.sc 1", "RMW y.rlx", "RMW y.ar; W x.rlx 2")
    waits = f"{one_of('', 'W z.rlx 1; ')}until R y.{one_of('rlx', 'acq', 'sc')}; {one_of('', 'fence.acq; ', 'fence; ')}"
    looks = one_of("R x.rlx", "R x.acq", "W x.rlx 3; R x.rlx", "RMW x.rlx")
    third = one_of("", " | " + _operation(integer, ("x", "y"), _ANY).removeprefix("if "))
    return f"{stores}{tells} | {waits}{looks}{third}"


@st.composite
def waiting(draw: st.DrawFn) -> str:
    return wait(lambda low, high: draw(st.integers(low, high)))


@st.composite
def bent(draw: st.DrawFn, locks: bool = False) -> str:
    return bend(lambda low, high: draw(st.integers(low, high)), locks)


@st.composite
def atomics(draw: st.DrawFn, max_accesses: int = 6, locks: bool = False) -> str:
    return generate(lambda low, high: draw(st.integers(low, high)), max_accesses, locks)
