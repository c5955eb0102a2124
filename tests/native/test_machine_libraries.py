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
    assert not any("no data races inside" in text and "lib_" in text for text in right.report["assumptions"]), right


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
REAL = {"glib-2.0": GLIB, "liburcu": URCU}


@pytest.mark.needs("pkg-config")
@pytest.mark.parametrize("compiler", [str(INSTRUMENTING["gcc"]), "gcc"], ids=["instrumented", "plain"])
@pytest.mark.parametrize("package", REAL)
def test_the_locks_of_debians_libraries(tmp_path: Path, package: str, compiler: str) -> None:
    asked = subprocess.run(["pkg-config", "--cflags", "--libs", package], capture_output=True, text=True)
    if asked.returncode:
        pytest.skip(f"needs {package}")
    (tmp_path / "user.c").write_text(REAL[package])
    for locks, code in ((1, 0), (0, 1)):
        program = tmp_path / f"user{locks}"
        words = [compiler, "-g", "-O1", "-pthread", f"-DLOCKS={locks}", tmp_path / "user.c", "-o", program, *asked.stdout.split()]
        subprocess.run(words, check=True)
        run = run_inside(program, [], ["--bound", "fair:2,preemption:2"])
        assert (run.exit_code, run.report["coverage"]) == (code, "machine"), run


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
    told = subprocess.run(words, input=commands, capture_output=True, text=True, cwd=tmp_path).stdout
    assert told.count("stopped in work (on the way)") == 2 and "the end, after" in told, told
    assert "bpor_carried" in told and "cell" in told
