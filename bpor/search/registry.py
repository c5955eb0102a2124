"""The searches by name, each with the factory that makes it from a bound, the options and a seed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from bpor.errors import UsageError
from bpor.search.bounds.bound import NONE, Bound
from bpor.search.options import SearchOptions
from bpor.search.strategies.bpor import bpor
from bpor.search.strategies.widening import Widening
from bpor.search.strategy import Strategy

Factory = Callable[[Bound, SearchOptions, int], Strategy]


def _of_module(name: str, module: str) -> Callable[..., Strategy]:
    """A factory whose module is loaded when it is used: most runs need none of them, and some bring a package of their own."""

    def factory(*arguments: object) -> Strategy:
        made: Strategy = getattr(import_module(f"bpor.search.strategies.{module}"), name)(*arguments)
        return made

    return factory


def _unbounded(name: str, make: Callable[[SearchOptions, int], Strategy]) -> Factory:
    def factory(bound: Bound, options: SearchOptions, seed: int) -> Strategy:
        if not bound.is_none:
            raise UsageError(f"--search {name} takes no bound, but {bound} was given")
        return make(options, seed)

    return factory


_best_first = _of_module("best_first", "best_first")
_best_first_all = _of_module("best_first_all", "best_first")
_cartesian = _of_module("cartesian", "cartesian")
_cb_por = _of_module("cb_por", "cb_por")
_optimal = _of_module("optimal", "optimal")

SEARCHES: dict[str, Factory] = {
    "bpor": bpor,
    "dpor": _of_module("dpor", "dpor"),
    "dfs": _of_module("dfs", "dfs"),
    "random": _unbounded("random", _of_module("RandomWalk", "random_walk")),
    "pct": _unbounded("pct", _of_module("Pct", "pct")),
    "pos": _unbounded("pos", _of_module("PartialOrderSampling", "pos")),
    "delay": _of_module("delay", "delay"),
    "determinism": _unbounded("determinism", _of_module("Determinism", "determinism")),
    "best-first": _best_first,
    "best-first-all": _best_first_all,
    "cb-por": _cb_por,
    "cartesian": _cartesian,
    "optimal": _optimal,
    "extension": _of_module("extension", "extension"),
}


# Those that may run beside the program, in C.
BESIDE = (
    "bpor",
    "dpor",
    "optimal",
    "cb-por",
    "cartesian",
    "best-first",
    "best-first-all",
    "dfs",
    "delay",
    "extension",
    "random",
    "pct",
    "pos",
)
IN_PARTS = ("bpor", "dpor", "dfs", "delay", "extension")  # of these, whose trees several processes can share (-j)
SHARED = ("cartesian",)  # ... whose states they can share
TRYING = frozenset({None, "bpor", "dpor", "dfs", "delay", "extension"})  # searches that try every alternative of a step

# Searches whose name may go on: best-first:method:push,pb.
_WITH_DETAILS: dict[str, Callable[[Bound, SearchOptions, int, str], Strategy]] = {
    "best-first": _best_first,
    "best-first-all": _best_first_all,
    "cartesian": _cartesian,
    "optimal": _optimal,
}


def make_strategy(name: str | None, bound: Bound | None, options: SearchOptions = SearchOptions(), seed: int = 0) -> Strategy:  # noqa: B008 (frozen)
    """Without a name and a bound: the default search. Without a name: bpor. Without a bound: none."""
    if name is None:
        return Widening(options) if bound is None else bpor(bound, options, seed)
    bound = bound if bound is not None else NONE
    plain, _, details = name.partition(":")
    if details and plain in _WITH_DETAILS:
        return _WITH_DETAILS[plain](bound, options, seed, details)
    factory = SEARCHES.get(name)
    if factory is None:
        raise UsageError(f"there is no search {name!r}; the searches are {', '.join(SEARCHES)}")
    return factory(bound, options, seed)
