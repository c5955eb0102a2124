"""Functions and lines of a unit as the library that reads debug information finds them entry by entry, in a fraction of its work."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from elftools.dwarf.compileunit import CompileUnit

from bpor.report import dwarf_scan
from bpor.report.dwarf_functions import functions_of
from bpor.report.dwarf_image import DwarfImage
from bpor.report.dwarf_lines import LineRow, rows_of
from bpor.report.dwarf_ranges import ranges_of
from bpor.report.dwarf_scan import Unknown, function_offsets, uleb
from tests.effort import calls_of
from tests.patience import PATIENCE

SOURCE = """
static inline int twice(int x) { return x + x; }
struct pair { const char *name; double value[3]; };
static struct pair pairs[2] = {{"a", {1, 2, 3}}, {"b", {4, 5, 6}}};
int first(int x) { return twice(x) + (int)pairs[0].value[1]; }
int second(int x)
{
    int sum = 0;

    for (int i = 0; i < x; i++)
        sum += first(i);
    return sum;
}
int main(int count, char **words) { return second(count) + words[0][0]; }
"""
BUILDS = ["gcc -O0 -gdwarf-2 -gstrict-dwarf", "gcc -O2 -gdwarf-3", "gcc -O2 -gdwarf-5", "clang -O0 -gdwarf-4", "clang -O2 -gdwarf-5"]


def units(build: str, directory: Path, more: str = "") -> list[CompileUnit]:
    source, program = directory / "program.c", directory / "program"
    source.write_text(SOURCE + more)
    subprocess.run([*build.split(), str(source), "-o", str(program)], check=True, timeout=PATIENCE)
    found = list(DwarfImage(str(program)).units())
    assert found
    return found


def functions_read_one_by_one(unit: CompileUnit) -> list[int]:
    return [die.offset for die in unit.iter_DIEs() if die.tag == "DW_TAG_subprogram" and ranges_of(die)]


def rows_read_one_by_one(unit: CompileUnit) -> list[LineRow]:
    states = [entry.state for entry in unit.dwarfinfo.line_program_for_CU(unit).get_entries() if entry.state is not None]
    return [LineRow(state.address, state.file, state.line, state.end_sequence) for state in states]


@pytest.mark.needs("gcc", "clang")
@pytest.mark.parametrize("build", BUILDS)
def test_functions_and_lines_are_those_that_the_library_reads(build: str, tmp_path: Path) -> None:
    for unit in units(build, tmp_path):
        assert [die.offset for die in functions_of(unit) if ranges_of(die)] == functions_read_one_by_one(unit)
        assert rows_of(unit.dwarfinfo.line_program_for_CU(unit)) == rows_read_one_by_one(unit) != []


@pytest.mark.needs("gcc")
def test_they_take_a_fraction_of_the_work(tmp_path: Path) -> None:
    types = "".join(f"struct s{n} {{ int a; char b[{n + 1}]; }} v{n};\n" for n in range(300))
    lines = "void long_one(int x) {\n" + "v0.a += x;\nv1.a *= v0.a;\n" * 300 + "}\n"
    [mine], [whole] = (units("gcc -O0 -gdwarf-5", tmp_path, types + lines) for _ in range(2))
    assert 5 * calls_of(lambda: functions_of(mine)) < calls_of(lambda: functions_read_one_by_one(whole))
    program = mine.dwarfinfo.line_program_for_CU(mine)
    assert 5 * calls_of(lambda: rows_of(program)) < calls_of(lambda: rows_read_one_by_one(whole))


@pytest.mark.needs("gcc")
def test_a_form_of_unknown_size_is_left_to_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [unit] = units(BUILDS[2], tmp_path)
    expected = functions_read_one_by_one(unit)
    monkeypatch.delitem(dwarf_scan._SIZES, "DW_FORM_data1")
    with pytest.raises(Unknown):
        function_offsets(unit)
    assert [die.offset for die in functions_of(unit) if ranges_of(die)] == expected


def test_a_number_without_end_is_an_error_and_no_work() -> None:
    assert uleb(b"\xe5\x8e\x26", 0) == (624485, 3)
    with pytest.raises(ValueError):
        uleb(b"\xff" * 1_000_000, 0)
