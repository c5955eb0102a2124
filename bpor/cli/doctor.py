"""The verb doctor: the census of a program and how it will be run, of one library, or the state of this machine, as text."""

from __future__ import annotations

import os
from collections.abc import Sequence

from bpor.cli.arguments import Command
from bpor.errors import Uncontrolled, UsageError
from bpor.model.plan import Plan
from bpor.model.trace import Outcome
from bpor.native_target import patching_of
from bpor.report.own_lines import debug_information
from bpor.report.symbols_demangle import function_name
from bpor.settings import Settings
from bpor.target.census import Census, Module, take_census
from bpor.target.elf import Elf, read_elf
from bpor.target.executor import NativeExecutor
from bpor.target.instructions import Instructions
from bpor.target.machine import machine_facts
from bpor.target.patched import Patching
from bpor.target.program import inspect_program

_INSTRUCTIONS = {
    "atomic": "atomic instruction{s}, which no call shows: a race or a bug between them is out of our sight (in {where})",
    "syscall": "direct system call{s}: a thread that waits in one is out of our sight",
    "clock": "read{s} of the processor's clock, which cannot be made to repeat",
    "random": "read{s} of the processor's random numbers, which cannot be made to repeat",
}
_LISTED = 8


def doctor(command: Command) -> int:
    if not command.program:
        return _machine()
    library = _as_library(command.program[0])
    return _library(library) if library else _program(command.program)


def _machine() -> int:
    facts = machine_facts()
    for fact in facts:
        print(f"{'ok ' if fact.ok else 'BAD'}  {fact.name}: {fact.value}" + (f" ({fact.advice})" if fact.advice else ""))
    good = all(fact.ok for fact in facts)
    print("doctor: this machine can run bpor-native" if good else "doctor: this machine cannot run bpor-native")
    return 0 if good else UsageError.exit_code


def _program(argv: Sequence[str]) -> int:
    name = argv[0]
    patching = patching_of(inspect_program(name), Settings())
    census = take_census(inspect_program(name)).with_patching(patching)
    for line in (*census_lines(census), *_machine_code_lines(patching)):
        print(line)
    if census.missing:
        raise Uncontrolled(f"{name}: the loader does not find {', '.join(census.missing)}, so it cannot start (LD_LIBRARY_PATH?)")
    print(f"  {_mode_line(argv)}")
    print(f"doctor: can be controlled; coverage {census.coverage}")
    return 0


def _machine_code_lines(patching: Patching) -> list[str]:
    """What --machine-code=auto would tell."""
    lines = []
    for module in patching.modules:
        name = os.path.basename(module.path)
        missed = f", {module.unpatched} not, in {module.functions} function{'s' * (module.functions > 1)}" if module.unpatched else ""
        traps = f" ({module.traps} by breakpoint instructions)" if module.traps else ""
        words = f"not patched: {module.problem}" if module.problem else f"{module.sites} accesses patched{traps}{missed}"
        lines.append(f"  --machine-code=auto: {name}: {words}")
    lines += [f"  --machine-code=auto: {os.path.basename(path)}: left alone, it cannot make a thread wait" for path in patching.left_out]
    return lines


def _mode_line(argv: Sequence[str]) -> str:
    """Tried, not guessed: two executions, by the default schedule. What the first one changed must not be there for the second."""
    with NativeExecutor(argv) as executor:
        for _ in range(2):
            end = executor.run(Plan()).end
            if end.outcome in (Outcome.REFUSED, Outcome.WATCHDOG):
                raise Uncontrolled(f"{argv[0]}: {end.message}")
        return f"mode: {executor.mode}" + (f"; {executor.reason}" if executor.reason else "")


def _as_library(name: str) -> Elf | None:
    """A library has nothing to run: whether it tells its accesses is all there is to say. None: not one, or not there."""
    try:
        elf = read_elf(os.path.abspath(name))
    except OSError:
        return None  # looked for in PATH, or complained about, as a program
    return elf if elf and elf.is_library else None


def _library(elf: Elf) -> int:
    print(elf.path)
    for line in _module_lines(Module(elf)):
        print(f"  {line}")
    if not elf.instrumented:
        print("doctor: not instrumented (stale object files?); remove them and build again with `bpor-native build COMMAND`")
        return Uncontrolled.exit_code
    silent = ", ".join(elf.silent_units)
    print(f"doctor: instrumented, except {silent} (stale object files?)" if silent else "doctor: instrumented")
    return 0


def census_lines(census: Census) -> list[str]:
    lines = [census.program.path]
    for module in census.modules:
        lines += [f"  {line}" for line in _module_lines(module)]
    if census.system:
        lines.append(f"  known system libraries: {', '.join(census.system)}")
    lines += [f"  note: {note}" for note in census.notes]
    lines += [f"  missing library: {name}" for name in census.missing]
    return lines


def _module_lines(module: Module) -> list[str]:
    elf = module.elf
    lines = [f"{os.path.basename(elf.path)}:"]
    lines.append(f"  debug information: {debug_information(elf.path)}")
    lines.append(
        "  instrumented: "
        + ("yes (ThreadSanitizer callbacks)" if elf.instrumented else "no: library calls are seen, plain and atomic accesses are not")
    )
    if elf.silent_units:
        lines.append(f"  not instrumented: {', '.join(elf.silent_units)}: compiled without `bpor-native cc`")
    if module.instructions is None:
        lines.append("  instructions: not looked at: it cannot be read")
        return lines
    found = {name: count for name, count in module.instructions.counts.items() if count}
    where = _functions(module.instructions)
    lines += [f"  {count} {_INSTRUCTIONS[name].format(s='s' * (count > 1), where=where)}" for name, count in found.items()]
    if "atomic" not in found and not elf.instrumented:
        lines.append("  no atomic instruction found; that proves nothing: an atomic load or store can be a plain move")
    return lines


def _functions(instructions: Instructions) -> str:
    found = list(dict.fromkeys(map(function_name, instructions.functions)))
    more = f" and {len(found) - _LISTED} more functions" if len(found) > _LISTED else ""
    return ", ".join(found[:_LISTED]) + more
