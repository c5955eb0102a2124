"""Plain binaries whose code cannot be patched, or not for long: each ends in one sentence and the lower coverage, never in a crash."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bpor.machine import scan as scanning
from tests.native.compiled import PROGRAMS
from tests.native.test_machine_code import built, scanned
from tests.native.tool import Run, command, environment, run_inside

COUNTER = (PROGRAMS / "correct/atomics/lost_update.c").read_text()
BOUND = ["--bound", "fair:2,preemption:1"]

# Starts a program in a process that may not make memory executable that was not.
FORBIDDING = {
    "the kernel refuses (PR_SET_MDWE)": """
#include <sys/prctl.h>
#include <unistd.h>
int main(int argc, char **argv) { (void)argc; return prctl(65, 1, 0, 0, 0) != 0 ? 77 : execvp(argv[1], argv + 1); }
""",
    "a seccomp filter refuses": """
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 4, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 13),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog filter = {sizeof code / sizeof *code, code};
    (void)argc;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &filter) ? 77 : execvp(argv[1], argv + 1); }
""",
}


@pytest.mark.parametrize("how", FORBIDDING)
def test_where_code_may_not_be_written_it_is_left_alone(tmp_path: Path, how: str) -> None:
    program = built(tmp_path, COUNTER)
    source = tmp_path / "forbid.c"
    source.write_text(FORBIDDING[how])
    subprocess.run(["gcc", "-o", tmp_path / "forbid", source], check=True)
    words = [tmp_path / "forbid", *command(*BOUND, program)]
    run = subprocess.run(words, env=environment(), cwd=tmp_path, capture_output=True, text=True)
    if run.returncode == 77:
        pytest.skip("this kernel cannot be made to refuse")
    assert run.returncode == 3 and "not patched: program: new code may not be run here" in run.stdout, run.stdout + run.stderr
    assert "coverage calls" in run.stdout


def left_alone(run: Run, why: str) -> None:
    assert run.exit_code in (0, 3) and not run.kinds, run
    assert run.report["coverage"] == "calls" and why in run.report["statement"], run


CHANGES_ITSELF = """
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile int where;
int five(void);
static inline long bare(void *start, long bytes, long how) {
    long answer;
    __asm__ volatile("syscall" : "=a"(answer) : "a"(SYS_mprotect), "D"(start), "S"(bytes), "d"(how) : "rcx", "r11", "memory");
    return answer; }
__asm__(".text\\n.globl five\\n.type five,@function\\nfive: .cfi_startproc\\n movl $5, where(%rip)\\n movl where(%rip), %eax\\n ret\\n"
        ".cfi_endproc\\n.size five,.-five\\n");
