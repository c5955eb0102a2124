"""The symbols libbpor.so exports are those of csrc/protocol/intercepted.def, no more and no fewer."""

from __future__ import annotations

import re
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^FUNCTION\((\w+), *(\w+)\)", re.M)


def exported(library: Path) -> set[str]:
    with library.open("rb") as stream:
        symbols = ELFFile(stream).get_section_by_name(".dynsym")
        assert isinstance(symbols, SymbolTableSection)
        return {
            symbol.name
            for symbol in symbols.iter_symbols()
            if symbol["st_shndx"] != "SHN_UNDEF" and symbol["st_info"]["bind"] != "STB_LOCAL" and symbol.name
        }


def rows() -> list[tuple[str, str]]:
    return ROW.findall((ROOT / "csrc/protocol/intercepted.def").read_text())


def test_the_library_exports_exactly_what_the_table_lists() -> None:
    assert exported(ROOT / "bpor/_native/libbpor.so") == {name for name, _ in rows()}


def test_no_function_stands_twice_in_the_table() -> None:
    names = [name for name, _ in rows()]
    assert sorted(names) == sorted(set(names))


def test_every_row_of_the_table_is_understood() -> None:
    text = (ROOT / "csrc/protocol/intercepted.def").read_text()
    assert len(rows()) == len(re.findall(r"^FUNCTION\(", text, re.M)) > 0
