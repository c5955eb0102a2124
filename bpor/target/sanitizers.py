"""Programs built with a sanitizer: what they need of us to run under control, and what of its checks is not done here.

AddressSanitizer's runtime insists on coming first in the process, which it may: then its allocator is in front of ours and sees every
access, and the functions it wraps (pthread_create among them) call ours next. It keeps shadow state per kernel thread, so fibers and
rollback are not for it. Invariant: what a sanitizer sees ends the execution as a bug, whatever the user's options say; what it would look
for and cannot here, the verdict says. Other options of the user's win.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bpor.lazy_dataclass import replace
from bpor.target.elf import Elf
from bpor.target.options import TargetOptions

LEAKS = "memory leaks are not looked for"
PRINTED = "undefined behaviour that UBSan's minimal runtime only prints is not looked at"

# An error must be an abort, which we can tell with a stack; memory faults are ours to tell; naming every frame takes it a second for
# every failing execution (ASAN_OPTIONS=symbolize=1 brings it back); and before its allocator gives pages back it reads the clock, a
# scheduling point, with a lock held that whoever runs then waits for out of our sight.
_ASAN = (
    "verify_asan_link_order=0",
    "abort_on_error=1",
    "symbolize=0",
    "allocator_release_to_os_interval_ms=-1",
    *(f"handle_{signal}=0" for signal in ("segv", "sigbus", "sigfpe", "sigill")),
)
# Leaks are looked for by a thread of its own that stops all others with ptrace; an error that is only printed would be a pass.
_ALWAYS = ("detect_leaks=0", "halt_on_error=1")


def asan_preload(elf: Elf | None) -> str:
    """The library that has to come before ours, by the name the program asks for; empty: none, or linked in."""
    return next((name for name in (elf.needed if elf else ()) if name.startswith("libasan.so")), "")


def sanitizer_environment(elf: Elf | None, environment: Mapping[str, str]) -> dict[str, str]:
    """The options are read by a runtime that is there, also by one that a library brings along."""
    ours = {"UBSAN_OPTIONS": ("abort_on_error=1",), "LSAN_OPTIONS": ()}
    if elf is not None and elf.has_asan:
        ours["ASAN_OPTIONS"] = _ASAN
    given = {name: (*options, *filter(None, [environment.get(name)]), *_ALWAYS) for name, options in ours.items()}
    return {**environment, **{name: ":".join(options) for name, options in given.items()}}


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


def sanitizer_assumptions(modules: Iterable[Elf]) -> tuple[str, ...]:
    """What the sanitizers of these modules would find elsewhere and do not find here."""
    seen = list(modules)
    leaks = any(elf.has_asan or elf.has_lsan for elf in seen)
    return (*([LEAKS] if leaks else []), *([PRINTED] if any(elf.has_minimal_ubsan for elf in seen) else []))
