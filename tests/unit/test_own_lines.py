"""Debug information is a program's own, or it is not the program's."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bpor.report.own_lines import debug_information


@pytest.mark.parametrize(
    ("of_main", "of_other", "says"),
    [
        ("-g", "-g", "yes"),
        ("-g", "-g0", "yes"),
        ("-g0", "-g", "of other.c, but not of the object file that has main (build with -g)"),
        ("-g0", "-g0", "none"),
    ],
)
def test_only_units_of_the_program_count(of_main: str, of_other: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text("int other(void); int main(void) { return other(); }\n")
    (tmp_path / "other.c").write_text("int other(void) { return 0; }\n")
    for name, flag in (("main", of_main), ("other", of_other)):
        subprocess.run(["gcc", flag, "-c", f"{name}.c"], cwd=tmp_path, check=True)
    subprocess.run(["gcc", "-o", "program", "main.o", "other.o"], cwd=tmp_path, check=True)
    assert says in debug_information(str(tmp_path / "program"))


def test_our_stub_is_not_the_programs_code(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")
    (tmp_path / "bpor_stub.c").write_text("int other(void) { return 0; }\n")
    subprocess.run(["gcc", "-g0", "-c", "main.c"], cwd=tmp_path, check=True)
    subprocess.run(["gcc", "-g", "-o", "program", "main.o", "bpor_stub.c"], cwd=tmp_path, check=True)
    assert debug_information(str(tmp_path / "program")).startswith("none")


def test_what_is_no_program_has_none(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no program")
    assert debug_information(str(tmp_path / "text")).startswith("none")
    assert debug_information(str(tmp_path / "missing")).startswith("none")
