"""Bad and hostile surroundings: every one ends with a clear line or does not matter, and nothing of an earlier result is lost."""

from __future__ import annotations

import json
import os
import resource
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from junitparser import JUnitXml

from tests.native.suite_workshop import Workshop
from tests.native.tool import Run, command, environment
from tests.patience import PATIENCE
from tests.unit.closed_schema import closed_schema
from tests.unit.sarif_schema import sarif_schema

pytestmark = pytest.mark.slow  # every test starts several processes

REPORTS = ("--json", "r.json", "--junit", "j.xml", "--sarif", "s.json", "--html", "p.html", "--github")
QUICK = ("-q", "--bound", "preemption:2")


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    shop = Workshop(tmp_path)
    shop.program("buggy/deadlock/bank.c")
    shop.program("correct/mutex/counter.c", "counter", "-DTHREADS=2")
    return shop


def reports_are_well_formed(directory: Path) -> None:
    jsonschema.validate(json.loads((directory / "r.json").read_text("utf-8")), closed_schema())
    jsonschema.validate(json.loads((directory / "s.json").read_text("utf-8")), sarif_schema())
    JUnitXml.fromfile(str(directory / "j.xml"))
    assert "<script>alert" not in (directory / "p.html").read_text("utf-8")


def under(prefix: list[str], shop: Workshop, *arguments: str) -> Run:
    words = [*prefix, *command(*arguments)]
    result = subprocess.run(words, cwd=shop.path, env=environment(), capture_output=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
    return Run(result.returncode, result.stdout.decode(errors="replace"), result.stderr.decode(errors="replace"))


# ---- names ----

NAMES = [
    b"q\"'`$(touch x)",
    b"a b\tc\nd",
    b"<script>alert(1)</script>".replace(b"/", b"_"),
    b"\xff\xfe\x80",
    b"-rf",
    b"%n%s::error::x,y",
    b"100%|*_~",
]


@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_a_program_of_any_name_is_found_reported_and_replayed(shop: Workshop, name: bytes) -> None:
    path = os.fsencode(shop.path) + b"/" + name
    os.rename(os.fsencode(shop.path / "bank"), path)
    program = "./" + os.fsdecode(name)
    found = shop.tool(*QUICK, *REPORTS, program)
    assert found.exit_code == 1, found
    assert "SUMMARY: bpor-native: deadlock" in found.stdout
    reports_are_well_formed(shop.path)
    line = json.loads((shop.path / "r.json").read_text())["findings"][0]["replay"]
    assert shop.tool(*shlex.split(line)[1:]).exit_code == 1
    assert shop.tool("replay", "last").exit_code == 1
    assert shop.tool("list").exit_code == shop.tool("show").exit_code == 0
    assert not (shop.path / "x").exists(), "no shell ever saw the name"
    commands = [text for text in found.stdout.splitlines() if text.startswith("::")]
    assert [text.split(" ")[0] for text in commands] == ["::error"]


@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_a_suite_in_a_directory_of_any_name_runs(tmp_path: Path, name: bytes) -> None:
    directory = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
    directory.mkdir()
    shop = Workshop(directory)
    shop.program("buggy/deadlock/bank.c")
    shop.config('corpus = "kept"\n[[test]]\nprogram = "*"\n')
    run = shop.suite("--junit", "j.xml", "--sarif", "s.json", "--write-baseline", "b.json")
    assert run.exit_code == 1, run
    assert len(list(directory.glob("kept/*/*.json"))) == 1
    jsonschema.validate(shop.json("s.json"), sarif_schema())


# ---- output ----

LOUD = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int first;
static void *worker(void *unused)
{
    pthread_mutex_lock(&m);
    first = first ? first : 1;
    pthread_mutex_unlock(&m);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&m);
    first = first ? first : 2;
    pthread_mutex_unlock(&m);
    pthread_join(thread, NULL);
    char *text = malloc(SIZE);
    for (int i = 0; i < SIZE; i++)
        text[i] = (char)(i * 7 % 256);
    fwrite(text, 1, SIZE, stdout);
    fwrite("</script><script>alert(1)</script>]]>\x1b[2J\n::error::x\n", 1, 53, stderr);
    return first == 1;
}
"""


@pytest.mark.parametrize("size", [4096, 8 << 20])
def test_binary_output_of_any_size_stays_data(shop: Workshop, size: int) -> None:
    shop.source(LOUD, "loud", f"-DSIZE={size}")
    run = shop.tool(*QUICK, *REPORTS, "--machine-code=off", "--outcomes", "./loud", timeout=PATIENCE)
    assert run.exit_code == 1, run.stderr
    assert "\x1b" not in run.stdout
    reports_are_well_formed(shop.path)
    assert sum(path.stat().st_size for path in shop.path.glob("?.*")) < 4 << 20, "a report keeps a part of it"
    assert all(text.startswith("::error title=") for text in run.stdout.splitlines() if text.startswith("::"))


def test_endless_output_is_cut_and_not_a_pass(shop: Workshop) -> None:
    shop.source('#include <stdio.h>\nint main(void) { for (;;) puts("again and again"); }', "endless")
    run = shop.tool("-q", "./endless", timeout=PATIENCE)
    assert run.exit_code == 3, run
    assert "output limit" in run.stdout


# ---- files ----


@pytest.mark.parametrize("data", [b"", b"{", b"\x00\xff", b'{"bpor-native finding": 1}', b"[" * 100_000, b'{"bpor-native finding": 99}'])
def test_a_damaged_replay_file_is_one_line(shop: Workshop, data: bytes) -> None:
    (shop.path / "f.json").write_bytes(data)
    run = shop.tool("replay", "f.json", "--", "./bank")
    assert run.exit_code == 2
    assert run.stderr.count("\n") == 1
    assert "f.json" in run.stderr


@pytest.mark.parametrize("data", [b"\x00\xff" * 5000, b"{}"])
@pytest.mark.parametrize("name", ["last", "made-here.json", "result.json", "search.sqlite", "finding-1.json"])
def test_damaged_state_never_breaks_a_run_and_is_named_when_it_is_asked_for(shop: Workshop, name: str, data: bytes) -> None:
    assert shop.tool(*QUICK, "./bank").exit_code == 1
    (path,) = (shop.path / ".bpor").rglob(name)
    path.write_bytes(data)
    for words in (["replay", "last"], ["list"], ["show"]):
        run = shop.tool(*words)
        assert run.exit_code in (0, 1, 2), run
        assert "Traceback" not in run.stderr
    resumed = shop.tool(*QUICK, "--resume", "./bank")
    assert "Traceback" not in resumed.stderr
    assert resumed.exit_code in (1, 2), resumed
    again = shop.tool(*QUICK, "./bank")
    assert (again.exit_code, "SUMMARY: bpor-native: deadlock" in again.stdout) == (1, True), again


def test_a_report_that_cannot_be_written_is_known_before_the_search_and_nothing_is_touched(shop: Workshop) -> None:
    for flag in ("--json", "--html", "--junit", "--sarif"):
        run = shop.tool(*QUICK, flag, "gone/x", "./bank")
        assert (run.exit_code, run.stdout, f"{flag} gone/x: No such file" in run.stderr) == (2, "", True), run
        run = shop.tool(*QUICK, flag, ".", "./bank")
        assert run.exit_code == 2, run


def test_a_full_device_costs_the_file_and_not_the_verdict(shop: Workshop) -> None:
    run = shop.tool(*QUICK, "--json", "/dev/full", "--junit", "/dev/full", "./bank")
    assert run.exit_code == 1, "a bug is more than a file"
    assert "SUMMARY: bpor-native: deadlock" in run.stdout
    assert run.stderr.count("/dev/full: No space left on device") == 2
    assert shop.tool(*QUICK, "--json", "/dev/full", "/bin/true").exit_code == 2


def mounted(script: str) -> list[str]:
    """A shell in a mount namespace of its own, which then becomes the command."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("needs root and unshare")
    return ["unshare", "-m", "sh", "-c", f'{script} && exec "$@"', "sh"]


