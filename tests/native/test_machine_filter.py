"""The look at marks that most accesses of patched code are (csrc/machine/filter.h): what it must not let by, and what it must not break."""

from __future__ import annotations

import random
import struct
import subprocess
from pathlib import Path

import pytest
from iced_x86 import Decoder, Instruction, OpKind, Register

from bpor.machine.decoded import decode_bytes
from bpor.machine.flags import Flags
from bpor.machine.functions import Function
from bpor.machine.scan import scan
from bpor.machine.targets import Targets
from bpor.target.elf import open_image
from tests.native.test_machine_code import built
from tests.native.tool import run_inside

HEADER = struct.Struct("<8sQQQ16I")
APART = 0x10000000
NONE = ["--bound", "none"]


def looks_of(blob: bytes) -> list[Instruction]:
    """Each instruction that looks at a mark."""
    header = HEADER.unpack_from(blob)
    at, count = header[14], header[15]
    pairs = (struct.unpack_from("<II", blob, at + 8 * number) for number in range(count))
    return [next(iter(Decoder(64, blob[place : place + 16], ip=place))) for place, _ in pairs]


def test_a_look_has_the_operand_of_its_instruction() -> None:
    """Every form of operand that gzip has."""
    with open_image("/bin/gzip") as image:
        assert image is not None
        found = scan(image)
        looks = looks_of(found.blob)
        header = HEADER.unpack_from(found.blob)
        base = header[1]
        wanted: set[tuple[int, int, int, int]] = set()
        for start, end in ((segment.address, segment.address + segment.bytes) for segment in image.segments if segment.flags & 1):
            for each in Decoder(64, image.at(start, end - start), ip=start):
                far = each.memory_displacement - (1 << 64 if each.memory_displacement >> 63 else 0)
                wanted.add((each.memory_base, each.memory_index, each.memory_index_scale, far))
    assert len(looks) > 2_000
    strange = []
    for look in looks:
        assert look.segment_prefix == Register.GS and look.is_invalid is False
        far = look.memory_displacement - (1 << 64 if look.memory_displacement >> 63 else 0)
        if look.memory_base == Register.RIP:
            far += base
        kept = 136 if look.memory_base == Register.RSP and look.op0_kind == OpKind.REGISTER else 0
        operand = (look.memory_base, look.memory_index, look.memory_index_scale)
        possible = [far - kept - at + apart for at in range(0, 32) for apart in (0, APART)]
        if not any((*operand, each) in wanted for each in possible):
            strange.append(str(look))
    assert not strange, strange[:5]


def live(code: str) -> list[bool]:
    """Of each instruction, by its bytes: is any flag needed before it?"""
    data = bytes.fromhex(code)
    function = decode_bytes(data, Function(0x1000, 0x1000 + len(data), frozenset()))
    branches = (each for each in function.instructions if each.op0_kind == OpKind.NEAR_BRANCH64)
    flags = Flags()
    flags.look_at_calls([function], Targets(each.near_branch_target for each in branches))
    return [needed != 0 for needed in flags.needed_before(function)[:-1]]


def test_flags_are_needed_until_they_are_overwritten() -> None:
    assert live("8b07 83c001 c3") == [False, False, False]  # mov; add; ret
    assert live("39d8 8b07 7401 90 c3") == [False, True, True, False, False]  # cmp; mov; je
    assert live("39d8 8b07 d3e0 7401 90 c3")[1:4] == [True, True, True]  # a shift by cl may be by nothing
    assert live("39d8 8b07 f3a6 7401 90 c3")[1:4] == [True, True, True]  # so may a repeated comparison
    assert live("8b07 9c 58 c3")[0] is True  # pushf
    assert live("8b07 ffe0")[0] is True  # who knows where that leads
    assert live("8b07 eb10")[0] is True  # nor there: outside
    assert live("39d8 8b07 75fc 31c0 c3")[:3] == [False, True, True]  # a loop whose test stands before it
    assert live("e800000000 8b07 7201 90 c3")[1] is True  # a carry that a call returned
    assert live("8b07 e800000000 31c0 c3")[0] is False


FREED = """
#include <stdlib.h>
#include <pthread.h>
static int *volatile block;
static int sum;
static void *work(void *unused) { return unused; }
int main(void) {
    pthread_t t;
    if (THREADS) { pthread_create(&t, 0, work, 0); }
    block = malloc(64);
    for (int i = 0; i < 10; i++) { block[0] = i; sum += block[0]; }
    free(block);
    sum += block[0];
    if (THREADS) pthread_join(t, 0);
    return 0; }
"""


