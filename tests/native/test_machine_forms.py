"""Every form in which an instruction accesses memory: seen, so that both orders with another thread's access are run, or named as not seen.

`python -m tests.native.test_machine_forms` tries all of them (make soak); `make test` the ones that were once passed over.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest

from bpor.target.elf import open_image
from tests.native import forms
from tests.native.test_machine_code import built, scanned, symbol
from tests.native.tool import run_inside

pytestmark = pytest.mark.needs("gcc")

MAIN = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
__attribute__((aligned(4096))) unsigned char before[4096], shared[4096];
__attribute__((aligned(64))) static unsigned char own[4096];
static long (*form[])(void *, void *) = {%s};
static int which, writes;
static long seen;
static void *work(void *unused) { long answer = form[which](shared, own); if (!writes) seen = answer; return unused; }
int main(int argc, char **argv) {
    pthread_t t; which = atoi(argv[1]), writes = argc > 2;
    pthread_create(&t, 0, work, 0);
    if (writes) seen = *(volatile long *)shared; else *(volatile long *)shared = -1;
    pthread_join(t, 0); printf("%%d", seen != 0); return 0; }
"""
BOTH = ["0", "1"]
ONCE_PASSED_OVER = [
    *((forms.READS, name) for name in ("mov", "bt beyond its operand", "bt before its operand", "repne scas, backwards", "repe cmps")),
    *((forms.WRITES, name) for name in ("movb", "inc", "bts beyond its operand", "lock dec")),
]


def text_of(bodies: list[str]) -> str:
    """A function for each body, one right behind the other: nobody has padding to give away."""
    lines = ""
    for number, body in enumerate(bodies):
        code = body.replace("; ", "\\n ")
        head = f".text\\n.globl form{number}\\n.type form{number},@function\\nform{number}:\\n.cfi_startproc\\n"
        lines += (
            f'__asm__("{head} {code}\\n ret\\n.cfi_endproc\\n.size form{number},.-form{number}\\n"); long form{number}(void *, void *);\n'
        )
    return lines + MAIN % ", ".join(f"form{number}" for number in range(len(bodies)))


def outcomes(program: Path, number: int, writes: bool) -> list[str]:
    run = run_inside(program, [str(number), *["writes"] * writes], ["--bound", "none", "--outcomes", "--memory=sc"])
    assert run.exit_code == 0 and run.report["coverage"] == "machine" and "not seen" not in run.report["statement"], run
    return sorted(one["stdout"] for one in run.report["outcomes"])


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("forms"), text_of([*forms.READS.values(), *forms.WRITES.values()]))


@pytest.mark.parametrize(("table", "name"), ONCE_PASSED_OVER, ids=[name for _, name in ONCE_PASSED_OVER])
def test_both_orders_of_an_access_are_run(seen: Path, table: dict[str, str], name: str) -> None:
    writes = table is forms.WRITES
    assert outcomes(seen, list(table).index(name) + writes * len(forms.READS), writes) == BOTH


def test_what_is_not_seen_is_counted(tmp_path: Path) -> None:
    program = built(tmp_path, text_of(list(forms.UNSEEN.values())))
    counted = scanned(program).summary.functions
    missing = [name for number, name in enumerate(forms.UNSEEN) if f"{symbol(program, f'form{number}'):#x}" not in counted]
    assert missing == []


# Address of a local variable that leads out, and an access of it by the stack pointer: `pointer` is how the address is kept.
LOCAL = """
#include <pthread.h>
#include <stdio.h>
pthread_t thread;
int form(void *(*)(void *));
__asm__(".text\\n.globl form\\n.type form,@function\\nform:\\n.cfi_startproc\\n push %rbp\\n.cfi_def_cfa_offset 16\\n push %rbx\\n"
        ".cfi_def_cfa_offset 24\\n sub $40,%rsp\\n.cfi_def_cfa_offset 64\\n movl $0,16(%rsp)\\n mov %rdi,%rdx\\n POINTER\\n"
        " xor %esi,%esi\\n lea thread(%rip),%rdi\\n call pthread_create@PLT\\n ACCESS\\n"
        "back: mov thread(%rip),%rdi\\n xor %esi,%esi\\n call pthread_join@PLT\\n mov %ebx,%eax\\n add $40,%rsp\\n pop %rbx\\n pop %rbp\\n"
        " ret\\n.cfi_endproc\\n.size form,.-form\\n.type cold,@function\\ncold:\\n.cfi_startproc\\n.cfi_def_cfa_offset 64\\n"
        " mov 16(%rsp),%ebx\\n jmp back\\n.cfi_endproc\\n.size cold,.-cold\\n");
static void *work(void *flag) { *(volatile int *)flag = 1; return 0; }
int main(void) { printf("%d", form(work)); return 0; }
"""
POINTERS = {
    "in rbp, as optimisers do": ("lea 16(%rsp),%rbp\\n mov %rbp,%rcx", "mov 16(%rsp),%ebx"),
    "in a vector": ("vpinsrq $0,%rsp,%xmm0,%xmm0\\n vmovq %xmm0,%rcx\\n add $16,%rcx", "mov 16(%rsp),%ebx"),
    "read by a part of the function elsewhere": ("lea 16(%rsp),%rcx", "jmp cold"),
}


