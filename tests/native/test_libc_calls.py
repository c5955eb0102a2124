"""Functions of libc that a table tells of: they answer what libc answers, and every access of memory that they are given is seen."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from bpor.model.plan import Plan
from bpor.model.trace import Outcome
from bpor.target.executor import NativeExecutor
from bpor.target.library_calls import TOLD, TOLD_BY_TABLE, unseen_calls
from tests.native.compiled import ROOT, compiled
from tests.native.tool import run_inside
from tests.patience import PATIENCE

pytestmark = pytest.mark.needs("gcc")
PROBE = ROOT / "tests/native/probes/libc_calls.c"
LIBRARY = ROOT / "bpor/_native/libbpor.so"
FLAGS = ("-O0", "-fno-builtin", "-Wno-nonnull", "-Wno-deprecated-declarations", "-Wl,--no-as-needed", "-lm")
FAMILIES = {"told_table", "described", "walks", "scheduling", "sockets", "texts", "descriptor_looks"}
# Names of newer systems, and those by which fortified sources call others.
ELSEWHERE = {"strlcpy", "strlcat", "__xpg_strerror_r", "freeaddrinfo", "__strftime_l", "__wcsftime_l"}
HARMLESS = """
__assert_perror_fail __chk_fail __ctype_b_loc __ctype_init __ctype_tolower_loc __ctype_toupper_loc __cxa_finalize __duplocale
__errno_location __fortify_fail __freelocale __iswctype_l __libc_current_sigrtmax __libc_current_sigrtmin __newlocale __nl_langinfo_l
__stack_chk_fail __towlower_l __towupper_l __uselocale __wctype_l abs alphasort alphasort64 bsearch btowc copysign copysignf copysignl
dirfd dlerror fdopendir fileno getegid geteuid getgid getpagesize getuid htonl htons iconv_close iconv_open iswctype_l labs llabs
malloc_usable_size nl_langinfo_l ntohl ntohs pthread_atfork pthread_equal pthread_self pthread_setcancelstate pthread_setcanceltype
pthread_testcancel sched_get_priority_max sched_get_priority_min sched_getcpu strerror thrd_current thrd_equal towlower_l towupper_l
uselocale wctob wctype_l
"""
LETTERS = re.compile(r"(is|to)w?(alnum|alpha|ascii|blank|cntrl|ctype|digit|graph|lower|print|punct|space|upper|xdigit|ctrans)(_l)?")


def table() -> dict[str, str]:
    """Function -> family."""
    text = (ROOT / "csrc/protocol/intercepted.def").read_text(encoding="utf-8")
    return dict(re.findall(r"^FUNCTION\((\w+), *(\w+)\)", text, re.MULTILINE))


def rows_of(part: str) -> list[str]:
    body = re.search(rf"^static void {part}\(.*?^}}", PROBE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert body is not None
    return re.findall(r"^    CALL\((\w+),", body[0], re.MULTILINE)


def output(executable: Path, preload: str = "") -> str:
    environment = {**os.environ, "LD_PRELOAD": preload} if preload else dict(os.environ)
    command, nothing = [executable], subprocess.DEVNULL
    run = subprocess.run(command, stdin=nothing, capture_output=True, text=True, env=environment, timeout=PATIENCE, check=True)
    return run.stdout


def test_the_probe_calls_every_function_of_the_families() -> None:
    called = set(re.findall(r"\b(\w+)\)?\(", PROBE.read_text(encoding="utf-8")))
    asked = {name for name, family in table().items() if family in FAMILIES and not name.startswith(("__isoc23_", "__v", "__a"))}
    assert {name for name in asked if not name.endswith("_chk")} - called == ELSEWHERE - {"freeaddrinfo"}


def test_a_function_of_libc_that_no_verdict_names_is_intercepted_or_known_to_share_nothing() -> None:
    library = next(line.split()[2] for line in subprocess.getoutput("ldd /bin/sh").splitlines() if "libc.so" in line)
    symbols = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout.splitlines()
    functions = {name.partition("@")[0] for _, kind, name in map(str.split, symbols) if kind in "TWi"}
    silent = functions - set(unseen_calls(functions)) - TOLD - TOLD_BY_TABLE - table().keys()
    assert {name for name in silent if not LETTERS.fullmatch(name)} <= set(HARMLESS.split())


def test_without_a_controller_everything_passes_through() -> None:
    plain = output(compiled(PROBE, FLAGS))
    assert plain.count("\n") > 100
    assert output(compiled(PROBE, FLAGS), str(LIBRARY)) == plain


def test_under_control_the_answers_are_the_same() -> None:
    executable = compiled(PROBE, FLAGS)
    with NativeExecutor([str(executable)]) as executor:
        end = executor.run(Plan()).end
    assert end.outcome is Outcome.PASSED, end
    assert end.stdout.decode() == output(executable)


@pytest.mark.parametrize("part", ["texts", "wide_texts", "facts"])
def test_memory_that_two_threads_give_to_them_is_seen_at_each(part: str) -> None:
    """A place of its own each: so many races are explored as there are calls."""
    run = run_inside(compiled(PROBE, FLAGS, instrumented=True), [part], ["--bound", "preemption:0", "--races", "explore"])
    assert f"data races at {len(rows_of(part))} places" in run.report["statement"], run
