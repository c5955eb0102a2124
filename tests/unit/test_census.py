"""What can be run and controlled, what is refused and with which words, and what the census says about the rest."""

from __future__ import annotations

import os
import struct
import subprocess
from pathlib import Path

import pytest

from bpor.errors import BporError, Uncontrolled, UsageError
from bpor.target.census import take_census
from bpor.target.program import inspect_program

MAIN = "int main(void) { return 0; }"


def build(directory: Path, *flags: str, source: str = MAIN, name: str = "program") -> Path:
    (directory / f"{name}.c").write_text(source)
    result = directory / name
    subprocess.run(["gcc", str(directory / f"{name}.c"), "-o", str(result), *flags], check=True)
    return result


def refusal(name: Path | str) -> BporError:
    with pytest.raises(BporError) as caught:
        inspect_program(str(name))
    assert "\n" not in str(caught.value)
    assert str(name) in str(caught.value)
    return caught.value


def patched(directory: Path, offset: int, data: bytes) -> Path:
    """A program whose header claims something else."""
    path = build(directory)
    image = bytearray(path.read_bytes())
    image[offset : offset + len(data)] = data
    path.write_bytes(image)
    return path


def test_a_plain_program_is_accepted_with_its_identity(tmp_path: Path) -> None:
    path = build(tmp_path)
    program = inspect_program(str(path))
    status = os.stat(path)
    assert (program.path, program.device, program.inode) == (str(path), status.st_dev, status.st_ino)
    assert program.elf is not None
    assert not program.is_script


def test_a_name_without_a_slash_is_looked_up_in_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = build(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert inspect_program("program").path == str(path)


def test_a_script_is_accepted_as_a_wrapper(tmp_path: Path) -> None:
    script = tmp_path / "wrapper"
    script.write_text("#!/bin/sh\nexec true\n")
    script.chmod(0o755)
    program = inspect_program(str(script))
    assert program.is_script
    assert program.interpreter == ("/bin/sh",)


def test_a_missing_file_is_a_usage_error(tmp_path: Path) -> None:
    error = refusal(tmp_path / "nothing")
    assert isinstance(error, UsageError)
    assert "No such file" in str(error)


def test_a_program_of_this_directory_without_a_slash_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tmp_path, name="a_test_of_mine")
    monkeypatch.chdir(tmp_path)
    assert "write ./a_test_of_mine" in str(refusal("a_test_of_mine"))


def test_a_directory_is_a_usage_error(tmp_path: Path) -> None:
    error = refusal(tmp_path)
    assert isinstance(error, UsageError)
    assert "directory" in str(error)


def test_a_file_without_the_bit_is_a_usage_error(tmp_path: Path) -> None:
    path = build(tmp_path)
    path.chmod(0o644)
    error = refusal(path)
    assert isinstance(error, UsageError)
    assert "chmod +x" in str(error)


def test_a_pipe_is_a_usage_error(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o755)
    assert "not a regular file" in str(refusal(tmp_path / "pipe"))


