"""What functions of libstdc++ that work on containers call: it is patched with them, or the library is named as not seen."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bpor.machine.scan import scan
from bpor.machine.scanned import Summary
from bpor.target.containers import container_code
from bpor.target.elf import open_image

pytestmark = pytest.mark.needs("gcc")
LIBRARY = """
#include <stddef.h>
char *strfry(char *);
%s
void _ZSt11_Hash_bytesPKvmm(int *memory) { %s; }
"""
HELPER = '__attribute__((noinline, noclone, visibility("%s"))) void %s(int *memory) { memory[1]++; }'


def scanned(directory: Path, helper: str, body: str) -> Summary:
    source, library = directory / "library.c", directory / "libstdc++.so.6"
    source.write_text(LIBRARY % (helper, body))
    flags = ["-O2", "-fno-optimize-sibling-calls", "-shared", "-fPIC", "-Wl,-soname,libstdc++.so.6"]
    subprocess.run(["gcc", *flags, source, "-o", library], check=True)
    with open_image(str(library)) as image:
        assert image is not None and len(container_code(image)) == 1
        return scan(image).summary


@pytest.mark.parametrize("visibility", ["hidden", "default"], ids=["directly", "through a stub"])
def test_a_function_that_they_call_is_patched_with_them(tmp_path: Path, visibility: str) -> None:
    alone = scanned(tmp_path, "", "memory[0]++")
    summary = scanned(tmp_path, HELPER % (visibility, "helper"), "memory[0]++; helper(memory)")
    assert (summary.problem, summary.sites) == ("", alone.sites + alone.sites)


def test_what_allocates_and_throws_is_not(tmp_path: Path) -> None:
    summary = scanned(tmp_path, HELPER % ("default", "_ZSt17__throw_bad_allocv"), "_ZSt17__throw_bad_allocv(memory)")
    assert (summary.problem, summary.sites) == ("", 0)


def test_a_function_is_out_of_sight_if_one_that_it_calls_or_takes_the_address_of_is(tmp_path: Path) -> None:
    body, unseen = "memory[0] = strfry((char *)memory)[0]", ("_ZSt11_Hash_bytesPKvmm",)
    helper = f"__attribute__((noinline)) static void inner(int *memory) {{ {body}; }}"
    for inside, how in (("", body), (helper, "inner(memory)"), (helper + " void (*given)(int *);", "given = inner")):
        summary = scanned(tmp_path, inside, how)
        assert (summary.problem, summary.unseen) == ("", unseen)


def test_functions_that_data_holds_are_patched_though_nothing_calls_them(tmp_path: Path) -> None:
    """As those of tables of virtual functions: the program calls them by a pointer."""
    alone = scanned(tmp_path, "", "memory[0]++")
    summary = scanned(tmp_path, HELPER % ("hidden", "helper") + " void (*table[])(int *) = {helper};", "memory[0]++")
    assert (summary.problem, summary.sites) == ("", alone.sites + alone.sites)


def test_a_call_out_of_sight_in_a_function_that_data_holds_makes_a_problem_of_all(tmp_path: Path) -> None:
    """No name that the program calls tells of it."""
    helper = "static void helper(int *memory) { memory[0] = strfry((char *)memory)[0]; } void (*table[])(int *) = {helper};"
    assert "by a pointer" in scanned(tmp_path, helper, "memory[0]++").problem
