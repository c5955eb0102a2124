"""Structures that gcc copies in place: the copy is told where it is made, in two halves, and stays a right copy."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.native.compiled import NATIVE

SIZES = (16, 17, 24, 31, 40, 63, 64, 65, 96, 127, 200, 255, 256, 300, 2000)
COPY = """
typedef struct {{ unsigned char of[{size}]; }} s{size};
__attribute__((noinline)) void copy{size}(s{size} *to, const s{size} *from) {{ *to = *from; }}
__attribute__((noinline)) s{size} get{size}(const s{size} *from, s{size} *beside) {{ s{size} mine = *from; *beside = mine; return mine; }}
__attribute__((noinline)) void clear{size}(s{size} *of) {{ *of = (s{size}){{{{0}}}}; }}
static void try{size}(void) {{
    static struct {{ unsigned char before; s{size} it; unsigned char after; }} a, b, c;
    for (int i = 0; i < {size}; i++) a.it.of[i] = 1 + i % 251;
    b.before = b.after = 77;
    copy{size}(&b.it, &a.it);
    s{size} got = get{size}(&b.it, &c.it);
    assert(!memcmp(&a.it, &b.it, {size}) && !memcmp(&a.it, &got, {size}) && !memcmp(&a.it, &c.it, {size}));
    clear{size}(&b.it);
    for (int i = 0; i < {size}; i++) assert(b.it.of[i] == 0);
    assert(b.before == 77 && b.after == 77); }}
"""
PROGRAM = (
    "#include <assert.h>\n#include <string.h>\n"
    + "".join(COPY.format(size=size) for size in SIZES)
    + "int main(void) {\n"
    + "".join(f"    try{size}();\n" for size in SIZES)
    + "}\n"
)


def built(directory: Path, *words: str) -> Path:
    (directory / "copies.c").write_text(PROGRAM)
    program = directory / "copies"
    subprocess.run([NATIVE / "bpor-cc", *words, directory / "copies.c", "-o", program], check=True)
    return program


@pytest.mark.parametrize("words", [("-O0",), ("-O1",), ("-O2", "-mtune=haswell"), ("-O3", "-fPIC", "-mavx2")], ids=" ".join)
def test_every_copy_is_right(words: tuple[str, ...], tmp_path: Path) -> None:
    """The call in its midst keeps every register."""
    subprocess.run([built(tmp_path, *words)], check=True)


@pytest.mark.parametrize("words", [("-O1",), ("-O2", "-fPIC", "-fno-plt")], ids=" ".join)
def test_copies_of_whole_structures_are_parted(words: tuple[str, ...], tmp_path: Path) -> None:
    code = subprocess.run(["objdump", "-d", built(tmp_path, *words)], check=True, capture_output=True, text=True).stdout
    assert code.count("<bpor_copy_rest>") > len(SIZES)