@pytest.mark.parametrize("threads", [0, 1])
def test_a_mark_does_not_outlive_its_memory(tmp_path: Path, threads: int) -> None:
    run = run_inside(built(tmp_path, FREED, f"-DTHREADS={threads}"), [], NONE)
    assert run.kinds == {"memory"}, run


# The first reads are ordered before the write, the last one is not: it is the only one that is in conflict, in every schedule.
AGAIN = """
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static int x, seen;
static sem_t ready;
static void *work(void *unused) { sem_wait(&ready); *(volatile int *)&x = 1; return unused; }
static void read_often(void) { for (int i = 0; i < 3; i++) seen = *(volatile int *)&x; }
int main(void) {
    pthread_t t;
    sem_init(&ready, 0, BEFORE);
    if (BEFORE) read_often();
    pthread_create(&t, 0, work, 0);
    if (!BEFORE) { read_often(); sem_post(&ready); }
    seen = *(volatile int *)&x;
    pthread_join(t, 0);
    assert(seen == 0);
    return 0; }
"""


@pytest.mark.parametrize("before", [0, 1], ids=["a release", "the first thread"])
def test_what_was_read_before_is_looked_at_again_behind(tmp_path: Path, before: int) -> None:
    """Marks end at each scheduling point, and when somebody begins to look."""
    run = run_inside(built(tmp_path, AGAIN, f"-DBEFORE={before}"), [], NONE)
    assert run.kinds == {"assertion"}, run


READ_THEN_WRITE = """
#include <assert.h>
#include <pthread.h>
static int x;
static void *work(void *unused) {
    int old = 0;
    for (int i = 0; i < 3; i++) old = *(volatile int *)&x;
    *(volatile int *)&x = old + 1;
    return unused; }
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, work, 0); pthread_create(&u, 0, work, 0); pthread_join(t, 0); pthread_join(u, 0);
    assert(x == 2);
    return 0; }
"""


def test_a_read_is_no_leave_to_write(tmp_path: Path) -> None:
    assert run_inside(built(tmp_path, READ_THEN_WRITE), [], NONE).kinds == {"assertion"}


OWN_SEGMENT = """
#include <assert.h>
#include <asm/prctl.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static unsigned char there[1 << 16];
static int x;
static void *work(void *unused) { __atomic_fetch_add(&x, 1, __ATOMIC_RELAXED); return unused; }
int main(void) {
    pthread_t t; unsigned char seen;
    memset(there, 255, sizeof there);
    assert(SET == 0);
    __asm__ volatile("movb %%gs:5, %0" : "=r"(seen));
    assert(seen == 255);
    pthread_create(&t, 0, work, 0);
    int old = *(volatile int *)&x; *(volatile int *)&x = old + 1;
    pthread_join(t, 0);
    assert(x == 2);
    return 0; }
"""
SETS = {
    "by number": "syscall(SYS_arch_prctl, ARCH_SET_GS, there)",
    "by hand": '({ __asm__ volatile("wrgsbase %0" : : "r"(there)); 0; })',
    "by instruction": '({ long r; __asm__ volatile("syscall" : "=a"(r) : "a"(158), "D"(ARCH_SET_GS), "S"(there)'
    ' : "rcx", "r11", "memory"); r; })',
}


@pytest.mark.parametrize("how", SETS)
def test_a_program_that_uses_the_segment_itself_is_still_seen(tmp_path: Path, how: str) -> None:
    """What its memory holds would be taken for marks."""
    run = run_inside(built(tmp_path, OWN_SEGMENT, f"-DSET={SETS[how]}"), [], NONE)
    assert run.kinds == {"assertion"} and run.report["coverage"] == "machine", run


# The program's own segment is such that what it holds looks like the mark of a read, wherever the program's static memory is read.
FORGED = """
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
static unsigned char forged[1 << 16];
static int x, other, seen;
void set_segment(uintptr_t);
#if OWN
void set_segment(uintptr_t base) { __asm__ volatile("wrgsbase %0" : : "r"(base)); }
#endif
static void *work(void *unused) { *(volatile int *)&x = 1; return unused; }
int main(void) {
    pthread_t t;
    memset(forged, 255, sizeof forged);
    pthread_create(&t, 0, work, 0);
    set_segment((uintptr_t)forged + 4096 - ((uintptr_t)&x & ~(uintptr_t)4095));
    if (!OWN) *(volatile int *)&other = 1; /* the next access that calls us */
    seen = *(volatile int *)&x;
    pthread_join(t, 0);
    assert(seen == FIRST);
    return 0; }
"""
SETTER = 'void set_segment(unsigned long base) { __asm__ volatile("wrgsbase %0" : : "r"(base)); }'


