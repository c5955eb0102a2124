"""Tests that use plain libraries, instrumented or not: no race is made up out of a library's locks, and none is kept silent."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.native.compiled import INSTRUMENTING, PROGRAMS
from tests.native.tool import Run, run_inside, run_tool

LIBRARY = """
static int word, flag;
void lib_lock(void) { while (__atomic_exchange_n(&word, 1, __ATOMIC_ACQUIRE)) __builtin_ia32_pause(); }
void lib_unlock(void) { __atomic_store_n(&word, 0, __ATOMIC_RELEASE); }
void lib_publish(void) { __atomic_store_n(&flag, 1, __ATOMIC_RELEASE); }
int lib_published(void) { return __atomic_load_n(&flag, __ATOMIC_ACQUIRE); }
"""
USER = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
void lib_lock(void), lib_unlock(void), lib_publish(void);
int lib_published(void);
static int counter, *message;
static void *count(void *unused) {
    if (LOCKS) lib_lock();
    counter++;
    if (LOCKS) lib_unlock();
    return unused; }
static void *give(void *unused) {
    if (LATE) lib_publish();
    *message = 7;
    if (!LATE) lib_publish();
    return unused; }
int main(void) {
    pthread_t a, b;
    message = malloc(sizeof *message);
    pthread_create(&a, 0, count, 0); pthread_create(&b, 0, count, 0); pthread_join(a, 0); pthread_join(b, 0);
    assert(counter == 2);
    pthread_create(&a, 0, give, 0);
    if (lib_published()) { assert(*message == 7); free(message); }
    pthread_join(a, 0);
    return 0; }
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("library")
    (directory / "library.c").write_text(LIBRARY)
    (directory / "user.c").write_text(USER)
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", directory / "libown.so", directory / "library.c"], check=True)
    return directory


def use(library: Path, compiler: str, locks: int, late: int) -> Run:
    program = library / f"user-{Path(compiler).name}-{locks}{late}"
    words = [f"-DLOCKS={locks}", f"-DLATE={late}", f"-L{library}", "-lown", "-Wl,-rpath,$ORIGIN"]
    subprocess.run([compiler, "-g", "-O1", "-pthread", library / "user.c", "-o", program, *words], check=True)
    return run_inside(program, [], ["--bound", "fair:2,preemption:2"])


@pytest.mark.parametrize("compiler", [str(INSTRUMENTING["gcc"]), "gcc"], ids=["instrumented", "plain"])
def test_locks_and_flags_of_a_plain_library_order_the_test(library: Path, compiler: str) -> None:
    right = use(library, compiler, locks=1, late=0)
    assert (right.exit_code, right.report["coverage"]) == (0, "machine"), right
    assert not any("nothing shared through" in text and "lib_" in text for text in right.report["assumptions"]), right


def test_a_race_between_instrumented_accesses_is_reported(library: Path) -> None:
    for locks, late, line in ((0, 0, "counter"), (1, 1, "message")):
        run = use(library, str(INSTRUMENTING["gcc"]), locks, late)
        assert run.exit_code == 1 and run.kinds == {"race"}, (line, run)


def test_what_a_race_of_machine_code_leads_to_is_found(library: Path) -> None:
    assert use(library, "gcc", locks=0, late=0).kinds == {"assertion"}
    assert use(library, "gcc", locks=1, late=1).kinds <= {"assertion", "memory"}


GLIB = """
#include <assert.h>
#include <glib.h>
static GMutex mutex; static int counter;
static gpointer count(gpointer unused) { if (LOCKS) g_mutex_lock(&mutex); counter++; if (LOCKS) g_mutex_unlock(&mutex); return unused; }
int main(void) { GThread *a = g_thread_new("a", count, 0), *b = g_thread_new("b", count, 0);
    g_thread_join(a); g_thread_join(b); assert(counter == 2); return 0; }
