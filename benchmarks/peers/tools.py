"""The tools that are compared. Each says where it is, how a program is prepared for it, and what of its output is a count of executions.

Compiling is no part of what is measured where a tool takes a compiled program; GenMC takes C and compiles by itself, which the row of the
trivial program shows and takes off.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers.rows import Row

ROOT = Path(__file__).resolve().parents[2]
FORMS = Path(__file__).parent / "relacy"


class Tool(ABC):
    name: str

    @abstractmethod
    def prepare(self, row: Row, directory: Path) -> list[str] | None:
        """The command that searches a program, or None where the tool has no form of it."""

    @abstractmethod
    def executions(self, output: str) -> str:
        """How many executions the output tells of, in the tool's own counting."""


def found(pattern: str, output: str) -> str:
    match = re.search(pattern, output)
    return match[1] if match else "?"


@dataclass(frozen=True)
class Ours(Tool):
    """All schedules at once, which is what the peers look for, too."""

    name: str = "--bound none"

    def prepare(self, row: Row, directory: Path) -> list[str] | None:
        program = directory / f"ours-{row.program}-{row.threads}-{row.rounds}"
        compiler = ROOT / "bpor" / "_native" / "bpor-cc"
        subprocess.run([compiler, "-g", "-O1", "-pthread", *row.defines, row.source, "-o", program], check=True)
        return [str(ROOT / ".venv" / "bin" / "bpor-native"), "--bound", "none", "--max-time", "120", str(program)]

    def executions(self, output: str) -> str:
        told = re.findall(r"([\d,]+) executions?\b", output)  # lines of progress first
        return str(told[-1]).replace(",", "") if told else "?"


@dataclass(frozen=True)
class OursByDefault(Ours):
    """Bugs with few preemptions first."""

    name: str = "bpor-native"

    def prepare(self, row: Row, directory: Path) -> list[str] | None:
        command = super().prepare(row, directory)
        return [word for word in command if word not in ("--bound", "none")] if command else None


@dataclass(frozen=True)
class OursSymmetric(Ours):
    """One order of threads that start alike, which is no default of ours, nor is it one of GenMC's."""

    name: str = "--symmetry"

    def prepare(self, row: Row, directory: Path) -> list[str] | None:
        command = super().prepare(row, directory)
        return [*command[:-1], f"--symmetry={row.symmetry}", command[-1]] if command and row.symmetry else None


@dataclass(frozen=True)
class OursOptimal(Ours):
    """Each trace once and nothing in vain, which is no default of ours."""

    name: str = "--search=optimal"

    def prepare(self, row: Row, directory: Path) -> list[str] | None:
        command = super().prepare(row, directory)
        return [*command[:-1], "--search=optimal", command[-1]] if command else None


@dataclass(frozen=True)
class OursLast(Ours):
    """Of looks in vain the last ones only, which is no default of ours; GenMC gives up such rounds where it finds them in the text."""

    name: str = "--retries=last"

    def prepare(self, row: Row, directory: Path) -> list[str] | None:
        command = super().prepare(row, directory)
        return [*command[:-1], "--retries=last", command[-1]] if command and row.retries else None


@dataclass(frozen=True)
class GenMC(Tool):
    executable: str
    name: str = "GenMC"

    def prepare(self, row: Row, directory: Path) -> list[str]:
        return [self.executable, "--disable-estimation", "--", *row.defines, str(row.source)]

    def executions(self, output: str) -> str:
        blocked = found(r"blocked executions seen: (\d+)", output)
        complete = found(r"complete executions explored: (\d+)", output)
        return complete if blocked == "?" else f"{complete} + {blocked}"


@dataclass(frozen=True)
class McMini(Tool):
    """It knows mutexes, semaphores, conditions and threads, no atomics: of other programs it would see one schedule."""

    executable: str
    name: str = "McMini"

    def prepare(self, row: Row, directory: Path) -> list[str] | None:
        if row.program not in ("mutex", "trivial"):
            return None
        program = directory / f"mcmini-{row.program}-{row.threads}-{row.rounds}"
        subprocess.run(["cc", "-g", "-O1", "-pthread", *row.defines, row.source, "-o", program], check=True)
        return [self.executable, "-q", str(program)]

    def executions(self, output: str) -> str:
        return found(r"Number of traces: (\d+)", output)


@dataclass(frozen=True)
class Relacy(Tool):
    include: Path
    name: str = "Relacy"

    def prepare(self, row: Row, directory: Path) -> list[str] | None:
        source = FORMS / f"{row.program}.cpp"
        if not source.exists():
            return None
        program = directory / f"relacy-{row.program}-{row.threads}-{row.rounds}"
        subprocess.run(["c++", "-O2", "-w", f"-I{self.include}", f"-I{FORMS}", *row.defines, source, "-o", program], check=True)
        return [str(program)]

    def executions(self, output: str) -> str:
        return found(r"iterations: (\d+)", output)


def tools_here(relacy: Path | None) -> list[Tool]:
    """Ours first; then the peers on the PATH, and Relacy where its headers are."""
    tools: list[Tool] = [OursByDefault(), Ours(), OursOptimal(), OursSymmetric(), OursLast()]
    for name, kind in (("genmc", GenMC), ("mcmini", McMini)):
        if executable := shutil.which(name):
            tools.append(kind(executable))
    if relacy is not None:
        tools.append(Relacy(relacy))
    return tools
