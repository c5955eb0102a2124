"""Instructions are found where a disassembler finds them, by nothing but their bytes."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from bpor.target.elf import open_image
from bpor.target.instructions import look_at_instructions

FOUND = re.compile(r"\t(?:(lock\s|xchg\s.*\()|(syscall\b|sysenter\b|int\s+\$0x80)|(rdtscp?\b)|(rdrand\b|rdseed\b))")
FORMS = """
.globl forms
.type forms, @function
forms:
    .cfi_startproc
    lock addl $1, (%rdi)
    lock cmpxchg16b 8(%rsp, %rax, 4)
    lock xaddq %rax, table(%rip)
    lock btsl $3, %fs:-4
    .byte 0x66, 0xf0, 0x0f, 0xb1, 0x0f
    xchgb %al, (%rdx)
    xchgq %r9, 0x12345678(%r10)
    xchgl %eax, %ecx
    movabsq $0x870087f000f00087, %rax
    movl $0x0087f000, 0x10(%rax)
    vpaddd 0x20(%rax){1to16}, %zmm1, %zmm2
    vpternlogd $0xf0, %zmm3, %zmm4, %zmm5
    vzeroupper
    .byte 0x8f, 0xe8, 0x78, 0xc2, 0xc1, 0xf0
    testl $0xf00087f0, 4(%rax)
    notl (%rax)
    enter $0xf087, $3
    bswapq %rax
    rdrand %eax
    rdtscp
    syscall
    ret
    .cfi_endproc
    .size forms, .-forms
.data
table: .quad 0xf0, 0x87
.section .note.GNU-stack,"",@progbits
"""


def counts(path: str) -> list[int]:
    with open_image(path) as image:
        assert image is not None
        return list(look_at_instructions(image).counts.values())


def disassembled(path: str) -> list[int]:
    text = subprocess.run(["objdump", "--disassemble", "--no-show-raw-insn", path], capture_output=True, text=True, check=True).stdout
    kinds = [match.lastindex for match in FOUND.finditer(text)]
    return [kinds.count(number) for number in (1, 2, 3, 4)]


@pytest.mark.needs("gcc")
def test_every_form_of_prefix_operand_and_immediate_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "forms.s").write_text(FORMS)
    library = str(tmp_path / "forms.so")
    subprocess.run(["gcc", "-shared", "-nostdlib", str(tmp_path / "forms.s"), "-o", library], check=True)
    assert counts(library) == [7, 1, 1, 1]


@pytest.mark.needs("objdump")
@pytest.mark.parametrize("name", ["libstdc++.so.6", "libgomp.so.1", "libm.so.6", "libpthread.so.0"])
def test_whole_libraries_have_what_a_disassembler_finds(name: str) -> None:
    listing = subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip()
    if "/" not in listing:
        pytest.skip(f"{name} is not here")
    assert counts(listing) == disassembled(listing)
