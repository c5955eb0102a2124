"""Code that is known to take locks by trying and backing off, and that everybody uses: std::lock, and with it std::scoped_lock.

The standard promises that it does not deadlock and nothing more. If the scheduler keeps its threads in step they give way to each other for
ever, as all algorithms that back off do. That is no bug of a program that calls it, so the verdict mentions it and no finding is reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from bpor.model.trace import Description

_STD_LOCK = re.compile(r"std::(__\w+::)?(lock|__lock_impl|__lock_first)\b[<:(]")


class BackingOff:
    """Do these call sites all lie inside of it?"""

    def __init__(self, describe: Callable[[], Description]) -> None:
        self._describe = describe

    def __call__(self, sites: tuple[int, ...]) -> bool:
        from bpor.report.symbols import Symbols  # for programs that back off

        symbols = Symbols(self._describe().modules)
        return all(any(is_std_lock(frame.function) for frame in symbols.frames(site)) for site in sites)


def is_std_lock(function: str) -> bool:
    """`std::lock<std::mutex, std::mutex>`, not `std::lock_guard<std::mutex>::lock_guard`."""
    return _STD_LOCK.match(f"{function}(") is not None
