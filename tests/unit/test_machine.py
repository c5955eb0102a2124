"""Doctor without a program: facts about this machine, tried and not guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from bpor.cli import main
from bpor.target import machine
from bpor.target.machine import machine_facts


def test_the_machine_that_runs_the_tests_can_run_the_tool() -> None:
    assert [fact for fact in machine_facts() if not fact.ok] == []


def test_a_tree_that_was_not_built_is_bad_and_says_how_to_build_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(machine, "NATIVE", tmp_path)
    assert main(["doctor"]) == 2
    out = capsys.readouterr().out
    assert "BAD  libbpor.so: not built" in out
    assert "python scripts/native_build.py" in out
    assert "cannot run bpor-native" in out


def test_a_missing_optional_tool_is_not_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    facts = {fact.name: fact for fact in machine_facts()}
    assert facts["gdb"].value == "missing"
    assert facts["gdb"].ok


def test_asking_about_address_randomisation_changes_nothing() -> None:
    before = Path("/proc/self/personality").read_text()
    machine_facts()
    assert Path("/proc/self/personality").read_text() == before
