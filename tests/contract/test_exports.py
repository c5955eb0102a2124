"""The symbols libbpor.so exports are those of csrc/protocol/intercepted.def and csrc/instrument/callbacks.def, no more and no fewer."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^FUNCTION\((\w+), *(\w+)\)", re.M)


def exported(library: Path) -> dict[str, int]:
    """With their addresses."""
    with library.open("rb") as stream:
        symbols = ELFFile(stream).get_section_by_name(".dynsym")
        assert isinstance(symbols, SymbolTableSection)
        return {
            symbol.name: symbol["st_value"]
            for symbol in symbols.iter_symbols()
            if symbol["st_shndx"] != "SHN_UNDEF" and symbol["st_info"]["bind"] != "STB_LOCAL" and symbol.name
        }


def rows() -> list[tuple[str, str]]:
    return ROW.findall((ROOT / "csrc/protocol/intercepted.def").read_text())


def callbacks() -> set[str]:
    """The names of callbacks.def, as the C preprocessor sees them."""
    row = "-DCALLBACK(result,name,parameters,arguments)=name"
    command = ["gcc", "-E", "-P", "-x", "c", f"-I{ROOT / 'csrc'}", row, ROOT / "csrc/instrument/callbacks.def"]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())


def test_the_library_exports_exactly_what_the_tables_list() -> None:
    assert set(exported(ROOT / "bpor/_native/libbpor.so")) == {name for name, _ in rows()} | callbacks() | {"bpor_attach", "bpor_copy_rest"}


def test_every_function_has_an_even_address() -> None:
    """A pointer to a member function, such as std::thread::join, means a virtual one if it is odd: std::async crashed then."""
    names = {name for name, _ in rows()}
    assert [name for name, address in exported(ROOT / "bpor/_native/libbpor.so").items() if name in names and address % 2] == []


def test_no_function_stands_twice_in_the_table() -> None:
    names = [name for name, _ in rows()]
    assert sorted(names) == sorted(set(names))


def test_every_row_of_the_table_is_understood() -> None:
    text = (ROOT / "csrc/protocol/intercepted.def").read_text()
    assert len(rows()) == len(re.findall(r"^FUNCTION\(", text, re.M)) > 0


def test_every_function_of_an_attributes_object_is_in_the_table() -> None:
    """Of pthread.h; the names `_np` of a robust mutex are other names of those without."""
    header = subprocess.run(
        ["gcc", "-E", "-P", "-D_GNU_SOURCE", "-include", "pthread.h", "-x", "c", "/dev/null"], capture_output=True, text=True
    )
    declared = set(re.findall(r"\b(pthread_(?:|mutex|cond|rwlock|barrier)attr_\w+) *\(", header.stdout))
    assert len(declared) > 40
    assert declared - {name for name, _ in rows()} == {"pthread_mutexattr_getrobust_np", "pthread_mutexattr_setrobust_np"}
