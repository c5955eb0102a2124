"""Weakens memory orders one at a time: which of them are needed, and which are not covered by any test?

The program is not compiled again: the runtime takes another order at the call site (Settings.with_order). An order that turned out not to
be missed is made weaker still, until it is, or until there is nothing weaker. Each is tried alone: two that could go one at a time may be
needed by each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from bpor import api
from bpor.errors import BporError
from bpor.lazy_dataclass import dataclass, replace
from bpor.model.operation import ATOMIC, ORDERS
from bpor.model.orders import NONE, OrderAt, orders_text, place_of
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.mutate.mutants import SAMPLE_SECONDS, SAMPLES, WATCHDOG, Fate, judged
from bpor.native_target import native_target
from bpor.protocol.ops import Op
from bpor.report.finding import SourceSite
from bpor.report.names import Names
from bpor.search.explorer import Explorer
from bpor.settings import Settings

_NOUNS = {Op.READ: "load", Op.WRITE: "store", Op.RMW: "read-modify-write", Op.CAS: "compare-exchange", Op.FENCE: "fence"}
_LOAD = {"seq_cst": ("acquire",), "consume": ("relaxed",), "acquire": ("relaxed",)}
_STORE = {"seq_cst": ("release",), "release": ("relaxed",)}
_BOTH = {
    "seq_cst": ("acq_rel",),
    "acq_rel": ("acquire", "release"),
    "consume": ("relaxed",),
    "acquire": ("relaxed",),
    "release": ("relaxed",),
}
_FENCE = {"seq_cst": ("acq_rel",), "acq_rel": ("acquire", "release"), "acquire": (NONE,), "consume": (NONE,), "release": (NONE,)}
_WEAKER: Mapping[Op, Mapping[str, tuple[str, ...]]] = {
    Op.READ: _LOAD,
    Op.WRITE: _STORE,
    Op.RMW: _BOTH,
    Op.CAS: _BOTH,
    Op.FENCE: _FENCE,
}


@dataclass(frozen=True, slots=True)
class Use:
    """Atomic accesses, or fences, of one place in the source, and their order; `fails`: that of a compare-exchange which fails."""

    kind: Op
    order: str
    site: SourceSite
    fails: bool = False

    def __str__(self) -> str:
        failing = " when it fails" if self.fails else ""
        return f"{self.order} {_NOUNS[self.kind]}{failing} at {self.site.with_function}"

    def weaker(self, order: str) -> tuple[str, ...]:
        return (_LOAD if self.fails else _WEAKER[self.kind]).get(order, ())

    def changed(self, places: Sequence[tuple[str, int]], order: str) -> tuple[OrderAt, ...]:
        return tuple(OrderAt(module, offset, *(("", order) if self.fails else (order, ""))) for module, offset in places)


@dataclass(frozen=True, slots=True)
class Weakened:
    """What became of a use with each weaker order that was tried."""

    use: Use
    tried: tuple[tuple[str, Fate, str], ...]

    @property
    def fate(self) -> Fate:
        fates = [fate for _, fate, _ in self.tried]
        return next((fate for fate in (Fate.UNNOTICED, Fate.UNCLEAR) if fate in fates), Fate.NOTICED)

    def __str__(self) -> str:
        told = "; ".join(f"{_how(order)} {_THEN[fate]}{reason}" for order, fate, reason in self.tried)
        return f"{self.fate.value}: {self.use}: {told}"


_THEN = {Fate.NOTICED: "", Fate.UNNOTICED: "", Fate.UNCLEAR: "unclear, ", Fate.NOT_TRIED: "not tried, "}


def _how(order: str) -> str:
    return "without it" if order == NONE else f"as {order}"


class _Orders:
    """Observer: the orders at each call site."""

    def __init__(self) -> None:
        self.seen: dict[int, tuple[Op, int, int]] = {}

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        for step in trace.steps:
            operation = step.operation
            if operation.site and (operation.kind in ATOMIC or operation.kind is Op.FENCE) and ORDERS.get(operation.order) in _ALL:
                self.seen.setdefault(operation.site, (operation.kind, operation.order, operation.failure))


_ALL = frozenset({"relaxed", *_BOTH})


class Uses:
    """What there is to weaken, from random executions of the program."""

    def __init__(self, argv: Sequence[str], settings: Settings) -> None:
        orders = _Orders()
        sampling = replace(
            *(settings,),
            **dict(bound=None, search="random", max_executions=SAMPLES, max_time=SAMPLE_SECONDS, keep_going=True, memory="sc"),
        )
        api.check(argv, sampling, observers=[orders])
        with native_target(argv, settings).open() as executor:
            _, description = executor.describe(Plan(stop_after_prefix=True))
        self.places: dict[Use, list[tuple[str, int]]] = {}
        names = Names(description)
        for address, (kind, order, failure) in sorted(orders.seen.items()):
            site = next(iter(names.stack((address,))), SourceSite(function=f"{address:#x}"))
            place = place_of(address, description.modules)
            for use in _uses(kind, order, failure, site):
                self.places.setdefault(use, []).append(place)


def _uses(kind: Op, order: int, failure: int, site: SourceSite) -> Iterator[Use]:
    uses = [Use(kind, ORDERS[order], site)]
    if kind is Op.CAS and ORDERS.get(failure) in _ALL:
        uses.append(Use(kind, ORDERS[failure], site, fails=True))
    return (use for use in uses if use.weaker(use.order))


def try_weaker(uses: Uses, argv: Sequence[str], settings: Settings, share: Callable[[int], float | None]) -> Iterator[Weakened]:
    """`share(n)`: the seconds for the next one, with n to come (itself included)."""
    for number, (use, places) in enumerate(uses.places.items()):
        waiting, tried = list(use.weaker(use.order)), dict[str, tuple[Fate, str]]()
        while waiting:
            order = waiting.pop(0)
            if order not in tried:
                tried[order] = _fate(use, places, order, argv, replace(settings, max_time=share(len(uses.places) - number)))
                waiting += use.weaker(order) if tried[order][0] is Fate.UNNOTICED else ()
        yield Weakened(use, tuple((order, *found) for order, found in tried.items()))


def _fate(use: Use, places: Sequence[tuple[str, int]], order: str, argv: Sequence[str], settings: Settings) -> tuple[Fate, str]:
    orders = orders_text(use.changed(places, order))
    limited = replace(settings, with_order=orders, watchdog=min(settings.watchdog, WATCHDOG), state="none")
    try:
        fate, reason = judged(api.check(argv, limited))
    except BporError as error:
        return Fate.UNCLEAR, str(error)
    return fate, reason.removesuffix(" without it") if fate is Fate.UNNOTICED else reason
