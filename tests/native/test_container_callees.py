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


def test_a_call_that_leads_out_of_sight_is_named(tmp_path: Path) -> None:
    body, why = "memory[0] = strfry((char *)memory)[0]", "call of strfry"
    assert why in scanned(tmp_path, "", body).problem
    assert why in scanned(tmp_path, f"__attribute__((noinline)) static void inner(int *memory) {{ {body}; }}", "inner(memory)").problem