"""
URCU = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <urcu.h>
static int *shared;
static void *look(void *unused) { rcu_register_thread(); rcu_read_lock(); int now = *rcu_dereference(shared);
    assert(now == 1 || now == 2); rcu_read_unlock(); rcu_unregister_thread(); return unused; }
int main(void) { pthread_t thread; int *old = malloc(4), *new = malloc(4); *old = 1; shared = old; rcu_register_thread();
    pthread_create(&thread, 0, look, 0); *new = 2; rcu_assign_pointer(shared, new);
    if (LOCKS) synchronize_rcu();
    *old = 0; free(old); pthread_join(thread, 0); rcu_unregister_thread(); return 0; }
"""
BOOST = """
#include <boost/atomic.hpp>
#include <boost/lockfree/stack.hpp>
#include <cassert>
#include <thread>
static boost::lockfree::stack<int, boost::lockfree::capacity<4>> items;
static boost::atomic<int> taken(0);
static void take() { int item, now; if (!items.pop(item)) return;
    if (LOCKS) taken.fetch_add(1); else now = taken.load(boost::memory_order_relaxed), taken.store(now + 1); }
int main() { items.push(0); items.push(0); std::thread a(take), b(take); a.join(); b.join(); assert(taken == 2); return 0; }
"""
ABSEIL = """
#include <absl/synchronization/mutex.h>
#include <cassert>
#include <thread>
static absl::Mutex mutex; static int counter;
static void count() { if (LOCKS) mutex.Lock(); counter++; if (LOCKS) mutex.Unlock(); }
int main() { std::thread a(count), b(count); a.join(); b.join(); assert(counter == 2); return 0; }
"""


def verdicts(tmp_path: Path, text: str, words: list[str], bound: str, locks: tuple[int, ...] = (1, 0)) -> list[tuple[int, str]]:
    """Exit code and coverage of the variant that locks and of the one that does not."""
    source = tmp_path / ("user.cc" if "iostream" in text or "<thread>" in text else "user.c")
    source.write_text(text)
    found = []
    for lock in locks:
        program = tmp_path / f"user{lock}"
        subprocess.run([words[0], "-g", "-O1", "-pthread", f"-DLOCKS={lock}", source, "-o", program, *words[1:]], check=True)
        run = run_inside(program, [], ["--bound", bound])
        found.append((run.exit_code, run.report["coverage"]))
    return found


def package(name: str) -> list[str]:
    asked = subprocess.run(["pkg-config", "--cflags", "--libs", name], capture_output=True, text=True)
    if asked.returncode:
        pytest.skip(f"needs {name}")
    return asked.stdout.split()


RIGHT_AND_WRONG = [(0, "machine"), (1, "machine")]


@pytest.mark.needs("pkg-config")
@pytest.mark.parametrize("compiler", [str(INSTRUMENTING["gcc"]), "gcc"], ids=["instrumented", "plain"])
@pytest.mark.parametrize(("name", "text", "bound"), [("glib-2.0", GLIB, "fair:2,preemption:2"), ("liburcu", URCU, "none")])
def test_the_locks_of_debians_libraries(tmp_path: Path, name: str, text: str, bound: str, compiler: str) -> None:
    """liburcu counts the rounds in which it waits: it gets on with something, so a small fair bound would be inconclusive."""
    assert verdicts(tmp_path, text, [compiler, *package(name)], bound) == RIGHT_AND_WRONG


@pytest.mark.needs("g++", "pkg-config")
def test_abseils_mutex(tmp_path: Path) -> None:
    """The right one without preemptions: with two it has 3,642 schedules, which pass too."""
    words = ["g++", "-std=c++17", *package("absl_synchronization")]
    assert verdicts(tmp_path, ABSEIL, words, "fair:1,preemption:0", locks=(1,)) == RIGHT_AND_WRONG[:1]
    assert verdicts(tmp_path, ABSEIL, words, "fair:1,preemption:1", locks=(0,)) == RIGHT_AND_WRONG[1:]


@pytest.mark.needs("g++", "clang++")
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_boosts_stack_without_locks(tmp_path: Path, compiler: str) -> None:
    if not Path("/usr/include/boost/lockfree/stack.hpp").exists():
        pytest.skip("needs libboost-dev")
    assert verdicts(tmp_path, BOOST, [compiler, "-std=c++17"], "fair:2,preemption:2") == RIGHT_AND_WRONG


