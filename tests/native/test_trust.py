"""--trust: what is inside of trusted code is not explored and said not to be; what is above it is, to the last order of two calls."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from bpor.api import check, replay
from bpor.cli import main
from bpor.model.trace import Outcome
from bpor.report.finding import FindingKind
from bpor.report.result import Result
from bpor.report.verdict import VerdictKind
from bpor.settings import Settings
from tests.native.compiled import INSTRUMENTING

HERE = Path(__file__).parent
WHOLE = "module:libtrusted*.so"
"""Orders of two threads with so many calls each."""
ORDERS = {2: 6, 3: 20, 4: 70}


@pytest.fixture(scope="module", params=["plain", "instrumented"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    place = tmp_path_factory.mktemp("trust")
    command = ["gcc"] if request.param == "plain" else [INSTRUMENTING["gcc"]]
    library = [HERE / "trusted_library.c", "-shared", "-fPIC", "-o", place / "libtrusted.so"]
    subprocess.run([*command, "-g", "-O1", *library, "-pthread"], check=True)
    user = [HERE / "trusting_program.c", "-o", place / "user", f"-L{place}", "-ltrusted", "-Wl,-rpath,$ORIGIN"]
    subprocess.run([*command, "-g", "-O1", *user, "-pthread"], check=True)
    return str(place / "user")


def found(program: str, what: str, trust: str = WHOLE) -> Result:
    return check([program, what], Settings(trust=trust, bound="none", memory="sc"))


def test_a_bug_inside_is_not_found_and_the_verdict_says_so(program: str) -> None:
    assert found(program, "adds inside", trust="").verdict.kind is VerdictKind.BUG
    verdict = found(program, "adds inside").verdict
    assert verdict.kind is VerdictKind.PASS
    assert f"taken on trust: {WHOLE}, each call of it atomic unless it waits" in verdict.assumptions
    assert "libtrusted.so," not in verdict.reason.partition("taken on trust")[0], "nothing is claimed of its accesses"


def test_a_bug_above_is_found_with_fewer_steps_and_repeats_itself(program: str) -> None:
    with_all, trusting = found(program, "adds above", trust=""), found(program, "adds above")
    assert trusting.verdict.kind is VerdictKind.BUG
    assert trusting.search is not None and with_all.search is not None
    assert trusting.search.counts.steps < with_all.search.counts.steps / 2
    (finding,) = trusting.findings
    assert finding.kind is FindingKind.ASSERTION
    assert "--trust" in finding.replay
    assert replay(finding).end.outcome is Outcome.ASSERTION


def test_every_order_of_calls_is_tried_and_nothing_inside_of_them(program: str) -> None:
    result, without = found(program, "looks twice"), found(program, "looks twice", trust="")
    assert result.search is not None and without.search is not None
    assert result.search.counts.distinct_traces == ORDERS[2]
    assert result.search.counts.executions < without.search.counts.executions / 5


@pytest.mark.parametrize("what", ["waits", "spins"])
def test_who_waits_inside_lets_others_run(program: str, what: str) -> None:
    assert check([program, what], Settings(trust=WHOLE, memory="sc")).verdict.kind is VerdictKind.PASS


def test_who_waits_for_ever_inside_is_a_deadlock(program: str) -> None:
    (finding,) = found(program, "waits for ever").findings
    assert finding.kind is FindingKind.DEADLOCK


def test_a_callback_is_the_programs_own_code(program: str) -> None:
    assert found(program, "calls back").verdict.kind is VerdictKind.BUG


@pytest.mark.parametrize(("what", "orders"), [("calls back and in", ORDERS[3]), ("jumps out", 3)])
def test_a_call_that_is_not_left_by_a_return_is_left_all_the_same(program: str, what: str, orders: int) -> None:
    """Into a callback, which calls the library again, and what comes behind that: three steps each. By longjmp: two against one."""
    result = found(program, what)
    assert result.verdict.kind is VerdictKind.PASS
    assert result.search is not None
    assert result.search.counts.distinct_traces == orders


def test_a_lock_that_the_program_uses_itself_is_explored_inside_too(program: str) -> None:
    result = found(program, "lends its lock")
    assert result.verdict.kind is VerdictKind.PASS
    assert result.search is not None
    assert result.search.counts.distinct_traces == 3, "one call of the program's against two, one of them inside"


def test_a_lock_that_was_used_unseen_is_not_used_in_sight(program: str) -> None:
    verdict = found(program, "takes its lock").verdict
    assert verdict.kind is VerdictKind.UNCONTROLLED
    assert "trusted code uses out of sight" in verdict.reason


def test_independent_functions_make_no_orders(program: str) -> None:
    result = found(program, "looks twice", trust="independent:function:stats_*")
    assert result.search is not None
    assert result.search.counts.distinct_traces == ORDERS[2], "of the lock alone"
    assert "taken on trust: function:stats_*, independent of all else" in result.verdict.assumptions
    assert "outside of trusted functions" in result.verdict.reason or result.verdict.coverage != "machine"


def test_a_name_that_nothing_has_is_a_slip(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--trust", "module:libother*", program, "waits"]) == 2
    assert "--trust module:libother*: no function" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["libfoo", "module:", "file:a.c", "module:/usr/lib/libfoo.so", "module:lib[ab].so", "atomic:module:a"])
def test_what_is_not_a_pattern_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--trust", text, "/bin/true"]) == 2
    assert f"{text!r} is not module:NAME or function:NAME" in capsys.readouterr().err


THROWS = """
#include <pthread.h>
#include <stdexcept>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define INSIDE __attribute__((always_inline)) inline
struct Locked {
    INSIDE Locked() { pthread_mutex_lock(&lock); }
    INSIDE ~Locked() { pthread_mutex_unlock(&lock); }
};
__attribute__((noinline)) double trusted(double half)
{
    Locked here;
    if (half == 0)
        throw std::runtime_error("nothing");
    return 2 * half;
}
__attribute__((noinline)) void trusted_end(void)
{
    Locked here;
    pthread_exit(nullptr);
}
static void *work(void *unused)
{
    try {
        trusted(0);
    } catch (std::runtime_error &) {
        if (trusted(1.5) != 3)
            __builtin_trap();
    }
    trusted_end();
    return unused;
}
int main()
{
    pthread_t one, two;
    pthread_create(&one, nullptr, work, nullptr);
    pthread_create(&two, nullptr, work, nullptr);
    pthread_join(one, nullptr);
    pthread_join(two, nullptr);
}
"""


def test_exceptions_and_the_end_of_a_thread_find_their_way_out_of_trusted_functions(tmp_path: Path) -> None:
    (tmp_path / "throws.cpp").write_text(THROWS)
    subprocess.run(shlex.split(f"g++ -g -O1 -pthread -o {tmp_path}/throws {tmp_path}/throws.cpp"), check=True)
    result = found(f"{tmp_path}/throws", "", trust="function:trusted*")
    assert result.verdict.kind is VerdictKind.PASS
    assert result.search is not None
    assert result.search.counts.distinct_traces == ORDERS[4], "three calls and the end of the thread"
