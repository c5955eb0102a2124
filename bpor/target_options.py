"""What the settings ask of a target."""

from __future__ import annotations

from bpor.errors import UsageError
from bpor.knobs.values import fault_limits, visible_places
from bpor.lazy_dataclass import replace
from bpor.model.deadline import Deadline
from bpor.model.orders import parse_orders
from bpor.model.trust import TrustedCode, parse_trust
from bpor.settings import Settings
from bpor.target.options import TargetOptions
from bpor.target.patched import UNPATCHED, Patching
from bpor.target.python import python_options


def target_options(settings: Settings) -> TargetOptions:
    return TargetOptions(
        signal=settings.signal,
        timeouts=settings.timeouts,
        spurious=settings.spurious,
        stacks=settings.seal is not None or (is_best_first(settings) and "method:" in (settings.search or "")),
        races=settings.races,
        memory=settings.memory,
        orders=parse_orders(settings.with_order),
        faults=fault_limits(settings.faults),
        visible=visible_places(settings.visible),
        process_state=settings.process_state,
        quarantine=settings.quarantine == "on",
        symmetry=settings.symmetry,
        retries=settings.retries,
        checkpoints="on" if settings.checkpoints else "off",
        fork_at=settings.fork_at,
        watchdog=settings.watchdog,
        stdin=settings.stdin or "",
        seed=settings.seed,
        reset=settings.reset,
        carrier=settings.carrier,
        process=settings.process,
    )


def is_best_first(settings: Settings) -> bool:
    return (settings.search or "").partition(":")[0] in ("best-first", "best-first-all")


def python_target_options(settings: Settings, deadline: Deadline, patching: Patching = UNPATCHED) -> TargetOptions:
    if settings.faults:
        raise UsageError("--faults is for programs without an interpreter: its own calls would fail, not the test's")
    trusted = tuple(TrustedCode(one.pattern, independent=one.independent) for one in parse_trust(settings.trust) if one.kind == "module")
    memory = "sc" if patching.list and settings.memory == "auto" else settings.memory  # machine code has no orders to tell
    options = replace(target_options(settings), machine=patching.list, memory=memory)
    return replace(python_options(options), gil=settings.gil, deadline=deadline, trusted=trusted)
