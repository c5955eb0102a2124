"""bpor-native: systematic concurrency testing of native code.

    import bpor
    result = bpor.check(["./my_test"], bound="fair:2,preemption:2")
    if result.findings:
        trace = bpor.replay(result.findings[0])

The package, from the bottom up (imports point down only, and a test says so):

    protocol/   the contract with the C runtime: operations (generated), the shared structures
    model/      pure values: operation, step, schedule, trace, plan
    search/     which schedule next: bounds, strategies, the one loop
    simulate/   programs written in Python behind the same interface as native ones
    target/     native programs: launch, channel, census
    report/     views of a result: text, JSON, the verdict
    store/      what outlives a run: .bpor/, findings as files, the search to go on with
    confirmation  a failing execution becomes a finding: made small, repeated in a fresh process
    race_orders   a race's accesses in one order and in the other, as schedules
    machine       machine code of plain binaries: decoded, planned, made to tell
    searching     one target searched, again when races were found that are to be explored      visible_races  how those become operations
    native_target, python_target  a program as the Subject of a search      target_options  what the settings ask of it
    checking      a Subject searched, its failures confirmed, the verdict      replaying  one schedule of it
    api         check(), replay(): what everything below asks for      loaded_code  libraries that come while the program runs
    suite/      many tests as one gate      mutate/   which synchronisation does no test check?
    self_check  is a program under control at all?      suppressing  known bugs during a search
    extension/  tests of Python extensions: what a test says, its template, pytest's side of it
    pytest_plugin  what pytest loads
    cli/        arguments, help, exit codes
    settings    every knob, once      knobs/  how their texts are read      errors    our faults; the program's faults are values

This file must run on every Python (see platform_support): names are imported when they are first used.
"""

from bpor.version import VERSION as __version__

_EXPORTS = {
    "check": "bpor.api",
    "replay": "bpor.api",
    "Result": "bpor.report.result",
    "Finding": "bpor.report.finding",
    "Verdict": "bpor.report.verdict",
    "Settings": "bpor.settings",
    "Schedule": "bpor.model.schedule",
    "Trace": "bpor.model.trace",
    "Outcome": "bpor.model.trace",
    "BporError": "bpor.errors",
}

__all__ = [
    "BporError",
    "Finding",
    "Outcome",
    "Result",
    "Schedule",
    "Settings",
    "Trace",
    "Verdict",
    "__version__",
    "check",
    "get_include",
    "replay",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bpor.api import check, replay
    from bpor.errors import BporError
    from bpor.model.schedule import Schedule
    from bpor.model.trace import Outcome, Trace
    from bpor.report.finding import Finding
    from bpor.report.result import Result
    from bpor.report.verdict import Verdict
    from bpor.settings import Settings


def get_include():
    # type: () -> str
    """The directory of bpor.h: cc -I"$(python -c 'import bpor; print(bpor.get_include())')"."""
    import os

    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "include")


def __getattr__(name):
    # type: (str) -> object
    if name not in _EXPORTS:
        raise AttributeError("module 'bpor' has no attribute {!r}".format(name))
    import importlib

    return getattr(importlib.import_module(_EXPORTS[name]), name)
