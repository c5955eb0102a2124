"""One case per expectation on top of each file of native_tests/: the verdict, the kind, the number of traces, and the replay line.

Invariant: in buggy/ only a finding of the expected kind counts as found; an internal error, a divergence or a time-out never does.
The first expectation of each file also runs in `make test-quick`, unless it says that it is slow.
"""

from __future__ import annotations

import platform
import re
import subprocess

import pytest

from tests.native.compiled import PROGRAMS, ROOT, compiled, compiler
from tests.native.expectations import KINDS, Expectation, Program, read_program
from tests.native.tool import Run, replay_inside, run_inside
from tests.patience import PATIENCE

_ROW = re.compile(r"^FUNCTION\((\w+), *(\w+)\)", re.MULTILINE)


def intercepted() -> frozenset[str]:
    """The functions the runtime controls, and their families, as its own table says; those it refuses are not among them."""
    rows = _ROW.findall((ROOT / "csrc/protocol/intercepted.def").read_text(encoding="utf-8"))
    return frozenset(name for row in rows for name in row if row[1] != "refused")


def collected() -> list[Program]:
    known = intercepted()
    sources = sorted(path for path in PROGRAMS.rglob("*") if path.suffix in {".c", ".cpp"} and PROGRAMS / "extensions" not in path.parents)
    programs = [read_program(path) for path in sources]
    return [one for one in programs if known.issuperset(one.needs) and platform.machine() in (one.machine or (platform.machine(),))]


ALL = collected()


def name_of(program: Program) -> str:
    return str(program.path.relative_to(PROGRAMS))


def is_correct(program: Program) -> bool:
    return program.path.relative_to(PROGRAMS).parts[0] == "correct"


def cases() -> list[object]:
    return [
        pytest.param(
            program,
            expectation,
            id=f"{name_of(program)} {expectation}",
            marks=[pytest.mark.needs(compiler(program.path)), *([pytest.mark.slow] if expectation.slow or number else [])],
        )
        for program in ALL
        for number, expectation in enumerate(program.expectations)
    ]


@pytest.mark.parametrize(("program", "expectation"), cases())
def test_a_program_behaves_as_it_says(program: Program, expectation: Expectation) -> None:
    executable = compiled(program.path, [*program.flags, *(f"-D{define}" for define in expectation.defines)], program.instrumented)
    options = [*program.options, *(["--bound", expectation.bound] if expectation.bound else [])]
    if expectation.verdict == "bug" and expectation.traces is not None:
        options.append("--keep-going")
    run = run_inside(executable, program.args, options)
    assert (run.exit_code, run.report.get("verdict")) == (expectation.exit_code, expectation.verdict), run
    assert run.kinds == expectation.kinds, run
    if expectation.traces is not None:
        assert run.report["distinct_traces"] == expectation.traces, run
    if expectation.verdict != "pass" or is_correct(program):
        assert all(text in run.messages for text in program.says), run
    assert_every_finding_replays(run)


def assert_every_finding_replays(run: Run) -> None:
    for finding in run.report.get("findings", ()):
        again = replay_inside(finding["replay"])
        assert again.exit_code == run.exit_code, again
        assert [(one["kind"], one["schedule"]) for one in again.report["findings"]] == [(finding["kind"], finding["schedule"])], again


@pytest.mark.slow
@pytest.mark.parametrize(
    "program",
    [pytest.param(one, id=name_of(one), marks=pytest.mark.needs(compiler(one.path))) for one in ALL if is_correct(one)],
)
def test_a_correct_program_passes_by_itself(program: Program) -> None:
    """Without the tool and without arguments: sleeps are short then."""
    executable = compiled(program.path, program.flags, program.instrumented)
    result = subprocess.run([executable], stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
    assert result.returncode == 0, result.stderr


def test_every_kind_has_a_folder_and_every_folder_its_kind() -> None:
    for program in ALL:
        verdicts = {one.verdict for one in program.expectations}
        kinds = frozenset().union(*(one.kinds for one in program.expectations))
        group, *rest = program.path.relative_to(PROGRAMS).parts
        if group == "correct":
            assert verdicts <= {"pass", "inconclusive"}, program.path
        elif group == "unsupported":
            assert verdicts == {"uncontrolled"}, program.path
        else:
            assert group == "buggy" and rest[0] in KINDS and rest[0] in kinds, program.path
