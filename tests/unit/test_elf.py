"""What a file is: each kind is made with the compiler and recognised from its headers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bpor.target.elf import read_elf, shebang

MAIN = "int main(void) { return 0; }"


def build(directory: Path, *flags: str, source: str = MAIN, name: str = "program") -> Path:
    (directory / f"{name}.c").write_text(source)
    result = directory / name
    subprocess.run(["gcc", *flags, str(directory / f"{name}.c"), "-o", str(result)], check=True)
    return result


def test_a_pie_is_a_dynamic_program(tmp_path: Path) -> None:
    elf = read_elf(str(build(tmp_path, "-pie", "-fPIE", "-g")))
    assert elf is not None
    assert (elf.kind, elf.machine, elf.bits, elf.pie, elf.has_dwarf) == ("shared", "EM_X86_64", 64, True, True)
    assert elf.interpreter is not None
    assert "libc.so.6" in elf.needed
    assert not elf.is_static
    assert not elf.is_library


def test_a_program_at_a_fixed_address_is_a_dynamic_program(tmp_path: Path) -> None:
    elf = read_elf(str(build(tmp_path, "-no-pie")))
    assert elf is not None
    assert (elf.kind, elf.pie, elf.is_static, elf.is_library, elf.has_dwarf) == ("executable", False, False, False, False)


@pytest.mark.parametrize("flags", [["-static"], ["-static-pie"]])
def test_a_static_program_is_recognised_with_and_without_pie(tmp_path: Path, flags: list[str]) -> None:
    elf = read_elf(str(build(tmp_path, *flags)))
    assert elf is not None
    assert elf.is_static
    assert not elf.is_library


def test_a_library_is_not_a_static_program(tmp_path: Path) -> None:
    elf = read_elf(str(build(tmp_path, "-shared", "-fPIC", source="int f(void) { return 0; }", name="libf.so")))
    assert elf is not None
    assert elf.is_library
    assert not elf.is_static


def test_callbacks_of_the_compiler_are_noticed(tmp_path: Path) -> None:
    source = "int x; int f(void) { return x; }"
    plain = read_elf(str(build(tmp_path, "-shared", "-fPIC", source=source, name="plain.so")))
    calls = "void __tsan_read4(void *); int x; int f(void) { __tsan_read4(&x); return x; }"
    seen = read_elf(str(build(tmp_path, "-shared", "-fPIC", source=calls, name="seen.so")))
    assert plain is not None and not plain.instrumented
    assert seen is not None and seen.instrumented


def test_a_build_id_is_read(tmp_path: Path) -> None:
    elf = read_elf(str(build(tmp_path, "-Wl,--build-id=0x0123456789abcdef")))
    assert elf is not None
    assert elf.build_id == "0123456789abcdef"


def test_a_damaged_file_is_no_elf_file(tmp_path: Path) -> None:
    whole = build(tmp_path).read_bytes()
    for length in (0, 3, 4, 16, 63, 64, 200, 1000):
        (tmp_path / "cut").write_bytes(whole[:length])
        read_elf(str(tmp_path / "cut"))  # must not raise
    (tmp_path / "cut").write_bytes(whole[:20])
    assert read_elf(str(tmp_path / "cut")) is None
    (tmp_path / "garbage").write_bytes(b"\x7fELF" + bytes(range(256)) * 4)
    assert read_elf(str(tmp_path / "garbage")) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("#!/bin/sh\necho", ("/bin/sh",)),
        ("#! /usr/bin/env python3 -u\n", ("/usr/bin/env", "python3 -u")),
        ("#!/bin/sh", ("/bin/sh",)),
        ("echo hello\n", None),
        ("", None),
    ],
)
def test_a_script_is_known_by_its_first_line(tmp_path: Path, text: str, words: tuple[str, ...] | None) -> None:
    (tmp_path / "script").write_text(text)
    assert shebang(str(tmp_path / "script")) == words
