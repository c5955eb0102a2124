"""A dozen litmus tests by std::atomic of C++ and by Rust's atomics: they do what the same tests do in simulated memory."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from bpor.simulate.litmus import LITMUS, Litmus
from tests.native.compiled import STUB, compiled
from tests.native.weak_programs import run_natively, simulated
from tests.property.weak_trial import shows

HERE = Path(__file__).parent
NAMES = (
    *("SB rlx", "SB sc", "SB sc fences", "SB rmw acq_rel", "MP rlx,rlx", "MP rel,acq", "MP release fence alone"),
    *("S rlx", "2+2W rlx", "2+2W sc fences", "rmw of an old value", "rmw atomicity"),
)
DOZEN = [litmus for litmus in LITMUS if litmus.name in NAMES]


def test_there_are_a_dozen() -> None:
    assert len(DOZEN) == len(NAMES) == 12


def same(program: Path, litmus: Litmus) -> None:
    native, expected = run_natively(litmus.text, "c11", program=program), simulated(litmus.text, "c11")
    assert (native.outcomes, native.executions) == (expected.outcomes, expected.executions)
    assert shows(litmus, native.outcomes) == ("c11" in litmus.shown)


@pytest.mark.needs("g++")
@pytest.mark.parametrize("litmus", DOZEN, ids=lambda litmus: litmus.name)
def test_in_cpp(litmus: Litmus) -> None:
    same(compiled(HERE / "atomics.cpp", instrumented=True), litmus)


@pytest.fixture(scope="module")
def in_rust(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("rust") / "atomics"
    flags = ("-g", "-O", "-Zsanitizer=thread", "-Zexternal-clangrt", f"-Clink-arg={STUB}", "-Cunsafe-allow-abi-mismatch=sanitizer")
    command = ["rustc", *flags, "-o", str(program), str(HERE / "atomics.rs")]
    result = subprocess.run(command, env={**os.environ, "RUSTC_BOOTSTRAP": "1"}, capture_output=True, text=True)
    if "unknown codegen option" in result.stderr or "unknown unstable option" in result.stderr:
        pytest.skip("this rustc is too old for an external runtime")
    assert result.returncode == 0, result.stderr
    return program


@pytest.mark.needs("rustc", "gcc")
@pytest.mark.parametrize("litmus", DOZEN, ids=lambda litmus: litmus.name)
def test_in_rust(litmus: Litmus, in_rust: Path) -> None:
    same(in_rust, litmus)