@pytest.mark.parametrize("how", POINTERS)
def test_the_address_of_a_local_variable_leads_out(tmp_path: Path, how: str) -> None:
    pointer, access = POINTERS[how]
    program = built(tmp_path, LOCAL.replace("POINTER", pointer).replace("ACCESS", access), "-mavx")
    run = run_inside(program, [], ["--bound", "none", "--outcomes", "--memory=sc"])
    assert sorted(one["stdout"] for one in run.report["outcomes"]) == BOTH, run


CAUGHT = """
#include <cstdio>
#include <pthread.h>
static void *work(void *flag) { *(volatile int *)flag = 1; return 0; }
__attribute__((noinline)) void may_throw(int n) { if (n) throw n; }
__attribute__((noinline)) int use(int n) {
    volatile int flag = 0; pthread_t thread; int seen = 5;
    pthread_create(&thread, 0, work, (void *)&flag);
    try { may_throw(n); } catch (int) { seen = flag; }
    pthread_join(thread, 0);
    return seen; }
int main(int count, char **) { std::printf("%d", use(count)); return 0; }
"""


@pytest.mark.needs("g++")
def test_a_catch_block_has_the_frame_of_its_function(tmp_path: Path) -> None:
    """The compiler puts it elsewhere, as code that is seldom run."""
    program = built(tmp_path, CAUGHT, "-O2", compiler="g++")
    with open_image(str(program)) as image:
        assert image is not None and any(b".cold" in each.name for each in image.symbols())
    run = run_inside(program, [], ["--bound", "none", "--outcomes", "--memory=sc"])
    assert sorted(one["stdout"] for one in run.report["outcomes"]) == BOTH, run


CALLS_BY_STACK = """
#include <pthread.h>
#include <stdio.h>
int which; pthread_t thread;
static void one(void) { which = 0; }
static void two(void) { which = 1; }
static void *work(void *place) { *(void (*volatile *)(void))place = two; return 0; }
void go(void *(*)(void *), void (*)(void));
__asm__(".text\\n.type go,@function\\ngo:\\n.cfi_startproc\\n sub $24,%rsp\\n mov %rsi,8(%rsp)\\n mov %rdi,%rdx\\n lea 8(%rsp),%rcx\\n"
        " xor %esi,%esi\\n lea thread(%rip),%rdi\\n call pthread_create@PLT\\n call *8(%rsp)\\n add $24,%rsp\\n ret\\n.cfi_endproc\\n"
        ".size go,.-go\\n");
int main(void) { go(work, one); pthread_join(thread, 0); printf("%d", which); return 0; }
"""


def test_a_call_by_a_pointer_on_the_stack_reads_it(tmp_path: Path) -> None:
    run = run_inside(built(tmp_path, CALLS_BY_STACK), [], ["--bound", "none", "--outcomes", "--memory=sc"])
    assert sorted(one["stdout"] for one in run.report["outcomes"]) == BOTH, run


PROCESSOR = Path("/proc/cpuinfo").read_text()
NEIGHBOUR_IS_FREED = """
#include <immintrin.h>
#include <pthread.h>
#include <stdlib.h>
static int sum;
static void *work(void *unused) { return unused; }
int main(void) {
    pthread_t t;
    int *block = malloc(24), *freed = malloc(24), *last = malloc(24);
    pthread_create(&t, 0, work, 0);
    for (int i = 0; i < 6; i++) block[i] = freed[i] = i;
    free(freed);
    if ((char *)freed - (char *)block != 32) return 0;
    __m256i mask = _mm256_setr_epi32(-1, -1, 0, 0, 0, 0, 0, WRONG ? -1 : 0), four = _mm256_maskload_epi32(block + 4, mask);
    _mm256_maskstore_epi32(block + 4, mask, four);
    sum = _mm256_extract_epi32(four, 0);
    pthread_join(t, 0); free(last); free(block);
    return sum != 4; }
"""


@pytest.mark.parametrize("wrong", [0, 1])
def test_elements_that_a_mask_leaves_out_are_not_accessed(tmp_path: Path, wrong: int) -> None:
    """The rest of the vector lies in a block that was freed."""
    if " avx2 " not in PROCESSOR:
        pytest.skip("needs a processor with AVX2")
    run = run_inside(built(tmp_path, NEIGHBOUR_IS_FREED, "-mavx2", f"-DWRONG={wrong}"), [], ["--bound", "none"])
    assert run.kinds == ({"memory"} if wrong else set()) and run.report["coverage"] == "machine", run


def all_forms() -> int:
    tables: list[tuple[dict[str, str], dict[str, str], list[str]]] = [
        (forms.READS, forms.WRITES, []),
        (forms.FIXED_READS, forms.FIXED_WRITES, ["-no-pie", "-fno-pie"]),
    ]
    tables += [(forms.AVX2_READS, forms.AVX2_WRITES, [])] if " avx2 " in PROCESSOR else []
    tables += [(forms.AVX512_READS, forms.AVX512_WRITES, [])] if " avx512f " in PROCESSOR else []
    tried = wrong = 0
    for reads, writes, flags in tables:
        with tempfile.TemporaryDirectory() as directory:
            program = built(Path(directory), text_of([*reads.values(), *writes.values()]), *flags)
            for number, name in enumerate([*reads, *writes]):
                found = outcomes(program, number, number >= len(reads))
                tried, wrong = tried + 1, wrong + (found != BOTH)
                if found != BOTH:
                    print(f"{name}: {found}", flush=True)
    print(f"forms of accesses: {tried} tried, {wrong} wrong")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(all_forms())
