"""native_tests/extensions under `pytest --bpor`: every seeded bug is found for what it is, replays, and is not in the fixed variant.

Each test says in its docstring what is to be found in the buggy variant: `expect: deadlock`.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.native.compiled import ROOT
from tests.native.extension_modules import EXAMPLES, built_examples
from tests.patience import PATIENCE

pytestmark = [pytest.mark.needs("gcc", "Python.h"), pytest.mark.slow]
REPLAYS = int(os.environ.get("BPOR_TEST_REPLAYS", "1"))  # make soak: 100
TESTS = sorted(EXAMPLES.glob("*/test_*.py"))


@dataclass(frozen=True)
class Ending:
    """How one test ended under the tool."""

    test: str  # its node id
    found: str  # kind of the finding, or the verdict if there is none
    replay: str = ""  # the value that repeats it
    replayed: tuple[tuple[str, int], ...] = ()  # outcome and hash of each time that it was
    text: str = ""


def expectations() -> dict[str, str]:
    """What each test's docstring says."""
    expected = {}
    for path in TESTS:
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                words = re.fullmatch(r"expect: (\w+)", ast.get_docstring(node) or "")
                assert words, f"{path}: {node.name} does not say what to expect"
                expected[f"{path.relative_to(EXAMPLES)}::{node.name}"] = words[1]
    return expected


def explore(variant: str, report: Path, *options: str | Path) -> list[Ending]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", EXAMPLES, "--junitxml", report, *options, "."]
    path = f"{ROOT}:{built_examples(variant)}"
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    result = subprocess.run(command, cwd=EXAMPLES, env=environment, capture_output=True, text=True, timeout=PATIENCE * (1 + REPLAYS))
    assert report.exists(), result.stdout + result.stderr
    return [ending(case) for case in ElementTree.parse(report).getroot().iter("testcase")]


def ending(case: ElementTree.Element) -> Ending:
    told = {item.get("name", ""): item.get("value", "") for item in case.iter("property")}
    test = f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}"
    text = "".join(part.text or "" for part in case if part.tag in ("failure", "error"))
    value = re.search(r"--bpor-replay=([^\s']+)", told.get("bpor_replay", ""))
    found = told.get("bpor_finding", told.get("bpor_verdict", "nothing told"))
    replayed = tuple((outcome, trace) for outcome, trace in json.loads(told.get("replayed", "[]")))
    return Ending(test, found, value[1] if value else "", replayed, text)


def test_every_seeded_bug_is_found_for_what_it_is_and_replays(tmp_path: Path) -> None:
    endings = explore("buggy", tmp_path / "found.xml", "--bpor")
    assert {one.test: one.found for one in endings} == expectations(), "\n".join(one.text for one in endings)

    bugs = {one.test: one for one in endings if one.found != "pass"}
    values = tmp_path / "replays.json"
    values.write_text(json.dumps({test: one.replay for test, one in bugs.items()}))
    each = ("-p", "tests.native.replay_each", "--bpor", "--replays", values, "--times", str(REPLAYS))
    again = explore("buggy", tmp_path / "again.xml", *each)
    assert {one.test: len(one.replayed) for one in again} == dict.fromkeys(bugs, REPLAYS), "\n".join(one.text for one in again)
    for one in again:
        assert {outcome for outcome, _ in one.replayed} == {bugs[one.test].found}
        assert len(set(one.replayed)) == 1, f"{one.test}: {Counter(one.replayed)}"


def test_the_fixed_variants_pass(tmp_path: Path) -> None:
    endings = explore("fixed", tmp_path / "found.xml", "--bpor")
    assert {one.test: one.found for one in endings} == dict.fromkeys(expectations(), "pass"), "\n".join(one.text for one in endings)


def test_the_same_tests_run_on_real_threads_without_the_tool(tmp_path: Path) -> None:
    """Of the fixed variants: the buggy ones may fail there, though they hardly ever do."""
    endings = explore("fixed", tmp_path / "real.xml")
    assert {one.test: one.text for one in endings} == dict.fromkeys(expectations(), "")
