"""Programs of several processes: test runners that fork, programs that start others, and what is left of them afterwards."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import psutil
import pytest

from bpor.api import check
from bpor.model.plan import Plan
from bpor.model.trace import Outcome
from bpor.report.result import Result
from bpor.report.verdict import VerdictKind
from bpor.target.executor import NativeExecutor
from bpor.target.options import TargetOptions
from tests.native.compiled import PROGRAMS, compiled
from tests.native.suite_workshop import Workshop
from tests.patience import eventually

pytestmark = pytest.mark.needs("gcc")
FORKED = PROGRAMS / "buggy/exit/in_a_forked_child.c"

BODY = """
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int hits;
static void *hit(void *unused)
{
    pthread_mutex_lock(&mutex);
    int seen = hits;
    if (!GOOD) {
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&mutex);
    }
    hits = seen + 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}
static int test(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, hit, NULL);
    pthread_create(&two, NULL, hit, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return hits == 2 ? 0 : 1;
}
"""

LIBCHECK = """
#include <check.h>
START_TEST(alone) { ck_assert_int_eq(1, 1); } END_TEST
START_TEST(both_hits_count) { ck_assert_int_eq(test(), 0); } END_TEST
int main(void)
{
    Suite *suite = suite_create("hits");
    TCase *cases = tcase_create("core");
    tcase_add_test(cases, alone);
    tcase_add_test(cases, both_hits_count);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
"""

CRITERION = """
#include <criterion/criterion.h>
#include <signal.h>
Test(hits, both_count) { cr_assert_eq(test(), 0); }
"""


def build(directory: Path, text: str, *flags: str, name: str = "program", good: bool = False) -> str:
    source = directory / f"{name}.c"
    source.write_text(BODY + text)
    subprocess.run(["gcc", "-g", "-pthread", f"-DGOOD={int(good)}", "-o", directory / name, source, *flags], check=True)
    return str(directory / name)


def flags_of(package: str) -> list[str]:
    """What gcc needs for a library, or the test is skipped."""
    found = (
        subprocess.run(["pkg-config", "--cflags", "--libs", package], capture_output=True, text=True)
        if shutil.which("pkg-config")
        else None
    )
    return found.stdout.split() if found and found.returncode == 0 else pytest.skip(f"needs {package}")


def said(result: Result) -> str:
    return f"{result.verdict.kind.value}: {result.verdict.reason}"


def test_a_test_of_libcheck_runs_in_its_forked_child_under_control(tmp_path: Path) -> None:
    bad = check([build(tmp_path, LIBCHECK, *flags_of("check"))], bound="preemption:1")
    (finding,) = bad.findings
    assert finding.trace.end.outcome is Outcome.EXIT
    assert b"both_hits_count" in finding.trace.end.stdout
    good = check([build(tmp_path, LIBCHECK, *flags_of("check"), name="good", good=True)], bound="preemption:1")
    assert good.verdict.kind is VerdictKind.PASS, said(good)
    assert good.search is not None and good.search.counts.threads == 3


SEVERAL = """
static int in_child(int (*body)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(body());
    waitpid(child, &status, 0);
    return status != 0;
}
"""


def test_processes_that_make_threads_in_turn_are_each_a_search_of_the_suite(tmp_path: Path) -> None:
    text = LIBCHECK.replace("tcase_add_test(cases, alone);", "tcase_add_test(cases, alone); tcase_add_test(cases, both_hits_count);")
    program = build(tmp_path, text, *flags_of("check"), good=True)
    plain = check([program], bound="preemption:1")
    assert plain.verdict.kind is VerdictKind.UNCONTROLLED, said(plain)
    assert plain.verdict.next == f"bpor-native suite -- {program}"
    run = Workshop(tmp_path).suite("-q", "--", "./program")
    assert run.exit_code == 0, run
    assert "program:process-1" in run.stdout and "2 passed" in run.stdout


def test_a_bug_of_one_of_several_processes_is_found_where_it_is_and_replayed(tmp_path: Path) -> None:
    text = "static int twice(void) { return test() && test() ? 0 : 0; }\nint main(void) { return in_child(twice) | in_child(test); }"
    program = build(tmp_path, SEVERAL + text)
    assert check([program], process=1, bound="preemption:1").verdict.kind is VerdictKind.PASS
    bad = check([program], process=2, bound="preemption:1")
    (finding,) = bad.findings
    assert finding.trace.end.outcome is Outcome.EXIT
    assert "--process=2" in finding.replay
    assert "there is no process 3; 2 make threads" in said(check([program], process=3, bound="preemption:1"))


def test_a_process_whose_first_schedule_fails_is_named_by_the_searches_of_the_others(tmp_path: Path) -> None:
    deadlock = "static int stuck(void) { test(); pthread_mutex_lock(&mutex); pthread_mutex_lock(&mutex); return 0; }\n"
    bad = "static int bad(void) { return 1 + test(); }\n"
    first = build(tmp_path, SEVERAL + deadlock + "int main(void) { return in_child(stuck) | in_child(test); }", good=True)
    found = said(check([first], process=2, bound="preemption:0"))
    assert found.startswith("uncontrolled") and "process 1 of those that make threads, fails in its first schedule" in found
    second = build(tmp_path, SEVERAL + bad + "int main(void) { return in_child(test) | in_child(bad); }", good=True)
    found = said(check([second], process=1, bound="preemption:0"))
    assert found.startswith("uncontrolled") and "process 2 of those that make threads, ends with status 1" in found


def test_a_process_that_some_schedules_of_another_bring_is_never_passed_over(tmp_path: Path) -> None:
    program = build(tmp_path, SEVERAL + "int main(void) { return in_child(test) && in_child(test) && 0; }")
    result = check([program], process=1, bound="preemption:1")
    assert result.verdict.kind is VerdictKind.UNCONTROLLED, said(result)
    assert "2 processes make threads in one schedule, 1 in another" in said(result)


def test_every_test_of_criterion_is_a_search_of_the_suite(tmp_path: Path) -> None:
    text = """
static void begin(void) { hits = -1; }
static void end(void) { hits++; }
TestSuite(fixed, .init = begin);
Test(fixed, up, .init = end) { cr_expect_eq(hits, 0); cr_assert(1); test(); }
Test(hits, off, .disabled = true) { cr_assert(0); }
Test(hits, dies, .signal = SIGSEGV) { *(volatile int *)0 = 1; }
"""
    build(tmp_path, CRITERION + text, *flags_of("criterion"))
    run = Workshop(tmp_path).suite("-q", "./program", "--bound", "preemption:1")
    assert run.exit_code == 1, run
    assert "program:hits/both_count: bug: hits/both_count failed, program.c:" in run.stdout
    assert "hits/dies: uncontrolled: Criterion's hits/dies: it expects to be killed" in run.stdout
    assert "suite: 3 tests: 1 passed, 1 failed, 1 error" in run.stdout


def test_a_filter_of_criterion_that_matches_nothing_is_no_pass(tmp_path: Path) -> None:
    result = check([build(tmp_path, CRITERION, *flags_of("criterion")), "--filter", "no/such"], bound="preemption:0")
    assert result.verdict.kind is VerdictKind.UNCONTROLLED and "no test matches" in said(result)


START = {
    "system": 'int main(void) { return system("./helper") == 0 ? 0 : 1; }',
    "system after clearenv": 'int main(void) { clearenv(); return system("./helper") == 0 ? 0 : 1; }',
    "popen": 'int main(void) { return pclose(popen("./helper", "r")) == 0 ? 0 : 1; }',
    "env -i": 'int main(void) { return system("env -i ./helper") == 0 ? 0 : 1; }',
    "vfork and execl": 'int main(void) { int s; if (vfork() == 0) { execl("./helper", "helper", NULL); _exit(9); } '
    "wait(&s); return s != 0; }",
    "posix_spawn without environment": (
        "#include <spawn.h>\nint main(void) { pid_t p; int s; char *a[] = {(char *)\"helper\", NULL};\n"
        'return posix_spawn(&p, "./helper", NULL, NULL, a, NULL) != 0 || waitpid(p, &s, 0) != p || s != 0; }'
    ),
    "a pipeline": 'int main(void) { return system("./helper && echo fine | grep -q fine") == 0 ? 0 : 1; }',
    "all descriptors closed": 'int main(void) { int s; if (fork() == 0) { for (int i = 3; i < 1024; i++) close(i); '
    'execl("./helper", "helper", NULL); _exit(9); } wait(&s); return s != 0; }',
}  # fmt: skip


@pytest.mark.parametrize("how", START)
def test_control_follows_to_a_program_however_it_is_started(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    build(tmp_path, "int main(void) { return test(); }", name="helper")
    result = check([build(tmp_path, START[how])], bound="preemption:1")
    assert [finding.trace.end.outcome for finding in result.findings] == [Outcome.EXIT], said(result)


def test_a_program_that_the_runtime_cannot_enter_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    build(tmp_path, "int main(void) { return 0 * test(); }", "-static", name="helper")
    result = check([build(tmp_path, START["vfork and execl"])], bound="preemption:0")
    assert result.verdict.kind is VerdictKind.UNCONTROLLED
    assert "./helper" in said(result) and "out of our sight" in said(result)


def test_threads_in_the_program_and_in_one_that_it_starts_are_refused_with_both_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    build(tmp_path, "int main(void) { return 0 * test(); }", name="helper")
    result = check([build(tmp_path, 'int main(void) { return 0 * test() + system("./helper"); }')], bound="preemption:0")
    assert result.verdict.kind is VerdictKind.UNCONTROLLED
    assert "program[" in said(result) and "helper[" in said(result)


def test_programs_without_threads_that_end_by_themselves_leave_the_mode_as_it_was(tmp_path: Path) -> None:
    program = build(tmp_path, 'int main(void) { return system("true") | test(); }', good=True)
    with NativeExecutor([program]) as executor:
        assert executor.run(Plan()).end.outcome is Outcome.PASSED
        assert not executor.mode.follows


def test_a_finding_in_a_forked_child_is_replayed_from_its_schedule_alone(tmp_path: Path) -> None:
    program = str(compiled(FORKED))
    (finding,) = check([program], bound="preemption:1").findings
    with NativeExecutor([program]) as executor:
        again = executor.run(Plan(prefix=finding.schedule.threads))
    assert (again.end.outcome, again.hash) == (Outcome.EXIT, finding.trace.hash)


def test_the_coverage_is_that_of_the_program_which_has_the_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    build(tmp_path, "int main(void) { return test(); }", name="helper", good=True)
    source = tmp_path / "front.c"
    source.write_text('#include <unistd.h>\nint main(void) { execl("./helper", "helper", NULL); return 9; }\n')
    result = check([str(compiled(source, (), True))], bound="preemption:0")
    assert (result.verdict.kind, result.verdict.coverage) == (VerdictKind.PASS, "calls"), said(result)


def test_a_program_that_becomes_another_needs_no_new_process_for_every_execution() -> None:
    tree = str(compiled(Path(__file__).with_name("process_tree.c")))
    with NativeExecutor([tree, "e(g)"]) as executor:
        assert [executor.run(Plan()).end.outcome for _ in range(2)] == [Outcome.PASSED] * 2
        assert not executor.mode.exec, executor.reason


def test_nothing_of_a_family_is_left_behind(tmp_path: Path) -> None:
    mark = f"bpor-mark-{os.getpid()}"
    program = build(
        tmp_path,
        "int main(int argc, char **argv) { (void)argc; if (fork() == 0) { setsid(); if (fork() == 0)\n"
        '    execlp("sleep", argv[1], "100", NULL); _exit(test()); } wait(NULL); return 0; }',
    )
    with NativeExecutor([program, mark], TargetOptions(watchdog=1)) as executor:
        assert executor.run(Plan()).end.outcome is Outcome.REFUSED
    eventually(lambda: not any(mark in (process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"])), "the end of all")