@pytest.mark.parametrize("own", [1, 0], ids=["the program", "a library that is not patched"])
def test_marks_that_the_program_forges_are_not_believed(tmp_path: Path, own: int) -> None:
    """Both orders are run: whichever is the first, the assertion fails in the other."""
    (tmp_path / "setter.c").write_text(SETTER)
    library = ["-fno-asynchronous-unwind-tables", "-Wl,--no-eh-frame-hdr", "-shared", "-fPIC", "-o", tmp_path / "libsetter.so"]
    subprocess.run(["gcc", "-O1", *library, tmp_path / "setter.c"], check=True)
    words = [f"-DOWN={own}", *([] if own else [f"-L{tmp_path}", f"-Wl,--no-as-needed,-rpath,{tmp_path}", "-lsetter"])]
    for first in (0, 1):
        program = built(tmp_path, FORGED.replace("FIRST", str(first)), *words[:1], *words[1:])
        assert run_inside(program, [], NONE).kinds == {"assertion"}, (own, first)


NOWHERE = """
#include <pthread.h>
static volatile long *volatile where = (volatile long *)ADDRESS;
static void *work(void *unused) { if (WRITES) *where = 1; else (void)*where; return unused; }
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); return 0; }
"""


@pytest.mark.parametrize(("address", "writes"), [("8", 0), ("0x100000000", 1), ("0x700000000000", 0)])
def test_a_wild_pointer_crashes_where_the_program_uses_it(tmp_path: Path, address: str, writes: int) -> None:
    """Its mark is nowhere either."""
    run = run_inside(built(tmp_path, NOWHERE, f"-DADDRESS={address}", f"-DWRITES={writes}"), [], NONE)
    assert run.kinds == {"crash"} and "in work" in run.report["statement"], run


LOW = """
#include <assert.h>
#include <sys/mman.h>
int main(void) {
    volatile int *low = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    long sum = 0;
    for (int i = 0; i < 200; i++) { low[i] = i; sum += low[i]; }
    assert(sum == 19900);
    return 0; }
"""


@pytest.mark.parametrize("flags", [["-pie"], ["-no-pie"]], ids=["moved", "fixed"])
def test_memory_that_has_no_marks(tmp_path: Path, flags: list[str]) -> None:
    """Below all that Linux would choose; and a program of fixed addresses, in which nothing is marked."""
    run = run_inside(built(tmp_path, LOW, *flags), [], NONE)
    assert (run.exit_code, run.report["coverage"]) == (0, "machine"), run


FAR_BEFORE_MAIN = """
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
static int *far;
static void map_it(void) {
    void *wanted = (void *)0x50764000000, *got;
    if (BARE)
        __asm__ volatile("mov %5, %%r10d\\n mov $-1, %%r8\\n xor %%r9d, %%r9d\\n syscall"
                         : "=a"(got) : "0"(SYS_mmap), "D"(wanted), "S"(4096L), "d"(3), "i"(MAP_PRIVATE | MAP_ANONYMOUS)
                         : "rcx", "r8", "r9", "r10", "r11", "memory");
    else
        got = mmap(wanted, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(got == wanted);
    far = got; }
__attribute__((constructor)) static void early(void) { if (!LATE) { map_it(); far[1] = 1; } }
static void *add(void *unused) { far[0] = far[0] + 1; return unused; }
int main(void) {
    pthread_t a, b;
    if (LATE) map_it();
    for (int i = 0; i < 100; i++) far[2] += i;
    pthread_create(&a, 0, add, 0); pthread_create(&b, 0, add, 0); pthread_join(a, 0); pthread_join(b, 0);
    assert(far[0] == 2 && far[2] == 4950);
    return 0; }
"""


@pytest.mark.parametrize(("bare", "late"), [(0, 0), (0, 1), (1, 1)])
def test_memory_that_the_program_maps_where_no_marks_can_be_is_seen(tmp_path: Path, bare: int, late: int) -> None:
    """mimalloc asks for such addresses, in a constructor."""
    run = run_inside(built(tmp_path, FAR_BEFORE_MAIN, f"-DBARE={bare}", f"-DLATE={late}"), [], NONE)
    assert run.kinds == {"assertion"} and run.report["coverage"] == "machine", run


