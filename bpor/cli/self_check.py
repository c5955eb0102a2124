"""--self-check: it runs two schedules instead of a search, and looks at every thread of the process."""

from __future__ import annotations

from bpor.cli.arguments import Command
from bpor.lazy_dataclass import replace
from bpor.native_target import native_target, without_doubtful_races
from bpor.self_check import SelfCheck, check_orders, check_patched, check_tasks
from bpor.settings import Settings

EXIT_CODES = {True: 0, False: 4, None: 3}


def self_check(command: Command) -> int:
    for found in _checks(command.program, command.settings):
        print(found)
        if not found.passed:
            return EXIT_CODES[found.passed]
    return 0


def _checks(argv: tuple[str, ...], settings: Settings) -> tuple[SelfCheck, ...]:
    """The threads first: with one that is not ours an order says nothing. Each thread must then be a kernel thread."""
    settings = without_doubtful_races(argv, settings)
    on_threads = replace(settings, carrier="threads", reset="fork")
    with native_target(argv, on_threads).open() as executor:
        tasks = check_tasks(executor, settings.max_steps)  # type: ignore[arg-type]
    if not tasks.passed:
        return (tasks,)
    with native_target(argv, settings).open() as executor:
        found = tasks, check_orders(executor, settings.max_steps)  # type: ignore[arg-type]
    if not native_target(argv, settings).doubts.patched:
        return found
    unpatched = replace(settings, machine_code="off")
    with native_target(argv, unpatched).open() as plain, native_target(argv, settings).open() as patched:
        return (check_patched(plain, patched, settings.max_steps), *found)  # type: ignore[arg-type]
