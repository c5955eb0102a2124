"""A file whose headers, symbols or debug information are damaged is still the program that the kernel runs: only names may be lost."""

from __future__ import annotations

import random
import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bpor.report.own_lines import debug_information
from bpor.report.symbols import load
from bpor.target.elf import Elf, open_image, read_elf
from bpor.target.image import SHF_ALLOC, SHT_NOBITS, read_image
from bpor.target.instructions import look_at_instructions
from tests.native.compiled import ROOT
from tests.native.tool import run_tool

pytestmark = pytest.mark.needs("gcc")
SOURCE = ROOT / "native_tests/buggy/deadlock/bank.c"
HEADER = 64


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("damaged") / "bank"
    subprocess.run(["gcc", "-g", "-O1", "-pthread", str(SOURCE), "-o", str(program)], check=True)
    return program


def not_loaded(data: bytes) -> list[range]:
    """Everything that neither the kernel nor the loader looks at: sections that are not loaded, their headers, where those are."""
    image = read_image(data)
    assert image is not None
    parts = [
        range(part.offset, part.offset + part.bytes) for part in image.sections if not part.flags & SHF_ALLOC and part.kind != SHT_NOBITS
    ]
    table = struct.unpack_from("<Q", data, 40)[0]
    return [*filter(len, parts), range(table, table + HEADER * len(image.sections)), range(40, 48), range(58, 64)]


def damaged(data: bytes, seed: int) -> bytes:
    chance, result = random.Random(seed), bytearray(data)
    where = chance.choice(not_loaded(data))
    words = [bytes([chance.randrange(256)]), b"\xff" * 8, bytes(8), struct.pack("<Q", len(data)), struct.pack("<Q", 1 << 63)]
    for _ in range(chance.choice((1, 2, 5, 50))):
        at, word = chance.choice(where), chance.choice(words)
        result[at : min(at + len(word), where.stop)] = word[: where.stop - at]
    return bytes(result)


def facts(elf: Elf | None) -> object:
    assert elf is not None
    return elf.kind, elf.machine, elf.interpreter, elf.pie, elf.needed, elf.imports, elf.build_id, elf.has_stub, elf.has_asan


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 32))
def test_whatever_is_damaged_that_is_not_loaded_the_program_is_known_and_looking_ends(whole: Path, seed: int) -> None:
    path = whole.with_name("changed")
    path.write_bytes(damaged(whole.read_bytes(), seed))
    assert facts(read_elf(str(path))) == facts(read_elf(str(whole)))
    with open_image(str(path)) as image, open_image(str(whole)) as sound:
        assert image is not None and sound is not None
        assert look_at_instructions(image).counts == look_at_instructions(sound).counts
    load.cache_clear()
    module, names = load(str(path)), load(str(whole))
    assert module is not None and names is not None
    debug_information(str(path))
    for symbol in names.image.symbols():
        assert module.frames(symbol.address)
        module.variable(symbol.address)


@pytest.mark.parametrize("seed", range(4))
def test_the_verdict_is_that_of_the_sound_program(whole: Path, seed: int) -> None:
    path = whole.with_name(f"bank{seed}")
    path.write_bytes(damaged(whole.read_bytes(), seed))
    path.chmod(0o755)
    run = run_tool(path, options=["--bound", "preemption:2", "--quiet"])
    assert (run.exit_code, run.kinds) == (1, {"deadlock"})
    assert "Traceback" not in run.stdout + run.stderr


def test_a_program_without_any_section_is_run_and_said_to_be_poorer(whole: Path) -> None:
    path = whole.with_name("headless")
    data = bytearray(whole.read_bytes())
    data[40:48] = struct.pack("<Q", 1 << 62)
    path.write_bytes(data)
    path.chmod(0o755)
    run = run_tool(path, options=["--bound", "preemption:2", "--quiet"])
    assert (run.exit_code, run.kinds) == (1, {"deadlock"})
    assert "is damaged (section headers): names and lines may be missing" in run.stdout