# The same accesses by std::atomic: as many executions as the instrumented build has.
ATOMICS = {
    "c": """
#include <assert.h>
#include <pthread.h>
static int x;
static void *add(void *unused) { for (int i = 0; i < 2; i++) { if (LOCKS) __atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST);
    else __atomic_store_n(&x, __atomic_load_n(&x, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED); } return unused; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, add, 0); pthread_create(&b, 0, add, 0); pthread_join(a, 0); pthread_join(b, 0);
    assert(!LOCKS || x == 4); return 0; }
""",
    "cc": """
#include <atomic>
#include <cassert>
#include <thread>
static std::atomic<int> x;
static void add() { for (int i = 0; i < 2; i++) { if (LOCKS) x.fetch_add(1);
    else x.store(x.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); } }
int main() { std::thread a(add), b(add); a.join(); b.join(); assert(!LOCKS || x == 4); return 0; }
""",
    "rs": """
use std::ffi::c_void;
use std::sync::atomic::{AtomicI32, Ordering::*};
extern "C" {
    fn pthread_create(thread: *mut u64, how: *const c_void, run: extern "C" fn(*mut c_void) -> *mut c_void, with: *mut c_void) -> i32;
    fn pthread_join(thread: u64, result: *mut *mut c_void) -> i32;
}
static X: AtomicI32 = AtomicI32::new(0);
extern "C" fn add(unused: *mut c_void) -> *mut c_void {
    for _ in 0..2 { if cfg!(locks) { X.fetch_add(1, SeqCst); } else { X.store(X.load(Relaxed) + 1, Relaxed); } }
    unused
}
fn main() {
    let none = std::ptr::null_mut();
    let (mut a, mut b) = (0, 0);
    unsafe { pthread_create(&mut a, none, add, none); pthread_create(&mut b, none, add, none);
        pthread_join(a, none as *mut *mut c_void); pthread_join(b, none as *mut *mut c_void); }
    assert!(!cfg!(locks) || X.load(Relaxed) == 4);
}
""",
}


@pytest.fixture(scope="module")
def executions_when_told(tmp_path_factory: pytest.TempPathFactory) -> list[int]:
    directory = tmp_path_factory.mktemp("told")
    (directory / "told.c").write_text(ATOMICS["c"])
    found = []
    for lock in (1, 0):
        program = directory / f"told{lock}"
        words = [INSTRUMENTING["gcc"], "-O2", "-pthread", f"-DLOCKS={lock}", directory / "told.c", "-o", program]
        subprocess.run(words, check=True)
        found.append(run_inside(program, [], ["--bound", "none", "--no-known-steps"]).report["executions"])
    return found


OTHER_COMPILERS = [
    pytest.param(compiler, suffix, marks=pytest.mark.needs(compiler))
    for compiler, suffix in (("clang", "c"), ("g++", "cc"), ("clang++", "cc"), ("rustc", "rs"))
]


@pytest.mark.parametrize(("compiler", "suffix"), OTHER_COMPILERS)
def test_plain_builds_of_other_compilers_have_the_same_executions(
    tmp_path: Path, executions_when_told: list[int], compiler: str, suffix: str
) -> None:
    source, found = tmp_path / f"plain.{suffix}", []
    source.write_text(ATOMICS[suffix])
    for lock in (1, 0):
        program = tmp_path / f"plain{lock}"
        words = ["-O2", "-pthread", f"-DLOCKS={lock}"] if suffix != "rs" else ["-O", "-Awarnings", *["--cfg=locks"] * lock]
        subprocess.run([compiler, *words, source, "-o", program], check=True)
        run = run_inside(program, [], ["--bound", "none", "--no-known-steps"])
        assert (run.exit_code, run.report["coverage"]) == (0, "machine"), run
        found.append(run.report["executions"])
    assert found == executions_when_told


@pytest.mark.needs("gdb")
def test_gdb_stops_at_lines_of_patched_code_and_prints_whole_backtraces(tmp_path: Path) -> None:
    source = tmp_path / "lines.c"
    source.write_text(
        "#include <pthread.h>\nstatic int cell[8];\nstatic void *work(void *where)\n{\n    int *p = where;\n    p[0]++;\n    p[1]++;\n"
        "    p[2]++;\n    return p;\n}\nint main(void)\n{\n    pthread_t t;\n    pthread_create(&t, 0, work, cell);\n"
        "    pthread_join(t, 0);\n    return cell[0];\n}\n"
    )
    subprocess.run(["gcc", "-g", "-O1", "-pthread", "-o", tmp_path / "lines", source], check=True)
    assert run_tool(tmp_path / "lines", [], ["--state", str(tmp_path / "state")]).exit_code == 1
    words = [str(PROGRAMS.parent / ".venv/bin/bpor-native"), "replay", "last", "--gdb", "--state", str(tmp_path / "state")]
    commands = "break lines.c:7\nbreak lines.c:8\nbpor end\nprint cell\nbacktrace\nbpor end\nprint cell\nbpor end\nquit\n"
    run = subprocess.run(words, input=commands, capture_output=True, text=True, cwd=tmp_path)
    told = run.stdout
    assert told.count("stopped in work (on the way)") == 2 and "the end, after" in told, run
    assert "bpor_carried" in told and "cell" in told
