"""Every knob, once, as data. The argument parser, --help and the replay line are made from `KNOBS`; nothing here acts.

Invariant: a knob is one field of `Settings`; what the command line calls it, what it accepts and what it means stand beside it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bpor.knobs.durations import duration_text, read_duration, read_seconds
from bpor.knobs.knob import Knob, knob, one_of
from bpor.knobs.machine_code import read_machine_code
from bpor.knobs.sizes import read_size, size_text
from bpor.knobs.values import read_count, read_faults, read_orders, read_places, read_positive, read_process_states, read_shard, read_trust
from bpor.lazy_dataclass import dataclass, fields, replace

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
_MOST = "10m (default), 2h, none; a process's tables: 2G (default none)"
_KNOWN = "known bugs (`deadlock:PATTERN`, as for tsan); kept findings"
_WAYS = "no execution begins midway; the cluster may lack TLS (tcp://)"
_ALIKE = "auto, off, memory, happens-before; same, any; last (of looks)"
_OUTPUTS = "count the outputs; print each; is it under control?"
_TOLD = "findings and the verdict only; annotations for GitHub Actions"
COMPARED = ("run", "compare")
MEANING = (*BOTH, "compare")


@dataclass(frozen=True, slots=True)
class Settings:
    """What one run of the tool is asked to do. All defaults are the command line's."""

    bound: str | None = knob(
        None,
        "--bound",
        "search",
        "fair:2,preemption:2 or preemption:0..3 or none (default: widens)",
        metavar="BOUND",
        verbs=SEARCHING,
    )
    search: str | None = knob(
        None,
        "--search",
        "search",
        "bpor, dpor, optimal, cb-por, best-first, cartesian, dfs, random...",
        metavar="NAME",
        verbs=COMPARED,
    )
    max_executions: int | None = knob(
        None, "--max-executions", "search", "stop after N executions", metavar="N", read=read_positive, verbs=COMPARED
    )
    max_time: float | None = knob(
        600.0,
        "--max-time",
        "search",
        _MOST,
        metavar="MOST",
        read=read_duration,
        write=duration_text,
        verbs=SEARCHING,
    )
    max_memory: int | None = knob(
        None,
        "--max-memory",
        "search",
        _MOST,
        metavar="MOST",
        read=read_size,
        write=size_text,
        verbs=SEARCHING,
    )
    max_steps: int = knob(
        20_000,
        "--max-steps",
        "search",
        "longest execution, in steps (default 20000)",
        semantic=True,
        verbs=MEANING,
        metavar="N",
        read=read_positive,
    )
    seed: int = knob(
        0,
        "--seed",
        "search",
        "of random searches and the program's own random numbers (default 0)",
        metavar="N",
        read=read_count,
        semantic=True,
        verbs=MEANING,
    )
    keep_going: bool = knob(False, "--keep-going", "search", "past the first bug; from the last run; known steps again")
    resume: bool = knob(False, "--resume", "search", "past the first bug; from the last run; known steps again", verbs=GATE)
    known_steps: bool = knob(True, "--no-known-steps", "search", "past the first bug; from the last run; known steps again", switched=False)
    match: str = knob("auto", "--match", "search", _ALIKE, **(one_of("auto", "off", "memory", "happens-before") | {"metavar": "HOW"}))
    symmetry: str = knob("off", "--symmetry", "search", _ALIKE, **(one_of("off", "same", "any") | {"metavar": "HOW"}))
    retries: str = knob("all", "--retries", "search", _ALIKE, **(one_of("all", "last") | {"metavar": "HOW"}))
    seal: str | None = knob(
        None, "--seal", "search", "not preempted inside: 'lib*,push'; one step: 'module:lib*'", metavar="NAMES", verbs=GATE
    )
    trust: str = knob(
        "",
        "--trust",
        "search",
        "not preempted inside: 'lib*,push'; one step: 'module:lib*'",
        metavar="NAMES",
        read=read_trust,
        semantic=True,
        verbs=MEANING,
    )
    sleep_sets: bool = knob(True, "--no-sleep-sets", "search", "parts of the reduction, off", switched=False)
    transitive_reduction: bool = knob(True, "--no-transitive-reduction", "search", "parts of the reduction, off", switched=False)
    bound_optimisation: bool = knob(True, "--no-bound-optimisation", "search", "parts of the reduction, off", switched=False)

    signal: str = knob(
        "any",
        "--signal",
        "meaning",
        "whom a signal may wake: any waiter (default) or the oldest",
        semantic=True,
        verbs=MEANING,
        **one_of("any", "fifo"),
    )
    timeouts: str = knob(
        "idle",
        "--timeouts",
        "meaning",
        "timeouts happen when nothing else can (default) or always",
        semantic=True,
        verbs=MEANING,
        **one_of("idle", "explore"),
    )
    spurious: bool = knob(False, "--spurious", "meaning", "condition waits may return unsignalled", semantic=True, verbs=MEANING)
    races: str = knob(
        "report",
        "--races",
        "meaning",
        "races: report, strict, off, explore; plain code: off, auto, all",
        semantic=True,
        verbs=MEANING,
        **(one_of("report", "strict", "off", "explore") | {"metavar": "HOW"}),
    )
    machine_code: str = knob(
        "auto",
        "--machine-code",
        "meaning",
        "races: report, strict, off, explore; plain code: off, auto, all",
        semantic=True,
        verbs=MEANING,
        metavar="HOW",
        read=read_machine_code,
    )
    memory: str = knob(
        "auto",
        "--memory",
        "meaning",
        "memory auto, sc, tso, c11; orders of sites; failing calls",
        semantic=True,
        verbs=(*MEANING, "mutate"),
        **(one_of("auto", "sc", "tso", "c11") | {"metavar": "WHICH"}),
    )
    orders: bool = knob(False, "--orders", "meaning", "weaken memory orders and fences, not calls", verbs=("mutate",))
    with_order: str = knob(
        "",
        "--with-order",
        "meaning",
        "memory auto, sc, tso, c11; orders of sites; failing calls",
        metavar="WHICH",
        read=read_orders,
        semantic=True,
        verbs=BOTH,
    )
    faults: str = knob(
        "",
        "--faults",
        "meaning",
        "memory auto, sc, tso, c11; orders of sites; failing calls",
        metavar="WHICH",
        read=read_faults,
        semantic=True,
        verbs=MEANING,
    )
    visible: str = knob(
        "",
        "--visible",
        "meaning",
        "racing places, files... as operations (found by itself)",
        metavar="WHICH",
        read=read_places,
        semantic=True,
        verbs=BOTH,
    )
    process_state: str = knob(
        "auto",
        "--process-state",
        "meaning",
        "racing places, files... as operations (found by itself)",
        metavar="WHICH",
        read=read_process_states,
        semantic=True,
        verbs=BOTH,
    )
    quarantine: str = knob(
        "on",
        "--quarantine",
        "meaning",
        "keep freed blocks to see late accesses (default on)",
        semantic=True,
        verbs=MEANING,
        **one_of("on", "off"),
    )
    gil: str = knob(
        "real",
        "--gil",
        "meaning",
        "Python's lock: modelled (default), simulated away, ignored",
        semantic=True,
        verbs=MEANING,
        **one_of("real", "off", "none"),
    )
    stdin: str | None = knob(
        None,
        "--stdin",
        "meaning",
        "the program's input, re-opened per execution (default: none)",
        metavar="FILE",
        semantic=True,
        verbs=MEANING,
    )
    control: str | None = knob(
        None,
        "--control",
        "meaning",
        "behind a wrapper the program that matches; of processes the N-th",
        metavar="WHICH",
        semantic=True,
        verbs=MEANING,
    )
    process: int = knob(
        0,
        "--process",
        "meaning",
        "behind a wrapper the program that matches; of processes the N-th",
        metavar="WHICH",
        read=read_positive,
        semantic=True,
        verbs=MEANING,
    )

    watchdog: float = knob(
        10.0,
        "--watchdog",
        "target",
        "give up on a thread that runs out of sight for so long (default 10)",
        metavar="SECONDS",
        read=read_seconds,
        write=duration_text,
        verbs=MEANING,
    )
    fork_at: str = knob(
        "main", "--fork-at", "target", "where executions begin (default main)", verbs=COMPARED, **one_of("main", "first-thread", "ready")
    )
    reset: str = knob(
        "auto",
        "--reset",
        "target",
        "anew: auto, rollback, fork, exec; threads: auto, fibers, threads",
        verbs=COMPARED,
        **(one_of("auto", "rollback", "fork", "exec") | {"metavar": "HOW"}),
    )
    carrier: str = knob(
        "auto",
        "--carrier",
        "target",
        "anew: auto, rollback, fork, exec; threads: auto, fibers, threads",
        verbs=COMPARED,
        **(one_of("auto", "fibers", "threads") | {"metavar": "HOW"}),
    )
    engine: str = knob(
        "auto",
        "--engine",
        "target",
        "the search: in Python, or beside the program (auto: where it can)",
        **one_of("auto", "python", "native"),
    )
    workers: int = knob(1, "--workers", "target", "processes that search at once (default 1)", metavar="N", read=read_positive, short="-j")
    cluster: str | None = knob(None, "--cluster", "target", _CLUSTER, metavar="WHAT", verbs=GATE)
    send_files: str | None = knob(None, "--send-files", "target", _CLUSTER, metavar="WHAT", verbs=GATE)
    checkpoints: bool = knob(True, "--no-checkpoints", "target", _WAYS, verbs=COMPARED, switched=False)
    insecure_cluster: bool = knob(False, "--insecure-cluster", "target", _WAYS, verbs=GATE)
    require: str = knob(
        "auto",
        "--require",
        "target",
        "fail (4) if less is seen (auto: calls)",
        **one_of("auto", "calls", "machine", "atomics", "memory"),
    )

    state: str = knob(".bpor", "--state", "report", "where results are kept (default .bpor; none: nowhere)", metavar="DIR", verbs=ALL)
    plot: str | None = knob(None, "--plot", "report", "write the comparison as a plot (SVG)", metavar="FILE", verbs=("compare",))
    html: str | None = knob(None, "--html", "report", "the result as a file of that form", metavar="FILE", verbs=BOTH)
    json: str | None = knob(None, "--json", "report", "the result as a file of that form", metavar="FILE", verbs=MEANING)
    junit: str | None = knob(None, "--junit", "report", "the result as a file of that form", metavar="FILE", verbs=GATE)
    sarif: str | None = knob(None, "--sarif", "report", "the result as a file of that form", metavar="FILE", verbs=GATE)
    suppressions: str | None = knob(None, "--suppressions", "report", _KNOWN, metavar="PATH", verbs=GATE)
    corpus: str | None = knob(None, "--corpus", "report", _KNOWN, metavar="PATH", verbs=GATE)
    outcomes: bool = knob(False, "--outcomes", "report", _OUTPUTS)
    show_output: bool = knob(False, "--show-output", "report", _OUTPUTS, verbs=BOTH)
    self_check: bool = knob(False, "--self-check", "report", _OUTPUTS)
    inconclusive: str = knob(
        "fail",
        "--inconclusive",
        "report",
        "pass: exit 0 instead of 3 if the search did not finish",
        verbs=GATE,
        **one_of("pass", "fail"),
    )
    uncontrolled: str = knob(
        "fail",
        "--uncontrolled",
        "report",
        "skip: exit 77 instead of 4 if it cannot be controlled",
        verbs=(*GATE, "replay"),
        **one_of("skip", "fail"),
    )
    quiet: bool = knob(False, "--quiet", "report", _TOLD, short="-q", verbs=(*GATE, "replay"))
    github: bool = knob(False, "--github", "report", _TOLD, verbs=GATE)
    config: str | None = knob(
        None, "--config", "suite", "the suite (default: bpor.toml, or [tool.bpor] in pyproject)", metavar="FILE", verbs=("suite",)
    )
    budget: float | None = knob(
        None,
        "--budget",
        "suite",
        "time for all tests together (default: the file's)",
        metavar="T",
        read=read_duration,
        write=duration_text,
        verbs=SUITES,
    )
    jobs: int | None = knob(
        None, "--jobs", "suite", "searches at the same time (default: as many as processors)", metavar="N", read=read_positive, verbs=SUITES
    )
    shard: str | None = knob(None, "--shard", "suite", "the I-th of N parts, counted from 1", metavar="I/N", read=read_shard, verbs=SUITES)
    baseline: str | None = knob(None, "--baseline", "suite", "fail if a test reaches less than it did there", metavar="FILE", verbs=SUITES)
    write_baseline: str | None = knob(None, "--write-baseline", "suite", "note what every test reaches", metavar="FILE", verbs=SUITES)
    print_trace: bool = knob(False, "--print", "replay", "print every step, not only the few that matter", verbs=REPLAY)
    step: bool = knob(False, "--step", "replay", "stop before each step and show the state", verbs=REPLAY)
    gdb: bool = knob(False, "--gdb", "replay", "under gdb: stops at scheduling points, goes to any step and back", verbs=REPLAY)
    batch: bool = knob(False, "--batch", "replay", "with --gdb: print all backtraces at the last step and leave", verbs=REPLAY)
    rounds: int = knob(
        2, "--rounds", "replay", "of a livelock: rounds to run and compare (default 2)", metavar="N", read=read_positive, verbs=REPLAY
    )


def _knobs() -> Iterable[Knob]:
    for slot in fields(Settings):
        yield replace(slot.metadata["knob"], field=slot.name)


KNOBS: tuple[Knob, ...] = tuple(_knobs())


def to_arguments(settings: Settings, semantic: bool = False) -> list[str]:
    """The command line that gives these settings: what differs from the default. `semantic`: only what changes a schedule's meaning."""
    arguments: list[str] = []
    for each in KNOBS:
        value = getattr(settings, each.field)
        if value != each.default and (each.semantic or not semantic):
            arguments += [f"{each.flag}={each.write(value)}"] if each.takes_value else [each.flag]
    return arguments


def as_options(settings: Settings) -> dict[str, Any]:
    """Field -> value, for the JSON report."""
    return {each.field: getattr(settings, each.field) for each in KNOBS}
