"""Faults: calls that the test lets fail, as the system may let them fail (`--faults malloc:1,eintr:1`). Each kind has its own limit, so
many in one execution; before such a call there is a step with two alternatives, and the second is the failure.
"""

from __future__ import annotations

from bpor.knobs.values import FAULTS, fault_limits
from bpor.lazy_dataclass import dataclass

_ONE = {
    "malloc": "failing malloc",
    "eintr": "interrupted call",
    "short-read": "short read or write",
    "weak-cas": "weak compare-exchange that fails by chance",
}
_MANY = {
    "malloc": "failing mallocs",
    "eintr": "interrupted calls",
    "short-read": "short reads and writes",
    "weak-cas": "weak compare-exchanges that fail by chance",
}
_CANDIDATES = {
    "malloc": "an allocation",
    "eintr": "a call that can be interrupted",
    "short-read": "a read or write that can be short",
    "weak-cas": "a weak compare-exchange of instrumented code",
}

# By enum bpor_fault_call: what the program calls, and what it is given.
CALLS: tuple[tuple[str, str], ...] = (
    ("malloc", "returns NULL"),
    ("calloc", "returns NULL"),
    ("realloc", "returns NULL"),
    ("aligned_alloc", "returns NULL"),
    ("posix_memalign", "returns ENOMEM"),
    ("operator new", "throws std::bad_alloc"),
    ("read", "is interrupted (EINTR)"),
    ("write", "is interrupted (EINTR)"),
    ("recv", "is interrupted (EINTR)"),
    ("send", "is interrupted (EINTR)"),
    ("sleep", "is interrupted (EINTR)"),
    ("sem_wait", "is interrupted (EINTR)"),
    ("poll", "is interrupted (EINTR)"),
    ("futex", "is interrupted (EINTR)"),
    ("read", "gives one byte only"),
    ("write", "takes one byte only"),
    ("compare_exchange_weak", "fails by chance"),
)


@dataclass(frozen=True, slots=True)
class Offered:
    """What steps of any execution so far offered beside going on."""

    inputs: bool = False  # bpor_choose
    assumptions: bool = False  # one did not hold
    met: int = 0  # mask of FAULTS: some call might have failed so
    refused: int = 0  # likewise, and could not, because as many as are allowed had failed before

    @property
    def anything(self) -> bool:
        return self.inputs or self.assumptions or self.met > 0

    def __or__(self, other: Offered) -> Offered:
        return Offered(
            self.inputs or other.inputs, self.assumptions or other.assumptions, self.met | other.met, self.refused | other.refused
        )


NOTHING_OFFERED = Offered()


def injected_words(faults: str, offered: Offered, every: bool) -> list[str]:
    """What was and what was not injected, for a verdict. `every`: the search came to its end."""
    words = []
    for bit, (kind, limit) in enumerate(zip(FAULTS, fault_limits(faults), strict=True)):
        if limit and not offered.met >> bit & 1:
            words.append(f"without {_MANY[kind]}: {_CANDIDATES[kind]} was never made")
        elif limit and (offered.refused >> bit & 1 or not every):
            words.append(f"with at most {limit} {(_ONE if limit == 1 else _MANY)[kind]}")
        elif limit:
            words.append(f"with any {_ONE[kind]}")
    return words