static void *work(void *unused) { __atomic_fetch_add(&where, 0, __ATOMIC_SEQ_CST); return unused; }
int main(void) {
    pthread_t thread;
    uint8_t *code = (uint8_t *)five;
    uintptr_t page = (uintptr_t)code & ~(uintptr_t)4095;
    assert(five() == 5);
    assert(CHANGE((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
    assert(code[6] == 5);
    code[6] = 6;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    assert(five() == 6);
    return 0; }
"""


@pytest.mark.parametrize("change", ["mprotect", "bare"])
def test_code_that_changes_itself_is_its_own_again(tmp_path: Path, change: str) -> None:
    """Where our jump stands the program would find, and overwrite, something else than what it knows."""
    program = built(tmp_path, CHANGES_ITSELF, f"-DCHANGE={change}")
    left_alone(run_inside(program, [], BOUND), "not patched: program: the program writes to its own code")


MAKES_CODE = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
enum { CODE = PROT_READ | PROT_EXEC, DATA = PROT_READ | PROT_WRITE };
static const unsigned char bytes[] = {0x8b, 0x07, 0xc3, 0x90, 0x89, 0x37, 0xc3}; /* mov (%rdi), %eax; ret; mov %esi, (%rdi); ret */
static int word, sum;
static atomic_int first;
static char *memory(void) { return mmap(0, 4096, DATA, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
static char *of_file(void) {
    int file = open("/tmp", O_TMPFILE | O_RDWR, 0700);
    (void)!write(file, bytes, sizeof bytes);
    return mmap(0, 4096, CODE, MAP_PRIVATE, file, 0); }
static char *as_code(char *room) {
    memcpy(room, bytes, sizeof bytes);
    PROTECT(room, 4096, CODE);
    return room; }
static void add(char *room) {
    int (*get)(int *) = (int (*)(int *))(void *)room;
    void (*put)(int *, int) = (void (*)(int *, int))(void *)(room + 4);
    put(&word, get(&word) + 1); }
static char *code;
static void *work(void *second) {
    if (!LATE) add(code);
    else if (second && atomic_exchange(&first, 1) == 0) add(as_code(memory())), sum = word;
    else atomic_exchange(&first, 1);
    return 0; }
int main(void) {
    pthread_t one, two;
    if (!LATE) code = FILE_BACKED ? of_file() : as_code(memory());
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, &two);
    pthread_join(one, 0);
    pthread_join(two, 0);
    if (!LATE) LEAVE(code, 4096 LEFT);
    return 0; }
"""
HERE = {"PROTECT": "mprotect", "LATE": "0", "FILE_BACKED": "0", "LEAVE": "mprotect", "LEFT": ",CODE"}
MADE = {
    "and is still there": {},
    "and is gone": {"LEAVE": "munmap", "LEFT": ""},
    "and is no code any more": {"LEFT": ",DATA"},
    "by the number of the call": {"PROTECT(...)": "syscall(SYS_mprotect,__VA_ARGS__)", "LEAVE": "munmap", "LEFT": ""},
    "by another name": {"PROTECT(...)": "pkey_mprotect(__VA_ARGS__,-1)", "LEAVE": "munmap", "LEFT": ""},
    "and lies in a file": {"FILE_BACKED": "1"},
    "in one order of the threads": {"LATE": "1"},
}


@pytest.mark.parametrize("how", MADE)
def test_code_that_is_made_as_it_runs_is_not_seen(tmp_path: Path, how: str) -> None:
    flags = [f"-D{name}={value}" for name, value in {**HERE, **MADE[how]}.items() if name != "PROTECT" or "PROTECT(...)" not in MADE[how]]
    left_alone(run_inside(built(tmp_path, MAKES_CODE, *flags), [], BOUND), "code that the program made as it ran")


def test_a_program_without_room_within_reach_is_left_alone(tmp_path: Path) -> None:
    """Low addresses are below it, three gigabytes of its own data above."""
    program = built(tmp_path, f"char large[3UL << 30];\n{COUNTER}", "-no-pie", "-mcmodel=medium")
    left_alone(run_inside(program, [], BOUND), "there is no room within 2 GiB of it")


def test_a_program_that_is_too_large_to_be_decoded_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser's engine would take minutes, and more memory than there is."""
    program = built(tmp_path, COUNTER)
    monkeypatch.setattr(scanning, "LARGEST", 100)
    assert scanned(program).summary.problem == "it has 0 MB of code, more than is decoded"


def test_a_program_for_processors_that_check_jumps_is_patched(tmp_path: Path) -> None:
    """Its functions begin with endbr64; a direct jump needs none, and a shadow stack sees the returns it saw before."""
    run = run_inside(built(tmp_path, COUNTER, "-fcf-protection=full", "-Wl,-z,ibt,-z,shstk"), [], BOUND)
    assert run.report["coverage"] == "machine" and run.exit_code == 0, run


LEAVES = """
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static void *work(void *unused) { pthread_mutex_lock(&mutex); sum++; pthread_mutex_unlock(&mutex); pthread_exit(unused); }
int main(void) { pthread_t a, b; pthread_create(&a, 0, work, 0); pthread_create(&b, 0, work, 0); pthread_exit(0); }
"""


def test_the_unwinder_takes_no_locks_of_its_own_in_a_patched_program(tmp_path: Path) -> None:
    """A thread that leaves is unwound: with tables registered, libgcc would lock, and each lock would be an operation."""
    program = built(tmp_path, LEAVES)
    told = [run_inside(program, [], ["--bound", "none", f"--machine-code={how}"]) for how in ("auto", "off")]
    assert [(run.exit_code, run.report["executions"], run.report["steps"]) for run in told[:1]] == [
        (run.exit_code, run.report["executions"], run.report["steps"]) for run in told[1:]
    ]


LOST = "#include <pthread.h>\nextern int count; void *add(void *); int count;\n"
ADD = "extern int count; void *add(void *); void *add(void *unused) { count++; return unused; }\n"
MAIN = """
int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, add, NULL);
    pthread_create(&two, NULL, add, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return count != 2; }
"""


def test_one_small_function_without_a_table_is_not_claimed(tmp_path: Path) -> None:
    """It is no larger than what the start files of every program have without one: the lost update of its two threads passed. Only a
    pointer leads to it, so that it may be a constant (test_machine_between.py has those that are certain to be code)."""
    (tmp_path / "add.c").write_text(ADD)
    part = tmp_path / "add.o"
    subprocess.run(["gcc", "-O2", "-c", "-fno-asynchronous-unwind-tables", tmp_path / "add.c", "-o", part], check=True)
    (tmp_path / "program.c").write_text(LOST + MAIN)
    subprocess.run(["gcc", "-O2", "-pthread", "-s", tmp_path / "program.c", part, "-o", tmp_path / "program"], check=True)
    run = run_inside(tmp_path / "program", [], BOUND)
    assert run.report["coverage"] == "calls" and "bytes of its code have no table of functions" in run.report["statement"], run


NO_TABLE = {
    "string instructions": (".text", "movq %rdi, %rsi\n lodsl\n incl %eax\n stosl"),
    "a section of stubs": (".plt.sec", "incl (%rdi)"),
}


@pytest.mark.parametrize("how", NO_TABLE)
def test_code_without_a_table_is_known_by_what_it_accesses(tmp_path: Path, how: str) -> None:
    section, code = NO_TABLE[how]
    text = f'.section {section},"ax"\n.globl add\n.type add, @function\nadd: lea count(%rip), %rdi\n {code}\n ret\n.size add, .-add\n'
    (tmp_path / "add.s").write_text(f'{text}.section .note.GNU-stack,""\n')
    (tmp_path / "program.c").write_text(LOST + MAIN)
    words = ["gcc", "-O2", "-pthread", "-s", tmp_path / "program.c", tmp_path / "add.s", "-o", tmp_path / "program"]
    subprocess.run(words, check=True)
    run = run_inside(tmp_path / "program", [], BOUND)
    assert run.report["coverage"] == "calls" and "bytes of its code have no table of functions" in run.report["statement"], run


@pytest.mark.parametrize(
    "flags", [(), ("-no-pie",), ("-shared", "-fPIC"), ("-fcf-protection=none",), ("-no-pie", "-fuse-ld=gold")], ids=str
)
def test_the_start_files_of_a_module_need_no_table(tmp_path: Path, flags: tuple[str, ...]) -> None:
    assert scanned(built(tmp_path, COUNTER, *flags)).summary.without_table == 0
