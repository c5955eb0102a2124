"""Order: the memory orders of C11, numbered as Operation.order numbers them. An atomic access, as the memory is asked for it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from enum import Enum

from bpor.lazy_dataclass import dataclass


class Order(Enum):
    RELAXED = (1, "rlx")
    ACQUIRE = (3, "acq")
    RELEASE = (4, "rel")
    ACQ_REL = (5, "ar")
    SEQ_CST = (6, "sc")

    def __init__(self, number: int, text: str) -> None:
        self.number = number
        self.text = text  # in the notation of simulated programs

    @property
    def acquires(self) -> bool:
        return self in (Order.ACQUIRE, Order.ACQ_REL, Order.SEQ_CST)

    @property
    def releases(self) -> bool:
        return self in (Order.RELEASE, Order.ACQ_REL, Order.SEQ_CST)

    @staticmethod
    def named(text: str) -> Order:
        """Raises ValueError."""
        for order in Order:
            if order.text == text:
                return order
        raise ValueError(f"{text!r} is none of {', '.join(order.text for order in Order)}")


@dataclass(frozen=True, slots=True)
class Atomic:
    """`stores` gives what an access that reads `old` writes there, or None if it then writes nothing; it is not asked by a load."""

    location: int
    order: Order
    loads: bool
    stores: Callable[[Hashable], tuple[Hashable] | None] | None = None
    failure: Order = Order.SEQ_CST  # of a compare-exchange that fails
    site: int = 0

    def reads_only(self, old: Hashable) -> bool:
        """Does it only read, if `old` is what it finds?"""
        return self.stores is None or (self.loads and self.stores(old) is None)

    def order_with(self, old: Hashable) -> Order:
        return self.failure if self.stores is not None and self.reads_only(old) else self.order
