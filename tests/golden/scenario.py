"""Executions written by hand over a program that is really compiled: addresses come from its own line table and symbols.

So a golden report goes the whole way (trace + description + ELF and DWARF -> names -> text) without a runtime.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from bpor.model.operation import ObjectAccess, Operation
from bpor.model.step import Step
from bpor.model.trace import Description, End, Trace
from bpor.protocol.ops import Op
from bpor.report.dwarf_image import DwarfImage
from bpor.report.dwarf_lines import LineTable
from tests.patience import PATIENCE

BASE = 0x555555554000
SYNC, MEMORY = 1 << 60, 0
HEAP = 1 << 58
PROGRAMS = Path(__file__).parent / "programs"


def compile_program(name: str, directory: Path, *flags: str) -> Path:
    output = directory / name.removesuffix(".c")
    subprocess.run(["gcc", "-g", "-O0", *flags, str(PROGRAMS / name), "-o", str(output), "-lpthread"], check=True, timeout=PATIENCE)
    return output


@dataclass
class Scenario:
    """`did` in the order of the schedule; `stops` for what unfinished threads are stopped before. No line: no place known."""

    program: Path
    description: Description = field(default_factory=Description)
    _steps: list[tuple[int, Operation, dict[str, object]]] = field(default_factory=list)
    _stopped: dict[int, Operation] = field(default_factory=dict)
    _counts: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.image = DwarfImage(str(self.program))
        self.description.modules.append((BASE, str(self.program)))

    # ---- addresses ----

    def line(self, text: str) -> int:
        """A return address in the line that holds a text (`text#2`: the second such line): one past an instruction of it."""
        wanted, _, occurrence = text.partition("#")
        source = (PROGRAMS / f"{self.program.name}.c").read_text().splitlines()
        number = [index for index, line in enumerate(source, 1) if wanted in line][int(occurrence or 1) - 1]
        for unit in self.image.units():
            for row in LineTable(unit)._rows:
                if row.line == number and not row.ends:
                    return BASE + row.address + 1
        raise AssertionError(f"no code in the line of {text}")

    def address(self, symbol: str) -> int:
        return BASE + next(s.address for s in self.image._symbols[1] if s.name == symbol)

    def static(self, symbol: str, offset: int = 0, *, space: int = SYNC) -> int:
        address = self.address(symbol) + offset
        identity = space | (address - BASE)
        self.description.objects[identity] = (address, 0)
        return identity

    def heap(self, region: int, offset: int, line: str) -> int:
        identity = SYNC | HEAP | region << 32 | offset
        self.description.objects[identity] = (0x7000_0000 + offset, self.line(line))
        return identity

    def runs(self, thread: int, function: str, creator: int = 0) -> None:
        self.description.threads[thread] = (creator, self.address(function))

    # ---- the execution ----

    def did(self, thread: int, op: Op, *objects: int, line: str = "", calls: tuple[str, ...] = (), **facts: object) -> None:
        self._steps.append((thread, self._operation(thread, op, objects, line, calls, facts.pop("target", None)), facts))

    def stops(self, thread: int, op: Op, *objects: int, line: str = "", calls: tuple[str, ...] = (), target: int | None = None) -> None:
        self._stopped[thread] = self._operation(thread, op, objects, line, calls, target)

    def _operation(self, thread: int, op: Op, objects: tuple[int, ...], line: str, calls: tuple[str, ...], target: object) -> Operation:
        number = self._counts.get(thread, 0)
        self._counts[thread] = number + 1
        site = self.line(line) if line else 0
        if site:
            self.description.stacks[thread, number] = (site, *(self.line(call) for call in calls))
        size = {"size": 4} if op in (Op.READ, Op.WRITE) else {}
        footprint = tuple(ObjectAccess(identity, op is not Op.READ, **size) for identity in objects)
        assert target is None or isinstance(target, int)
        return Operation(op, footprint, target, site)

    def trace(self, end: End, enabled: int = 0) -> Trace:
        """Each step announces the mover's next operation and the first of the threads it creates (`creates=`)."""
        queue: dict[int, list[Operation]] = {}
        for thread, operation, _ in self._steps:
            queue.setdefault(thread, []).append(operation)
        for thread, operation in self._stopped.items():
            queue.setdefault(thread, []).append(operation)
        steps = []
        following = {thread: iter(operations) for thread, operations in queue.items()}
        created = {facts.get("creates") for _, _, facts in self._steps}
        initial = tuple((thread, next(following[thread])) for thread in queue if thread not in created)
        for thread, operation, facts in self._steps:
            facts = dict(facts)
            movers = [t for t in (thread, facts.pop("creates", None)) if isinstance(t, int)]
            announced = [(t, o) for t in movers for o in [next(following.get(t, iter(())), None)] if o is not None]
            finished = tuple(t for t in movers if t not in dict(announced))
            facts.setdefault("enabled", 1 << thread)
            steps.append(Step(thread, operation, operation.footprint, announced=tuple(announced), finished=finished, **facts))  # type: ignore[arg-type]
        return Trace(end, tuple(steps), initial=initial, enabled=enabled, threads=len(queue))
