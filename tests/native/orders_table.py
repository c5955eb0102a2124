"""Which memory orders the lock-free classics need: the table of docs/atomics.md, made by `bpor-native mutate --orders`.

    python -m tests.native.orders_table          prints the table; exits 1 if the page says something else

An order is needed if the program fails with every weaker one that was tried, within two preemptions and fair:2.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from bpor.model.orders import NONE
from bpor.mutate.mutants import Fate
from bpor.mutate.orders import Uses, Weakened, try_weaker
from bpor.settings import Settings
from tests.native.compiled import PROGRAMS, ROOT, compiled
from tests.native.test_classics import CLASSICS

PAGE = ROOT / "docs" / "atomics.md"
BOUND = "fair:2,preemption:2"
_SHORT = {"read-modify-write": "rmw", "compare-exchange": "cas"}


def row(name: str) -> str:
    source = PROGRAMS / "correct" / f"{CLASSICS[name][0]}.c"
    argv = [str(compiled(source, instrumented=True))]
    settings = Settings(bound=BOUND, state="none", max_time=300.0)
    found = list(try_weaker(Uses(argv, settings), argv, settings, lambda left: 60.0))
    assert not any(fate is Fate.UNCLEAR for one in found for _, fate, _ in one.tried), [str(one) for one in found]
    needed = sorted((one for one in found if weakest(one) != ("relaxed",) and weakest(one) != (NONE,)), key=_place)
    return f"| {name} | {', '.join(map(_words, needed))} | {len(found) - len(needed)} |"


def weakest(weakened: Weakened) -> tuple[str, ...]:
    """The orders with which it passes, though not with a weaker one: its own if with none."""
    use = weakened.use
    passing = {use.order, *(order for order, fate, _ in weakened.tried if fate is Fate.UNNOTICED)}
    return tuple(sorted(order for order in passing if not passing & _below(weakened, order)))


def _below(weakened: Weakened, order: str) -> set[str]:
    """All that is weaker."""
    below = set(weakened.use.weaker(order))
    return below.union(*(_below(weakened, one) for one in below))


def _place(weakened: Weakened) -> tuple[int, bool, str]:
    return weakened.use.site.line, weakened.use.fails, weakened.use.order


def _words(weakened: Weakened) -> str:
    noun = str(weakened.use).split(f"{weakened.use.order} ")[1].split(" at ")[0]
    for long, short in _SHORT.items():
        noun = noun.replace(long, short)
    return f"{weakened.use.site.line} {noun}: {' or '.join(weakest(weakened))}"


def table() -> Iterator[str]:
    yield "| algorithm | line and needed order | accesses for which relaxed suffices |"
    yield "|---|---|---|"
    yield from map(row, CLASSICS)


def main() -> int:
    made = list(table())
    print("\n".join(made))
    return 0 if "\n".join(made) in PAGE.read_text(encoding="utf-8") else 1


if __name__ == "__main__":
    sys.exit(main())
