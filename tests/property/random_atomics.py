"""Random programs of atomic accesses with memory orders and fences, in the notation of bpor.simulate.notation.

One grammar for both sources of choice, hypothesis (shrinks) and random.Random (soak). Now and then an access depends on what was read
before; locks stand beside them in some programs. In a `strong` one most accesses are seq_cst, which must have an order of all of them.
"""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

Integer = Callable[[int, int], int]

_LOADS = ("rlx", "rlx", "acq", "sc")
_STORES = ("rlx", "rlx", "rel", "sc")
_BOTH = ("rlx", "acq", "rel", "ar", "sc")
_FENCES = ("acq", "rel", "ar", "sc", "sc")


def generate(integer: Integer, max_accesses: int = 7, locks: bool = False, strong: bool = False) -> str:
    threads = (2, 2, 3, 2, 3, 4)[integer(0, 5)]
    variables = ("x", "y", "z")[: integer(1, 3)]
    bodies: list[list[str]] = [[] for _ in range(threads)]
    for _ in range(integer(threads, max_accesses)):
        body = bodies[integer(0, threads - 1)]
        body.append(_operation(integer, variables, strong))
    if locks:
        for body in bodies:
            if body and integer(0, 1):
                begin = integer(0, len(body) - 1)
                body.insert(begin, "lock")
                body.insert(integer(begin + 1, len(body)), "unlock")
    return " | ".join("; ".join(body) for body in bodies if body) or "R x.rlx"


def _operation(integer: Integer, variables: tuple[str, ...], strong: bool) -> str:
    def one_of(choices: tuple[str, ...]) -> str:
        return choices[-1 if strong and integer(0, 3) else integer(0, len(choices) - 1)]

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
        return f"fence.{one_of(_FENCES)}"
    return ("if " if integer(0, 5) == 0 else "") + text


@st.composite
def atomics(draw: st.DrawFn, max_accesses: int = 6, locks: bool = False) -> str:
    return generate(lambda low, high: draw(st.integers(low, high)), max_accesses, locks)
