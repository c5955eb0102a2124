"""What is generated is fresh, and the C and the Python view of one table are the same."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from bpor.protocol import generate
from bpor.protocol.ops import BY_NUMBER, Op

ROOT = Path(__file__).resolve().parents[2]

PROBE = r"""
#include <stdio.h>
#include "protocol/protocol.h"
enum { ACQUIRE = 1, RELEASE = 2, BLOCKS = 4, YIELDS = 8, ENDS = 16, NOTHING = 0 };
#define OP(name, text, properties) OP_##name,
enum op {
#include "protocol/ops.def"
};
#undef OP
#define OP(name, text, properties) printf("op %d %s %d %s\n", OP_##name, #name, properties, text);
int main(void)
{
#include "protocol/ops.def"
#define SIZE(name) printf("size %s %zu\n", #name, sizeof(struct bpor_##name));
    SIZE(shared) SIZE(event) SIZE(end) SIZE(plan) SIZE(message) SIZE(sleeper) SIZE(access) SIZE(config)
    return 0;
}
"""


@pytest.fixture(scope="module")
def compiled_view(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What a C compiler makes of the contract."""
    directory = tmp_path_factory.mktemp("contract")
    (directory / "probe.c").write_text(PROBE)
    subprocess.run(["gcc", f"-I{ROOT / 'csrc'}", str(directory / "probe.c"), "-o", str(directory / "probe")], check=True)
    return subprocess.run([str(directory / "probe")], check=True, capture_output=True, text=True).stdout.splitlines()


def test_every_generated_file_is_what_its_source_generates() -> None:
    assert {path.name: path.read_text() == source for path, source in generate.sources().items()} == {
        "ops.py": True,
        "known_calls.py": True,
        "_wire.py": True,
        "_library.py": True,
    }


def test_every_row_of_ops_def_is_understood_by_the_generator() -> None:
    rows = re.findall(r"^OP\(", (ROOT / "csrc/protocol/ops.def").read_text(), re.M)
    assert len(rows) == len(BY_NUMBER) == len(Op)


def test_the_c_compiler_and_python_number_every_operation_alike(compiled_view: list[str]) -> None:
    compiled = [line.split(" ", 4)[1:] for line in compiled_view if line.startswith("op ")]
    letters = ("acquires", "releases", "blocks", "yields", "ends")
    ours = [
        [str(op.number), op.name, str(sum(1 << bit for bit, name in enumerate(letters) if getattr(op, name))), op.text] for op in BY_NUMBER
    ]
    assert compiled == ours


def test_the_c_compiler_and_cffi_lay_out_every_structure_alike(compiled_view: list[str]) -> None:
    from bpor.protocol._wire import ffi

    sizes = {line.split()[1]: int(line.split()[2]) for line in compiled_view if line.startswith("size ")}
    assert sizes == {name: ffi.sizeof(f"struct bpor_{name}") for name in sizes}