@pytest.mark.parametrize(("content", "reason"), [(b"", "empty"), (b"hello\n", "neither"), (b"\x7fELF broken", "neither")])
def test_a_file_that_is_no_program_is_a_usage_error(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "text"
    path.write_bytes(content)
    path.chmod(0o755)
    error = refusal(path)
    assert isinstance(error, UsageError)
    assert reason in str(error)


def test_an_object_file_is_a_usage_error(tmp_path: Path) -> None:
    path = build(tmp_path, "-c")
    path.chmod(0o755)
    assert "link it" in str(refusal(path))


def test_a_shared_library_is_a_usage_error(tmp_path: Path) -> None:
    path = build(tmp_path, "-shared", "-fPIC", source="int f(void) { return 0; }")
    assert "shared library" in str(refusal(path))


@pytest.mark.parametrize("flag", ["-static", "-static-pie"])
def test_a_static_program_cannot_be_controlled(tmp_path: Path, flag: str) -> None:
    error = refusal(build(tmp_path, flag))
    assert isinstance(error, Uncontrolled)
    assert "statically linked" in str(error)


@pytest.mark.parametrize("mode", [0o4755, 0o2755])
def test_a_set_user_id_program_cannot_be_controlled(tmp_path: Path, mode: int) -> None:
    path = build(tmp_path)
    path.chmod(mode)
    error = refusal(path)
    assert isinstance(error, Uncontrolled)
    assert "LD_PRELOAD" in str(error)


def test_a_program_for_another_processor_cannot_be_controlled(tmp_path: Path) -> None:
    error = refusal(patched(tmp_path, 18, struct.pack("<H", 183)))
    assert isinstance(error, Uncontrolled)
    assert "AARCH64" in str(error)


def test_a_musl_program_cannot_be_controlled(tmp_path: Path) -> None:
    error = refusal(build(tmp_path, "-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1"))
    assert isinstance(error, Uncontrolled)
    assert "musl" in str(error)


@pytest.mark.parametrize("kind", [2, 3], ids=["fixed", "pie"])
def test_a_32_bit_program_cannot_be_controlled(tmp_path: Path, kind: int) -> None:
    """The smallest one there is: an ELF32 header and nothing else (a compiler with -m32 is not everywhere)."""
    ident = b"\x7fELF" + bytes([1, 1, 1, 0]) + bytes(8)
    header = ident + struct.pack("<HHIIIIIHHHHHH", kind, 3, 1, 0x8048000, 0, 0, 0, 52, 32, 0, 40, 0, 0)
    path = tmp_path / "small"
    path.write_bytes(header)
    path.chmod(0o755)
    error = refusal(path)
    assert isinstance(error, Uncontrolled)
    assert "32-bit" in str(error)


def test_the_census_lists_the_programs_own_libraries_and_knows_the_systems(tmp_path: Path) -> None:
    build(tmp_path, "-shared", "-fPIC", source="int f(void) { return 0; }", name="libmine.so")
    source = "int f(void); int main(void) { return f(); }"
    path = build(tmp_path, f"-L{tmp_path}", "-l:libmine.so", f"-Wl,-rpath,{tmp_path}", source=source)
    census = take_census(inspect_program(str(path)))
    assert [os.path.basename(module.elf.path) for module in census.modules] == ["program", "libmine.so"]
    assert "libc.so.6" in census.system
    assert census.missing == ()
    assert census.coverage == "calls"


def test_a_library_the_loader_does_not_find_is_missing(tmp_path: Path) -> None:
    library = build(tmp_path, "-shared", "-fPIC", source="int f(void) { return 0; }", name="libmine.so")
    source = "int f(void); int main(void) { return f(); }"
    path = build(tmp_path, f"-L{tmp_path}", "-l:libmine.so", source=source)
    library.unlink()
    assert take_census(inspect_program(str(path))).missing == ("libmine.so",)


def test_instructions_that_no_call_shows_are_counted(tmp_path: Path) -> None:
    source = """
    int x;
    int main(void)
    {
        __atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST);
        __atomic_exchange_n(&x, 1, __ATOMIC_SEQ_CST);
        __asm__ volatile("syscall" ::: "memory");
        return (int)__builtin_ia32_rdtsc();
    }
    """
    census = take_census(inspect_program(str(build(tmp_path, "-O1", source=source))))
    found = census.modules[0].instructions
    assert found is not None
    assert found.counts == {"atomic": 2, "syscall": 1, "clock": 1, "random": 0}
    assert found.functions == {"main": 2}


def test_an_atomic_load_looks_like_none(tmp_path: Path) -> None:
    """Why the census says that finding none proves nothing."""
    source = "int x; int main(void) { return __atomic_load_n(&x, __ATOMIC_SEQ_CST); }"
    census = take_census(inspect_program(str(build(tmp_path, "-O1", source=source))))
    assert census.modules[0].instructions is not None
    assert census.modules[0].instructions.atomics == 0


def test_a_scripts_census_says_that_its_program_is_not_known_yet(tmp_path: Path) -> None:
    script = tmp_path / "wrapper"
    script.write_text("#!/usr/bin/env sh\n")
    script.chmod(0o755)
    census = take_census(inspect_program(str(script)))
    assert census.modules == ()
    assert "seen only when it runs" in census.notes[0]
