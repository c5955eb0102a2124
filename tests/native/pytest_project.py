"""pytest, run as a user does, in a project that has an extension with bugs; what it said, by test."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

from tests.native.compiled import ROOT, compiled
from tests.patience import PATIENCE

CASES = Path(__file__).parent / "extension_cases"
TIMEOUT = PATIENCE


@dataclass(frozen=True, slots=True)
class Told:
    """One test: how it ended, what its report says, its properties."""

    outcome: str
    text: str = ""
    properties: dict[str, str] = field(default_factory=dict)

    @property
    def replay(self) -> str:
        """The command of the report's replay line."""
        found = re.search(r"^replay: (.*)$", self.text, re.MULTILINE)
        assert found is not None, self.text
        return found[1]


@dataclass(frozen=True, slots=True)
class PytestRun:
    exit_code: int
    output: str
    tests: dict[str, Told]

    def __getitem__(self, name: str) -> Told:
        return self.tests[name]


def project(directory: Path, *names: str, extension: str = "probe") -> Path:
    """A directory with the extension and some files of tests."""
    module = compiled(CASES / f"{extension}.c", ["-shared", "-fPIC", f"-I{sysconfig.get_path('include')}"], instrumented=True)
    (directory / f"{extension}.so").symlink_to(module)
    for name in names:
        (directory / f"test_{name}.py").write_text((CASES / f"{name}.py").read_text())
    return directory


def environment(**more: str) -> dict[str, str]:
    """The user's, with the tool of this tree. Byte code is kept: without it every run compiles the tool again."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    beside = os.path.dirname(sys.executable)
    return {**inherited, "PYTHONPATH": str(ROOT), "PATH": f"{beside}:{os.environ['PATH']}", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **more}


def run_pytest(directory: Path, *arguments: str, patience: float = TIMEOUT, **more: str) -> PytestRun:
    report = directory / "report.xml"
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-p", "bpor.pytest_plugin", "-p", "no:cacheprovider", f"--junitxml={report}", *arguments]
    result = subprocess.run(command, cwd=directory, env=environment(**more), capture_output=True, text=True, timeout=patience)
    tests = dict(map(_told, ElementTree.parse(report).iter("testcase"))) if report.exists() else {}
    return PytestRun(result.returncode, result.stdout + result.stderr, tests)


def _told(case: ElementTree.Element) -> tuple[str, Told]:
    properties = {one.attrib["name"]: one.attrib["value"] for one in case.iter("property")}
    for outcome in ("failure", "error", "skipped"):
        for element in case.iter(outcome):
            return case.attrib["name"], Told(outcome, element.text or element.attrib["message"], properties)
    return case.attrib["name"], Told("passed", "", properties)
