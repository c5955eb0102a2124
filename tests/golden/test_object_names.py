"""Objects in reports have the names that the programmer gave them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bpor import api
from bpor.report.finding import Finding
from bpor.report.symbols_rust import rust_name
from bpor.report.text import text_report
from tests.golden.scenario import PROGRAMS
from tests.native.compiled import NATIVE
from tests.native.compiled import PROGRAMS as NATIVE_PROGRAMS
from tests.patience import PATIENCE


def found(source: str, place: Path, *flags: str, compiler: str = "gcc") -> Finding:
    program = place / Path(source).stem
    subprocess.run([compiler, "-g", "-pthread", *flags, str(PROGRAMS / source), "-o", str(program)], check=True, timeout=PATIENCE)
    return api.check([str(program)], state="none").findings[0]


def names(finding: Finding) -> list[str]:
    return list(dict.fromkeys(name.name for step in finding.steps for name in step.objects[:1]))


@pytest.mark.needs("gcc", "clang")
@pytest.mark.parametrize("build", ["gcc -O0", "gcc -O2", "clang -O0"])
def test_objects_on_the_heap_by_the_variable_that_leads_to_them(build: str, tmp_path: Path) -> None:
    """`from->lock` of one thread is `to->lock` of the other, so neither is its name; the two accounts are told apart by number."""
    compiler, level = build.split()
    finding = found("pool.c", tmp_path, level, compiler=compiler)
    assert names(finding) == ["pool->queue.lock", "account#1.lock", "account#2.lock"]
    assert "holds `account#1.lock` and waits for `account#2.lock`" in finding.message
    assert "\n  account#1.lock: allocated at pool.c:55\n" in text_report(finding)


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_objects_by_the_static_variable_that_leads_to_them(level: str, tmp_path: Path) -> None:
    finding = found("statics.c", tmp_path, level)
    locks = [name for name in names(finding) if "lock" in name or "#" in name]
    assert sorted(locks) == ["pool->queue.lock", "tables[1].shared->lock"]
    assert "holds `pool->queue.lock` and waits for `tables[1].shared->lock`" in finding.message


def test_local_variables_of_one_name_are_told_apart_by_number(tmp_path: Path) -> None:
    assert [name for name in names(found("cells.c", tmp_path)) if "lock" in name] == ["cell.lock", "cell#2.lock"]


def test_memory_that_is_freed_has_the_name_of_what_lay_in_it_and_an_opaque_pointer_gives_its_own(tmp_path: Path) -> None:
    known = names(found("freed.c", tmp_path))
    assert known == ["*handle", "record->lock", "record"]


def test_in_a_library_without_debug_information_objects_have_its_functions_names_and_steps_the_callers_lines(tmp_path: Path) -> None:
    library = tmp_path / "libbasin.so"
    subprocess.run(["gcc", "-O1", "-s", "-shared", "-fPIC", str(PROGRAMS / "basin.c"), "-o", str(library)], check=True, timeout=PATIENCE)
    finding = found("bathroom.c", tmp_path, "-Wl,--no-as-needed", str(library))
    locks = ["mutex of basin_*", "mutex#2 of basin_*"]
    assert [name for name in names(finding) if "mutex" in name] == locks
    assert finding.message.startswith(f"T1 (tap, bathroom.c:11) holds `{locks[0]}` and waits for `{locks[1]}`; T2 (plug, bathroom.c:17)")
    assert finding.site is not None and (finding.site.line, finding.site.inside) == (11, "basin_fill")
    assert "called from tap (bathroom.c:11)" in text_report(finding)
    assert finding.summary == "deadlock bathroom.c:11 in tap, inside basin_fill"


@pytest.mark.needs("g++")
def test_members_of_templates_on_the_heap_and_on_a_stack(tmp_path: Path) -> None:
    known = names(found("ring.cpp", tmp_path, compiler="g++"))
    heap = ["Ring<int, 4>#1.slots_[3].seq", "Ring<int, 4>#1.mutex_", "Ring<int, 4>#1.count_", "Ring<int, 4>#2.slots_[2].seq"]
    assert [name for name in known if name.startswith("Ring")] == [*heap, "Ring<int, 4>#2.mutex_", "Ring<int, 4>#2.count_"]
    assert {"local.slots_[0].seq", "local.mutex_", "local.count_", "done"} <= set(known)
    assert not [name for name in known if name.startswith(("mutex#", "variable#"))]


@pytest.mark.parametrize("form", ["-gdwarf-5", "-gdwarf-4"])
def test_bit_fields_that_share_a_byte_are_named_together(form: str, tmp_path: Path) -> None:
    """The first of them was named, whichever the source line sets."""
    compiler = str(NATIVE / "bpor-cc")
    assert found("flags.c", tmp_path, form, compiler=compiler).message.startswith("`device->{ready,closed,failures}`")
    assert api.check([str(tmp_path / "flags"), "x"], state="none").findings[0].message.startswith("`spare.{ready,closed,failures}`")


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_variables_of_main_that_other_threads_race_for(level: str, tmp_path: Path) -> None:
    """By a pointer, in the record of a parallel region, and in an array whose length is computed; gcc's own object with the table of
    offloaded functions is no code that is not seen."""
    assert found("team.c", tmp_path, "-fopenmp", level, compiler=str(NATIVE / "bpor-cc")).message.startswith("`lobby.open`")
    team = str(tmp_path / "team")
    assert api.check([team, "total"], state="none").findings[0].message.startswith("`total`")
    result = api.check([team, "cells", "x"], state="none")
    assert result.findings[0].message.startswith("`cells[3]`")
    assert "coverage machine" in str(result.verdict)


def test_names_in_rusts_own_mangling() -> None:
    assert rust_name("_RNvNvMNtNtCsjrHSEGnQ3l9_3std6thread2idNtB4_8ThreadId3new7COUNTER") == "std::thread::id::ThreadId::new::COUNTER"
    assert rust_name("_RINvNtCs1_3std3mem8align_ofdE") == "std::mem::align_of"
    assert rust_name("_RINvCs1_3foo3barNtCs2_3baz3QuxE") == "foo::bar"
    assert rust_name("_RNCNvCs_1a4main0") == "a::main::{closure}"
    for raw in ("_R", "_RX", "_RNvB_", "_RNvC99999abc", "_RNvYYYYYY", "_RB_" + "B_" * 9):
        assert rust_name(raw) == raw


def test_a_named_semaphore_has_its_name(tmp_path: Path) -> None:
    finding = found(str(NATIVE_PROGRAMS / "buggy/deadlock/named_semaphore_order.c"), tmp_path)
    assert {"name /bpor-test-order-a", "/bpor-test-order-a", "/bpor-test-order-b"} <= set(names(finding))
    assert "waits for a post of `/bpor-test-order-b`" in finding.message
