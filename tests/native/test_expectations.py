"""The parser of the expectations on top of native test programs: what it reads, and that it never takes a mistake for a comment."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.native.expectations import Expectation, parse_program

HERE = Path("a.c")


def test_purpose_runs_and_words_are_read() -> None:
    program = parse_program(
        HERE,
        "// Does it.\n// Twice.\n// args: -n 'a b'\n// says: SIGSEGV at once\n// expect: deadlock and exit\n"
        "// with N=2 M=3, bound fair:2,preemption:1: pass, traces 7, slow\nint main;\n// bound none: nonsense\n",
    )
    assert program.purpose == "Does it. Twice."
    assert program.args == ("-n", "a b")
    assert program.says == ("SIGSEGV at once",)
    assert program.expectations == (
        Expectation("bug", frozenset({"deadlock", "exit"})),
        Expectation("pass", bound="fair:2,preemption:1", defines=("N=2", "M=3"), traces=7, slow=True),
    )
    assert [one.exit_code for one in program.expectations] == [1, 0]


@pytest.mark.parametrize(
    "line",
    [
        "// bound none pass",
        "// bound none: passes",
        "// bound none: pass, trace 3",
        "// bound none: pass traces 3",
        "// expect deadlock",
        "// expects: deadlock",
        "// with N=2: pass",
        "// option: --spurious",
        "// bound preemption:3..1: pass",
        "// a stray comment after the directives",
    ],
)
def test_a_directive_with_a_mistake_is_an_error_with_its_line(line: str) -> None:
    with pytest.raises(ValueError, match=r"a\.c:3: "):
        parse_program(HERE, f"// Purpose.\n// bound preemption:0: pass\n{line}\n")


@pytest.mark.parametrize("text", ["int main;\n", "// Purpose only.\n", "// bound none: pass\n"])
def test_a_program_needs_a_purpose_and_an_expectation(text: str) -> None:
    with pytest.raises(ValueError, match="opens with its purpose"):
        parse_program(HERE, text)


@pytest.mark.parametrize("line", ["// expected: pass", "// bound none: nothing", "// args:"])
def test_a_mistake_in_the_first_directive_is_not_taken_for_the_purpose(line: str) -> None:
    with pytest.raises(ValueError, match=r"a\.c:2: "):
        parse_program(HERE, f"// Purpose.\n{line}\n// bound none: pass\n")


def test_a_range_of_bounds_is_one_run_for_each() -> None:
    program = parse_program(HERE, "// Purpose.\n// bound fair:2,preemption:0..1: pass\n// bound fair:2,preemption:2..3: race\n")
    assert [(str(one), one.verdict) for one in program.expectations] == [
        ("fair:2,preemption:0", "pass"),
        ("fair:2,preemption:1", "pass"),
        ("fair:2,preemption:2", "bug"),
        ("fair:2,preemption:3", "bug"),
    ]