def test_a_full_disk_keeps_the_last_result(shop: Workshop) -> None:
    """The old report and the old state are still there, whole."""
    disk = shop.path / "disk"
    disk.mkdir()
    fill = f"mount -t tmpfs -o size=256k none {disk} && cp old.json disk/r.json && head -c 1m /dev/zero > disk/fill 2>/dev/null; true"
    assert shop.tool(*QUICK, "--json", "old.json", "./counter").exit_code == 0
    show = [*mounted(fill), "sh", "-c", '"$@"; echo "exit $?"; cat disk/r.json', "sh"]
    run = under(show, shop, *QUICK, "--json", "disk/r.json", "--state", "disk/state", "./bank")
    assert "SUMMARY: bpor-native: deadlock" in run.stdout, run
    assert "exit 1" in run.stdout, "a bug is more than a file"
    assert json.loads(run.stdout[run.stdout.index("exit 1") + 7 :])["verdict"] == "pass", "the report of before"
    assert "No space left on device" in run.stderr


def test_a_read_only_directory_keeps_nothing_and_says_so(shop: Workshop) -> None:
    prefix = mounted(f"mount --bind {shop.path} {shop.path} && mount -o remount,bind,ro {shop.path} && cd {shop.path}")
    run = under(prefix, shop, "--bound", "preemption:2", "./bank")
    assert run.exit_code == 1, run
    assert "nothing is kept" in run.stderr and "Read-only file system" in run.stderr
    refused = under(prefix, shop, *QUICK, "--json", "r.json", "./bank")
    assert (refused.exit_code, "--json r.json: Read-only file system" in refused.stderr) == (2, True)


