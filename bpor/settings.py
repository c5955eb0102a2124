"""Every knob, once, as data. The argument parser, --help and the replay line are made from `KNOBS`; nothing here acts.

Invariant: a knob is one field of `Settings`; what the command line calls it, what it accepts and what it means stand beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Knob:
    """How one field of Settings looks on the command line."""

    flag: str  # "--bound"
    group: str
    help: str
    metavar: str = ""  # empty: a switch without a value
    read: Callable[[str], Any] = str  # raises ValueError with the reason
    write: Callable[[Any], str] = str  # the inverse of `read`
    switched: Any = True  # what a switch sets
    semantic: bool = False  # changes what a schedule means, so the replay line repeats it
    verbs: tuple[str, ...] = ("run",)
    short: str = ""
    field: str = ""  # filled in by `_knobs`
    default: Any = None

    @property
    def takes_value(self) -> bool:
        return bool(self.metavar)


def _knob(default: T, flag: str, group: str, help: str, **rest: Any) -> T:
    """A dataclass field with a default and its Knob beside it (typed as the default, as dataclasses.field is)."""
    return field(default=default, metadata={"knob": Knob(flag, group, help, default=default, **rest)})


def _one_of(*values: str) -> dict[str, Any]:
    def read(text: str) -> str:
        if text not in values:
            raise ValueError(f"{text!r} is not one of {', '.join(values)}")
        return text

    return {"metavar": "|".join(values), "read": read}


def _count(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise ValueError(f"{text!r} is not a whole number")
    return int(text)


def _positive(text: str) -> int:
    if (number := _count(text)) == 0:
        raise ValueError("0 would run nothing")
    return number


_UNITS = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def _duration(text: str) -> float | None:
    """Seconds; None for `none`."""
    if text == "none":
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h)?", text)
    if match is None or float(match[1]) == 0:
        raise ValueError(f"{text!r} is not a time such as 30s, 10m, 2h or none")
    return float(match[1]) * _UNITS[match[2] or ""]


def decimal(value: float) -> str:
    """At most one place after the point, more only below one: `6.7`, `600`, `0.05`."""
    text = f"{value:.1f}" if abs(value) >= 1 else f"{value:.3f}"
    return text.rstrip("0").rstrip(".") or "0"


def duration_text(seconds: float | None) -> str:
    """The inverse: `10m` for 600."""
    if seconds is None:
        return "none"
    unit = next((unit for unit in ("h", "m") if seconds % _UNITS[unit] == 0), "s")
    return f"{decimal(seconds / _UNITS[unit])}{unit}"


def _seconds(text: str) -> float:
    if (seconds := _duration(text)) is None:
        raise ValueError("it cannot be switched off: without it a thread that blocks out of sight would hang the run")
    return seconds


def _shard(text: str) -> str:
    match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise ValueError(f"{text!r} is not I/N with I from 1 to N")
    return text


def visible_places(text: str) -> tuple[tuple[int, int], ...]:
    """`1a2b+4,...`: object (hexadecimal) and bytes, the canonical name of a place."""
    pairs = (part.split("+") for part in text.split(",") if part)
    return tuple((int(identity, 16), int(size)) for identity, size in pairs)


PROCESS_STATES = ("files", "directory", "environment", "random", "statics")  # as in csrc/process/process_state.h


def process_states(text: str) -> tuple[str, ...]:
    """Whose uses are operations: `files,random`; none for `auto` and `off`."""
    return () if text in ("auto", "off") else tuple(text.split(","))


def _process_states(text: str) -> str:
    if not set(process_states(text)) <= set(PROCESS_STATES):
        raise ValueError(f"{text!r} is not auto, off or a list of {', '.join(PROCESS_STATES)}")
    return text


def _places(text: str) -> str:
    if not re.fullmatch(r"([0-9a-f]+\+\d+(,|$))*", text):
        raise ValueError(f"{text!r} is not a list of places such as 1a2b+4,1a30+8")
    return text


MEMORY_ORDERS = ("relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst")  # by C11's numbers
_ORDER = f"({'|'.join(MEMORY_ORDERS)}|none)"
_ORDER_AT = re.compile(rf"[^,/=]+\+[0-9a-f]+=(?=.){_ORDER}?(/{_ORDER})?")
_MOST_ORDERS = 64  # of one search (csrc/protocol/protocol.h)


def _orders(text: str) -> str:
    """See bpor/model/orders.py."""
    parts = text.split(",")
    if wrong := next((part for part in parts if not _ORDER_AT.fullmatch(part)), None):
        raise ValueError(f"{wrong!r} is not MODULE+OFFSET=ORDER with an order of {', '.join(MEMORY_ORDERS)} or none")
    if len(parts) > _MOST_ORDERS:
        raise ValueError(f"{len(parts)} call sites are more than {_MOST_ORDERS}")
    return text


_LONGEST_MODULE = 107  # bytes of its name (csrc/protocol/protocol.h)
_TRUSTED = re.compile(rf"(independent:)?(module:[^/,\[\]]{{1,{_LONGEST_MODULE}}}|function:[^,\[\]]+)")


def _trust(text: str) -> str:
    """See bpor/model/trust.py."""
    if wrong := next((part for part in text.split(",") if not _TRUSTED.fullmatch(part)), None):
        raise ValueError(f"{wrong!r} is not module:NAME or function:NAME (with * and ?), nor that behind independent:")
    return text


FAULTS = ("malloc", "eintr", "short-read", "weak-cas")  # as in csrc/protocol/protocol.h
_MOST_FAULTS = 1000  # of one kind in an execution


def fault_limits(text: str) -> tuple[int, ...]:
    """`malloc:1,eintr:2`: how many of each kind, in the order of FAULTS. Raises ValueError with the reason."""
    limits = dict.fromkeys(FAULTS, 0)
    for part in filter(None, text.split(",")):
        match = re.fullmatch(r"([a-z-]+):([0-9]{1,9})", part)
        if match is None or match[1] not in limits:
            raise ValueError(f"{part!r} is not KIND:COUNT with a kind of {', '.join(FAULTS)}")
        if not 0 < int(match[2]) <= _MOST_FAULTS:
            raise ValueError(f"{part!r}: from 1 to {_MOST_FAULTS} of a kind are injected into one execution")
        if limits[match[1]]:
            raise ValueError(f"{match[1]} is given twice")
        limits[match[1]] = int(match[2])
    return tuple(limits.values())


def _faults(text: str) -> str:
    if not any(fault_limits(text)):
        raise ValueError("no fault is named; without --faults there is none")
    return text


_MACHINE_CODE = ("off", "auto", "all")


def _machine_code(text: str) -> str:
    mode, *modules = text.split(",")
    if mode not in _MACHINE_CODE or not all(re.fullmatch(r"-[^/]+|\+.+", name) for name in modules):
        choices = ", ".join(_MACHINE_CODE)
        raise ValueError(f"{text!r} is not one of {choices}, nor with modules to leave alone or to add: auto,-libfoo.so.1,+./plugin.so")
    return text


@dataclass(frozen=True, slots=True)
class MachineCode:
    """How machine code is patched."""

    mode: str
    alone: frozenset[str]  # names of modules that are left alone
    added: tuple[str, ...]  # paths of modules that the program loads as it runs


def machine_code_of(text: str) -> MachineCode:
    mode, *modules = text.split(",")
    alone = frozenset(name.removeprefix("-") for name in modules if name.startswith("-"))
    return MachineCode(mode, alone, tuple(name.removeprefix("+") for name in modules if name.startswith("+")))


def add_modules(text: str, paths: Iterable[str]) -> str:
    """And these."""
    return ",".join((text, *(f"+{path}" for path in paths)))


def leave_alone(text: str, module: str) -> str:
    """The same without this module; without a name: without any."""
    return f"{text},-{module}" if module and "," not in module else "off"


STRONG = ("auto", "sc")  # Settings.memory: executions are sequentially consistent; auto asks for more once that is done
BOTH = ("run", "replay")
REPLAY = ("replay",)
RUNNERS = ("ctest", "meson", "cargo")  # in whose place we stand: each is a suite that needs no file
SUITES = ("suite", *RUNNERS)
GATE = ("run", *SUITES)
ALL = (*GATE, "replay", "list", "show", "clean", "mutate")
SEARCHING = (*GATE, "mutate", "compare")
# Sentences that explain several knobs, in one row of --help.
_CLUSTER = "a dask cluster searches (tls://HOST:PORT, local:N); files for it"
_KNOWN = "known bugs (`deadlock:PATTERN`, as for tsan); kept findings"
_OUTPUTS = "count the outputs; print each; is it under control?"
_TOLD = "findings and the verdict only; annotations for GitHub Actions"
COMPARED = ("run", "compare")
MEANING = (*BOTH, "compare")


@dataclass(frozen=True, slots=True)
class Settings:
    """What one run of the tool is asked to do. All defaults are the command line's."""

    bound: str | None = _knob(
        None,
        "--bound",
        "search",
        "fair:2,preemption:2 or preemption:0..3 or none (default: widens)",
        metavar="BOUND",
        verbs=SEARCHING,
    )
    search: str | None = _knob(
        None,
        "--search",
        "search",
        "bpor, dpor, optimal, cb-por, best-first, cartesian, dfs, random...",
        metavar="NAME",
        verbs=COMPARED,
    )
    max_executions: int | None = _knob(
        None, "--max-executions", "search", "stop after N executions", metavar="N", read=_positive, verbs=COMPARED
    )
    max_time: float | None = _knob(
        600.0,
        "--max-time",
        "search",
        "stop after this time: 30s, 10m (default), 2h, none",
        metavar="T",
        read=_duration,
        write=duration_text,
        verbs=SEARCHING,
    )
    max_steps: int = _knob(
        20_000,
        "--max-steps",
        "search",
        "longest execution, in steps (default 20000)",
        semantic=True,
        verbs=MEANING,
        metavar="N",
        read=_positive,
    )
    seed: int = _knob(
        0,
        "--seed",
        "search",
        "of random searches and the program's own random numbers (default 0)",
        metavar="N",
        read=_count,
        semantic=True,
        verbs=MEANING,
    )
    keep_going: bool = _knob(False, "--keep-going", "search", "past the first bug; from the last run; known steps again")
    resume: bool = _knob(False, "--resume", "search", "past the first bug; from the last run; known steps again", verbs=GATE)
    known_steps: bool = _knob(
        True, "--no-known-steps", "search", "past the first bug; from the last run; known steps again", switched=False
    )
    match: str = _knob(
        "auto", "--match", "search", "recognise states: endless loops end", **_one_of("auto", "off", "memory", "happens-before")
    )
    seal: str | None = _knob(
        None, "--seal", "search", "not preempted inside: 'lib*,push'; one step: 'module:lib*'", metavar="NAMES", verbs=GATE
    )
    trust: str = _knob(
        "",
        "--trust",
        "search",
        "not preempted inside: 'lib*,push'; one step: 'module:lib*'",
        metavar="NAMES",
        read=_trust,
        semantic=True,
        verbs=MEANING,
    )
    sleep_sets: bool = _knob(True, "--no-sleep-sets", "search", "parts of the reduction, off", switched=False)
    transitive_reduction: bool = _knob(True, "--no-transitive-reduction", "search", "parts of the reduction, off", switched=False)
    bound_optimisation: bool = _knob(True, "--no-bound-optimisation", "search", "parts of the reduction, off", switched=False)

    signal: str = _knob(
        "any",
        "--signal",
        "meaning",
        "whom a signal may wake: any waiter (default) or the oldest",
        semantic=True,
        verbs=MEANING,
        **_one_of("any", "fifo"),
    )
    timeouts: str = _knob(
        "idle",
        "--timeouts",
        "meaning",
        "timeouts happen when nothing else can (default) or always",
        semantic=True,
        verbs=MEANING,
        **_one_of("idle", "explore"),
    )
    spurious: bool = _knob(False, "--spurious", "meaning", "condition waits may return unsignalled", semantic=True, verbs=MEANING)
    races: str = _knob(
        "report",
        "--races",
        "meaning",
        "races: report, strict, off, explore; plain code: off, auto, all",
        semantic=True,
        verbs=MEANING,
        **(_one_of("report", "strict", "off", "explore") | {"metavar": "HOW"}),
    )
    machine_code: str = _knob(
        "auto",
        "--machine-code",
        "meaning",
        "races: report, strict, off, explore; plain code: off, auto, all",
        semantic=True,
        verbs=MEANING,
        metavar="HOW",
        read=_machine_code,
    )
    memory: str = _knob(
        "auto",
        "--memory",
        "meaning",
        "memory auto, sc, tso, c11; orders of sites; failing calls",
        semantic=True,
        verbs=(*MEANING, "mutate"),
        **(_one_of("auto", "sc", "tso", "c11") | {"metavar": "WHICH"}),
    )
    orders: bool = _knob(False, "--orders", "meaning", "weaken memory orders and fences, not calls", verbs=("mutate",))
    with_order: str = _knob(
        "",
        "--with-order",
        "meaning",
        "memory auto, sc, tso, c11; orders of sites; failing calls",
        metavar="WHICH",
        read=_orders,
        semantic=True,
        verbs=BOTH,
    )
    faults: str = _knob(
        "",
        "--faults",
        "meaning",
        "memory auto, sc, tso, c11; orders of sites; failing calls",
        metavar="WHICH",
        read=_faults,
        semantic=True,
        verbs=MEANING,
    )
    visible: str = _knob(
        "",
        "--visible",
        "meaning",
        "racing places, files... as operations (found by itself)",
        metavar="WHICH",
        read=_places,
        semantic=True,
        verbs=BOTH,
    )
    process_state: str = _knob(
        "auto",
        "--process-state",
        "meaning",
        "racing places, files... as operations (found by itself)",
        metavar="WHICH",
        read=_process_states,
        semantic=True,
        verbs=BOTH,
    )
    quarantine: str = _knob(
        "on",
        "--quarantine",
        "meaning",
        "keep freed blocks to see late accesses (default on)",
        semantic=True,
        verbs=MEANING,
        **_one_of("on", "off"),
    )
    gil: str = _knob(
        "real",
        "--gil",
        "meaning",
        "Python's lock: modelled (default), simulated away, ignored",
        semantic=True,
        verbs=MEANING,
        **_one_of("real", "off", "none"),
    )
    stdin: str | None = _knob(
        None,
        "--stdin",
        "meaning",
        "the program's input, re-opened per execution (default: none)",
        metavar="FILE",
        semantic=True,
        verbs=MEANING,
    )
    control: str | None = _knob(
        None,
        "--control",
        "meaning",
        "behind a wrapper the program that matches; of processes the N-th",
        metavar="WHICH",
        semantic=True,
        verbs=MEANING,
    )
    process: int = _knob(
        0,
        "--process",
        "meaning",
        "behind a wrapper the program that matches; of processes the N-th",
        metavar="WHICH",
        read=_positive,
        semantic=True,
        verbs=MEANING,
    )

    watchdog: float = _knob(
        10.0,
        "--watchdog",
        "target",
        "give up on a thread that runs out of sight for so long (default 10)",
        metavar="SECONDS",
        read=_seconds,
        write=duration_text,
        verbs=MEANING,
    )
    fork_at: str = _knob(
        "main", "--fork-at", "target", "where executions begin (default main)", verbs=COMPARED, **_one_of("main", "first-thread", "ready")
    )
    reset: str = _knob(
        "auto",
        "--reset",
        "target",
        "anew: auto, rollback, fork, exec; threads: auto, fibers, threads",
        verbs=COMPARED,
        **(_one_of("auto", "rollback", "fork", "exec") | {"metavar": "HOW"}),
    )
    carrier: str = _knob(
        "auto",
        "--carrier",
        "target",
        "anew: auto, rollback, fork, exec; threads: auto, fibers, threads",
        verbs=COMPARED,
        **(_one_of("auto", "fibers", "threads") | {"metavar": "HOW"}),
    )
    engine: str = _knob(
        "auto",
        "--engine",
        "target",
        "the search: in Python, or beside the program (auto: where it can)",
        **_one_of("auto", "python", "native"),
    )
    workers: int = _knob(1, "--workers", "target", "processes that search at once (default 1)", metavar="N", read=_positive, short="-j")
    cluster: str | None = _knob(None, "--cluster", "target", _CLUSTER, metavar="WHAT", verbs=GATE)
    send_files: str | None = _knob(None, "--send-files", "target", _CLUSTER, metavar="WHAT", verbs=GATE)
    insecure_cluster: bool = _knob(False, "--insecure-cluster", "target", "the cluster may be one without TLS (tcp://)", verbs=GATE)
    require: str = _knob(
        "auto",
        "--require",
        "target",
        "fail (4) if less is seen (auto: calls)",
        **_one_of("auto", "calls", "machine", "atomics", "memory"),
    )

    state: str = _knob(".bpor", "--state", "report", "where results are kept (default .bpor; none: nowhere)", metavar="DIR", verbs=ALL)
    plot: str | None = _knob(None, "--plot", "report", "write the comparison as a plot (SVG)", metavar="FILE", verbs=("compare",))
    html: str | None = _knob(None, "--html", "report", "the result as a file of that form", metavar="FILE", verbs=BOTH)
    json: str | None = _knob(None, "--json", "report", "the result as a file of that form", metavar="FILE", verbs=MEANING)
    junit: str | None = _knob(None, "--junit", "report", "the result as a file of that form", metavar="FILE", verbs=GATE)
    sarif: str | None = _knob(None, "--sarif", "report", "the result as a file of that form", metavar="FILE", verbs=GATE)
    suppressions: str | None = _knob(None, "--suppressions", "report", _KNOWN, metavar="PATH", verbs=GATE)
    corpus: str | None = _knob(None, "--corpus", "report", _KNOWN, metavar="PATH", verbs=GATE)
    outcomes: bool = _knob(False, "--outcomes", "report", _OUTPUTS)
    show_output: bool = _knob(False, "--show-output", "report", _OUTPUTS, verbs=BOTH)
    self_check: bool = _knob(False, "--self-check", "report", _OUTPUTS)
    inconclusive: str = _knob(
        "fail",
        "--inconclusive",
        "report",
        "pass: exit 0 instead of 3 if the search did not finish",
        verbs=GATE,
        **_one_of("pass", "fail"),
    )
    uncontrolled: str = _knob(
        "fail",
        "--uncontrolled",
        "report",
        "skip: exit 77 instead of 4 if it cannot be controlled",
        verbs=(*GATE, "replay"),
        **_one_of("skip", "fail"),
    )
    quiet: bool = _knob(False, "--quiet", "report", _TOLD, short="-q", verbs=(*GATE, "replay"))
    github: bool = _knob(False, "--github", "report", _TOLD, verbs=GATE)
    config: str | None = _knob(
        None, "--config", "suite", "the suite (default: bpor.toml, or [tool.bpor] in pyproject)", metavar="FILE", verbs=("suite",)
    )
    budget: float | None = _knob(
        None,
        "--budget",
        "suite",
        "time for all tests together (default: the file's)",
        metavar="T",
        read=_duration,
        write=duration_text,
        verbs=SUITES,
    )
    jobs: int | None = _knob(
        None, "--jobs", "suite", "searches at the same time (default: as many as processors)", metavar="N", read=_positive, verbs=SUITES
    )
    shard: str | None = _knob(None, "--shard", "suite", "the I-th of N parts, counted from 1", metavar="I/N", read=_shard, verbs=SUITES)
    baseline: str | None = _knob(None, "--baseline", "suite", "fail if a test reaches less than it did there", metavar="FILE", verbs=SUITES)
    write_baseline: str | None = _knob(None, "--write-baseline", "suite", "note what every test reaches", metavar="FILE", verbs=SUITES)
    print_trace: bool = _knob(False, "--print", "replay", "print every step, not only the few that matter", verbs=REPLAY)
    step: bool = _knob(False, "--step", "replay", "stop before each step and show the state", verbs=REPLAY)
    gdb: bool = _knob(False, "--gdb", "replay", "under gdb: stops at scheduling points, goes to any step and back", verbs=REPLAY)
    batch: bool = _knob(False, "--batch", "replay", "with --gdb: print all backtraces at the last step and leave", verbs=REPLAY)
    rounds: int = _knob(
        2, "--rounds", "replay", "of a livelock: rounds to run and compare (default 2)", metavar="N", read=_positive, verbs=REPLAY
    )


def _knobs() -> Iterable[Knob]:
    for slot in fields(Settings):
        yield replace(slot.metadata["knob"], field=slot.name)


KNOBS: tuple[Knob, ...] = tuple(_knobs())


def to_arguments(settings: Settings, semantic: bool = False) -> list[str]:
    """The command line that gives these settings: what differs from the default. `semantic`: only what changes a schedule's meaning."""
    arguments: list[str] = []
    for knob in KNOBS:
        value = getattr(settings, knob.field)
        if value != knob.default and (knob.semantic or not semantic):
            arguments += [f"{knob.flag}={knob.write(value)}"] if knob.takes_value else [knob.flag]
    return arguments


def as_options(settings: Settings) -> dict[str, Any]:
    """Field -> value, for the JSON report."""
    return {knob.field: getattr(settings, knob.field) for knob in KNOBS}