def shaped(numbers: random.Random) -> str:
    """A function of machine code that mixes accesses, flags and every register, and hashes what it sees."""
    registers = ["rax", "rcx", "rdx", "rbx", "rbp", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"]
    small = {"rax": "al", "rcx": "cl", "rdx": "dl", "rbx": "bl", "rbp": "bpl", "rsi": "sil", **{f"r{n}": f"r{n}b" for n in range(8, 16)}}
    lines = [f"mov ${numbers.randrange(1 << 31)}, %{register}" for register in registers]
    for number in range(60):
        register, other = numbers.sample(registers, 2)
        place = f"{numbers.randrange(0, 256, 8)}(%rdi)"
        indexed = f"{numbers.randrange(64)}(%rdi,%{other},{numbers.choice([1, 2, 4])})"
        where = place if numbers.random() < 0.6 else indexed
        bound = [f"and $31, %{other}"] if where is indexed else []
        both = f"%{other}, %{register}"
        setting = numbers.choice([f"add {both}", f"cmp {both}", f"sub $77, %{register}", f"test %{other}, %{other}"])
        jump = f"jle {number}f; xor $9, %{register}; {number}:"
        using = numbers.choice([f"adc $3, %{register}", f"setc %{small[register]}", jump, f"cmovo {both}", ""])
        access = numbers.choice(
            [
                f"mov {where}, %{register}",
                f"mov %{register}, {where}",
                f"movzbl {where}, %e{register[1:]}" if register in ("rax", "rcx", "rdx", "rbx", "rsi") else f"mov {where}, %{register}",
                f"mov %{small[register]}, {where}",
                f"add %{register}, {where}",
                f"movups {where}, %xmm1; movups %xmm1, {place}",
                f"adc {where}, %{register}",
                f"sbb %{register}, {where}",
                "mov %rsi, 128(%rsp); mov 128(%rsp), %r9",
            ]
        )
        lines += [*bound, setting, access, using]
    push = "\\n".join(f"push %{register}" for register in ("rbx", "rbp", "r12", "r13", "r14", "r15"))
    pop = "\\n".join(f"pop %{register}" for register in ("r15", "r14", "r13", "r12", "rbp", "rbx"))
    total = "\\n".join(f"rol $7, %rax\\nxor %{register}, %rax" for register in registers[1:])
    return f"{push}\\nsub $512, %rsp\\n" + "\\n".join(lines).replace(";", "\\n") + f"\\n{total}\\nadd $512, %rsp\\n{pop}\\nret"


RUNS = """
#include <pthread.h>
#include <stdio.h>
#include <string.h>
%s
unsigned long f0(void *), f1(void *), f2(void *), f3(void *), f4(void *), f5(void *);
static unsigned long (*all[])(void *) = {f0, f1, f2, f3, f4, f5};
static unsigned char memory[1024];
static void *work(void *unused) { return unused; }
int main(void) {
    pthread_t t; unsigned long hash = 1;
    for (int round = 0; round < 8; round++) {
        if (round == 3) pthread_create(&t, 0, work, 0);
        for (int i = 0; i < 6; i++) hash = hash * 31 + all[i](memory + 8 * (i + round)); }
    for (int i = 0; i < 1024; i++) hash = hash * 31 + memory[i];
    printf("%%lu\\n", hash); fflush(stdout); pthread_join(t, 0);
    return hash %% 251 == EXPECTED ? 0 : 1; }
"""


@pytest.mark.parametrize("seed", range(2))
def test_random_machine_code_computes_the_same(tmp_path: Path, seed: int) -> None:
    """Flags, registers, the red zone and vectors are the program's whatever a trampoline does, with marks and without."""
    numbers = random.Random(seed)
    functions = ""
    for each in range(6):
        head = f".text\\n.globl f{each}\\n.type f{each},@function\\nf{each}:\\n.cfi_startproc"
        tail = f".cfi_endproc\\n.size f{each},.-f{each}"
        functions += f'__asm__("{head}\\n{shaped(numbers)}\\n{tail}\\n");\n'
    for flags in (["-pie"], ["-no-pie"]):
        alone = subprocess.run([built(tmp_path, RUNS % functions, "-DEXPECTED=0", *flags)], capture_output=True).stdout
        program = built(tmp_path, RUNS % functions, f"-DEXPECTED={int(alone) % 251}", *flags)
        run = run_inside(program, [], NONE)
        assert (run.exit_code, run.report["coverage"]) == (0, "machine"), run
