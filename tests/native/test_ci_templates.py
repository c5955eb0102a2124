"""The GitHub Action and the GitLab template of this repository: valid by their services' schemas, and their steps do what they say."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.native.compiled import PROGRAMS, ROOT, compiled
from tests.patience import PATIENCE

ACTION = ROOT / "action.yml"
GITLAB = ROOT / "templates/bpor-native.gitlab-ci.yml"


@pytest.mark.parametrize(("file", "schema"), [(ACTION, "vendor.github-actions"), (GITLAB, "vendor.gitlab-ci")], ids=["github", "gitlab"])
def test_it_is_valid_by_its_services_schema(file: Path, schema: str) -> None:
    checker = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(file)]
    checked = subprocess.run(checker, capture_output=True, text=True, timeout=PATIENCE)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A suite of one deadlock and one that passes, and a `bpor-native` on the path."""
    for name in ("buggy/deadlock/bank.c", "correct/mutex/counter.c"):
        shutil.copy(compiled(PROGRAMS / name), tmp_path)
    (tmp_path / "bpor.toml").write_text('[options]\nbound = "preemption:1"\n[[test]]\nprogram = "counter"\n[[test]]\nprogram = "bank"\n')
    tool = tmp_path / "bin/bpor-native"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m bpor "$@"\n')
    tool.chmod(0o755)
    return tmp_path


def run(script: str, project: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": f"{project}/bin:{os.environ['PATH']}", **variables}
    return subprocess.run(["bash", "-e", "-c", script], cwd=project, env=environment, capture_output=True, text=True, timeout=PATIENCE)


def steps() -> dict[str, Any]:
    return {step["name"]: step for step in YAML(typ="safe").load(ACTION.read_text())["runs"]["steps"]}


def test_the_steps_of_the_action(project: Path) -> None:
    """As a runner does it: inputs come as variables, outputs go to files."""
    files = {name: str(project / name) for name in ("GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "RUNNER_TEMP")}
    install = steps()["Install bpor-native"]
    done = run(install["run"], project, **files, BPOR_INSTALL="--help", BPOR_PYTHON=sys.executable)  # of pip: nothing is fetched
    assert done.returncode == 0, done.stderr
    assert (project / "GITHUB_PATH").read_text() == f"{project}/RUNNER_TEMP/bpor/bin\n"
    search = steps()["Search the schedules"]
    assert set(search["env"]) == {"BPOR_TESTS", "BPOR_OPTIONS", "BPOR_SHARD", "BPOR_SARIF", "BPOR_JUNIT"}
    inputs = {"BPOR_TESTS": "", "BPOR_OPTIONS": "-q", "BPOR_SHARD": "", "BPOR_SARIF": "bpor.sarif", "BPOR_JUNIT": "bpor.xml"}
    found = run(search["run"], project, **files, **inputs)
    assert found.returncode == 1 and "::error " in found.stdout, found
    assert (project / "GITHUB_OUTPUT").read_text() == "exit-code=1\n"
    assert "deadlock" in (project / "GITHUB_STEP_SUMMARY").read_text()
    assert len(json.loads((project / "bpor.sarif").read_text())["runs"][0]["results"]) == 1
    passed = run(search["run"], project, **files, **{**inputs, "BPOR_TESTS": "counter", "BPOR_SHARD": "1/1"})
    assert passed.returncode == 0 and "suite: 1 test: 1 passed" in passed.stdout


def test_the_script_of_the_gitlab_template(project: Path) -> None:
    job = YAML(typ="safe").load(GITLAB.read_text())[".bpor-native"]
    variables = {**job["variables"], "BPOR_INSTALL": "", "BPOR_OPTIONS": "-q"}
    second = run("\n".join([*job["before_script"], *job["script"]]), project, **variables, CI_NODE_INDEX="2", CI_NODE_TOTAL="2")
    assert second.returncode == 1 and "suite: 1 test: 0 passed, 1 failed" in second.stdout, second
    assert job["artifacts"]["reports"]["junit"] == "bpor.xml" and (project / "bpor.xml").exists()
    alone = run("\n".join(job["script"]), project, **variables)
    assert "suite: 2 tests: 1 passed, 1 failed" in alone.stdout, alone
