"""OrderAt: another memory order than the program asks for, at one call site: `queue+1a2b=release`, `queue+1a2b=acq_rel/relaxed` of a
compare-exchange and of its failure, `queue+1a2b=none` of a fence that is not there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from bpor.lazy_dataclass import dataclass

NONE = "none"
MOST = 64  # of one search (csrc/protocol/protocol.h)
_TEXT = re.compile(r"(?P<module>[^,/=]+)\+(?P<offset>[0-9a-f]+)=(?P<order>\w*)(?:/(?P<failure>\w+))?")


@dataclass(frozen=True, slots=True)
class OrderAt:
    module: str  # the last part of its path
    offset: int  # of the return address
    order: str = ""  # empty: as it is
    failure: str = ""

    def __str__(self) -> str:
        return f"{self.module}+{self.offset:x}={self.order}" + (f"/{self.failure}" if self.failure else "")


def parse_orders(text: str) -> tuple[OrderAt, ...]:
    """Of Settings.with_order, which is well-formed."""
    found = (match for match in map(_TEXT.fullmatch, text.split(",")) if match is not None)
    return tuple(OrderAt(match["module"], int(match["offset"], 16), match["order"], match["failure"] or "") for match in found)


def place_of(address: int, modules: Iterable[tuple[int, str]]) -> tuple[str, int]:
    """Module and offset of an address; `modules`: where they begin, and their paths."""
    base, path = max(((base, path) for base, path in modules if base <= address), default=(0, ""))
    return os.path.basename(path), address - base


def orders_text(orders: Iterable[OrderAt]) -> str:
    return ",".join(map(str, orders))