def test_without_proc_it_says_so_and_removes_nobodys_files(shop: Workshop) -> None:
    run = under(mounted("mount -t tmpfs none /proc"), shop, *QUICK, "./bank")
    assert (run.exit_code, "/proc is not mounted" in run.stderr) == (2, True), run


@pytest.mark.needs("unshare")
def test_somebody_who_is_not_root_gets_the_same_verdict(shop: Workshop) -> None:
    prefix = ["unshare", "-U"] if os.geteuid() == 0 else []
    if subprocess.run([*prefix, "true"], capture_output=True).returncode != 0:
        pytest.skip("needs user namespaces")
    for words in ([*QUICK, "./bank"], ["replay", "last"]):
        assert under(prefix, shop, *words).exit_code == 1


# ---- limits ----


def limited(kind: int, value: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(kind, (value, value))


def run_limited(shop: Workshop, kind: int, value: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*QUICK, "./bank"),
        cwd=shop.path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        preexec_fn=limited(kind, value),
    )


@pytest.mark.parametrize(
    ("kind", "value", "code", "words"),
    [
        (resource.RLIMIT_NOFILE, 6, 2, "Too many open files"),
        (resource.RLIMIT_NOFILE, 40, 1, ""),
        (resource.RLIMIT_FSIZE, 0, 2, "temporary directory"),
        (resource.RLIMIT_FSIZE, 1024, 2, "File too large"),
        (resource.RLIMIT_STACK, 256 << 10, 1, ""),
        (resource.RLIMIT_CORE, 0, 1, ""),
        (resource.RLIMIT_MEMLOCK, 0, 1, ""),
        (resource.RLIMIT_AS, 150 << 20, 4, "address space limit"),
    ],
)
def test_a_limit_does_not_matter_or_is_named(shop: Workshop, kind: int, value: int, code: int, words: str) -> None:
    run = run_limited(shop, kind, value)
    assert run.returncode == code, run.stdout + run.stderr
    assert words in run.stderr + run.stdout
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("megabytes", (225, 250, 275, 300))
def test_what_does_not_fit_beside_our_tables_is_no_bug_of_the_program(shop: Workshop, megabytes: int) -> None:
    """Near the edge there is room for some threads and not for others."""
    run = run_limited(shop, resource.RLIMIT_AS, megabytes << 20)
    assert run.returncode == 4 or "deadlock" in run.stdout, run.stdout + run.stderr
    assert "misuse" not in run.stdout


SMALL_STACKS = """
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *worker(void *unused)
{
    char text[20000];
    snprintf(text, sizeof text, "%d", n);
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    return unused;
}
int main(void)
{
    pthread_t thread[2];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&thread[i], &attributes, worker, NULL))
            return 9;
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return n != 2;
}
"""


@pytest.mark.parametrize("options", [[], ["--carrier", "threads"], ["--reset", "exec"]], ids=" ".join)
def test_threads_with_stacks_of_64_kilobytes_run(shop: Workshop, options: list[str]) -> None:
    shop.source(SMALL_STACKS, "small")
    assert shop.tool("-q", *options, "./small").exit_code == 0


# ---- streams ----


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_change_nothing_about_the_verdict(shop: Workshop, closed: str) -> None:
    shop.config('[[test]]\nprogram = "bank"\n')
    for words in ([*QUICK, "./bank"], ["suite"]):
        line = f"{shlex.join(command(*words))} {closed}"
        assert subprocess.run(["sh", "-c", line], cwd=shop.path, env=environment(), capture_output=True, timeout=PATIENCE).returncode == 1


def test_a_reader_that_leaves_early_costs_no_report_file(shop: Workshop) -> None:
    line = f"{shlex.join(command(*QUICK, '--json', 'r.json', './bank'))} | true"
    ended = subprocess.run(
        ["bash", "-c", f"{line}; echo ${{PIPESTATUS[0]}}"], cwd=shop.path, env=environment(), capture_output=True, text=True
    )
    assert ended.stdout.strip() in ("1", "3")
    assert "Traceback" not in ended.stderr
    assert json.loads((shop.path / "r.json").read_text())["verdict"] == "bug"


def test_nothing_is_ever_run_through_a_shell() -> None:
    package = Path(__file__).resolve().parents[2] / "bpor"
    offending = [
        path for path in package.rglob("*.py") if any(word in path.read_text() for word in ("shell=True", "os.system(", "os.popen("))
    ]
    assert offending == []
