"""Rust: rustc's own instrumentation with our stub instead of its runtime. Its locks are inline atomics, so nothing less sees them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.native.compiled import STUB
from tests.native.tool import run_tool

pytestmark = pytest.mark.needs("rustc", "gcc")

ABBA = """
use std::sync::{Arc, Mutex};
fn main() {
    let locks = Arc::new((Mutex::new(0), Mutex::new(0)));
    let others = locks.clone();
    let thread = std::thread::spawn(move || {
        let _second = others.1.lock().unwrap();
        *others.0.lock().unwrap() += 1;
    });
    {
        let _first = locks.FIRST.lock().unwrap();
        *locks.SECOND.lock().unwrap() += 1;
    }
    thread.join().unwrap();
}
"""
FLAGS = ("-g", "-O", "-Zsanitizer=thread", "-Zexternal-clangrt", f"-Clink-arg={STUB}")
MIXED = "-Cunsafe-allow-abi-mismatch=sanitizer"  # the standard library is not instrumented; older compilers do not ask


def build(directory: Path, source: str) -> Path:
    (directory / "abba.rs").write_text(source)
    environment = {**os.environ, "RUSTC_BOOTSTRAP": "1"}
    for more in ((MIXED,), ()):
        command = ["rustc", *FLAGS, *more, "-o", "abba", "abba.rs"]
        result = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True)
        if "unknown codegen option" not in result.stderr:
            break
    if "unknown unstable option" in result.stderr:
        pytest.skip("this rustc is too old for an external runtime")
    assert result.returncode == 0, result.stderr
    return directory / "abba"


def test_two_mutexes_taken_in_opposite_orders_are_a_deadlock(tmp_path: Path) -> None:
    program = build(tmp_path, ABBA.replace("FIRST", "0").replace("SECOND", "1"))
    assert subprocess.run([program]).returncode == 0
    run = run_tool(program, options=["--bound", "fair:2,preemption:1"])
    assert (run.exit_code, run.kinds) == (1, {"deadlock"}), run
    assert "abba.rs" in run.messages


def test_two_mutexes_taken_in_one_order_pass(tmp_path: Path) -> None:
    program = build(tmp_path, ABBA.replace("FIRST", "1").replace("SECOND", "0"))
    run = run_tool(program, options=["--bound", "fair:2,preemption:1"])
    assert run.exit_code == 0, run
