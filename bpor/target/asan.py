"""Programs built with AddressSanitizer: what they need of us to run under control.

Its runtime insists on coming first in the process, which it may: then its allocator is in front of ours and sees every access, and the
functions it wraps (pthread_create among them) call ours next. It keeps shadow state per kernel thread, so fibers and rollback are not
for it. Invariant: the user's own ASAN_OPTIONS win.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bpor.target.elf import Elf
from bpor.target.options import TargetOptions

# Leaks are looked for by a thread of its own that stops all others; an error must be an abort, which we can tell with a stack; memory
# faults are ours to tell; naming every frame takes it a second for every failing execution (ASAN_OPTIONS=symbolize=1 brings it back); and
# before its allocator gives pages back it reads the clock, a scheduling point, with a lock held that whoever runs then waits for out of
# our sight.
_OPTIONS = ":".join(
    (
        "verify_asan_link_order=0",
        "detect_leaks=0",
        "abort_on_error=1",
        "symbolize=0",
        "allocator_release_to_os_interval_ms=-1",
        *(f"handle_{signal}=0" for signal in ("segv", "sigbus", "sigfpe", "sigill")),
    )
)


def asan_preload(elf: Elf | None) -> str:
    """The library that has to come before ours, by the name the program asks for; empty: none, or linked in."""
    return next((name for name in (elf.needed if elf else ()) if name.startswith("libasan.so")), "")


def asan_environment(elf: Elf | None, environment: Mapping[str, str]) -> dict[str, str]:
    if elf is None or not elf.has_asan:
        return dict(environment)
    given = environment.get("ASAN_OPTIONS", "")
    return {**environment, "ASAN_OPTIONS": f"{_OPTIONS}:{given}" if given else _OPTIONS}


def asan_options(elf: Elf | None, options: TargetOptions) -> TargetOptions:
    if elf is None or not elf.has_asan:
        return options
    return replace(
        options,
        carrier="threads" if options.carrier == "auto" else options.carrier,
        reset="fork" if options.reset == "auto" else options.reset,
    )


def asan_reason(elf: Elf | None) -> str:
    """Why such a program gets neither fibers nor rollback."""
    return "AddressSanitizer keeps its state for each kernel thread" if elf is not None and elf.has_asan else ""
