"""A search on a cluster, its parts that need none."""

from __future__ import annotations

import asyncio
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bpor.cluster.address import Address, parse_address
from bpor.cluster.connection import Connection, task_key
from bpor.cluster.fitness import fitness_here, unfit
from bpor.cluster.host import Host
from bpor.cluster.lending import Shares
from bpor.cluster.member import Opening, bare
from bpor.cluster.parcel import Packed, pack
from bpor.cluster.recovering import Recovering
from bpor.cluster.store import Store
from bpor.errors import BporError, Contradicted, Damaged, Diverged, MemberLost, Uncontrolled, UsageError
from bpor.lazy_dataclass import replace
from bpor.model.exploration import Batch, Hashes, Told, TreeTold
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.report.checked import Checked
from bpor.report.result import Result
from bpor.report.verdict import Verdict, VerdictKind
from bpor.search.bounds import parse_bound
from bpor.search.budget import Budget, SearchStop
from bpor.search.explorer import Explorer
from bpor.search.options import SearchOptions
from bpor.search.registry import make_strategy
from bpor.settings import Settings
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse
from bpor.suite.discovery import Case
from bpor.suite.scheduler import Scheduler
from bpor.target.program import inspect_program
from tests.native.tool import environment


def test_a_cluster_is_a_scheduler_with_tls_or_workers_of_our_own() -> None:
    assert parse_address("local:4") == Address("", 4)
    assert parse_address("tls://scheduler:8786") == Address("tls://scheduler:8786")


@pytest.mark.parametrize("text", ["", "local:", "local:0", "scheduler:8786", "http://scheduler:8786", "tls://", "tls://host"])
def test_anything_else_is_an_error(text: str) -> None:
    with pytest.raises(UsageError, match="neither tls://HOST:PORT nor local:N"):
        parse_address(text)


def test_a_cluster_without_tls_has_to_be_asked_for() -> None:
    with pytest.raises(UsageError, match="--insecure-cluster"):
        parse_address("tcp://scheduler:8786")
    assert not parse_address("tcp://scheduler:8786", insecure=True).secure


def test_without_dask_a_cluster_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"--cluster needs dask.distributed: pip install 'bpor-native\[cluster\]'"):
        Connection(parse_address("local:1"))


def test_nothing_of_a_cluster_is_loaded_without_one() -> None:
    """By a search that passes; dask takes a second to load."""
    search = "from bpor.cli import main; import sys; code = main(['run', '--state', 'none', '-q', '--', '/bin/true'])"
    look = 'sys.exit(f\'{code} {[name for name in sys.modules if name.startswith(("dask", "distributed", "bpor.cluster"))]}\')'
    run = subprocess.run([sys.executable, "-c", f"{search}; {look}"], cwd="/", env=environment(), capture_output=True, text=True)
    assert run.stderr.splitlines()[-1] == "0 []", run


def stored(packed: Packed, root: Path) -> Store:
    store = Store(root)
    for item in packed.parcel.items:
        store.add(packed.content(item), item.hash)
    return store


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory, and a program beside it that is known by a symbolic link."""
    (tmp_path / "work" / "data" / "empty").mkdir(parents=True)
    (tmp_path / "work" / "data" / "words").write_text("one two")
    (tmp_path / "work" / "data" / "words").chmod(0o640)
    (tmp_path / "build").mkdir()
    shutil.copy("/bin/true", tmp_path / "build" / "test")
    (tmp_path / "latest").symlink_to("build")
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


def test_workers_of_our_own_begin_with_interrupts_blocked_whatever_python_starts_beside_them() -> None:
    """Ctrl-C reached those that were still importing dask, and each printed where it was."""
    begin = "with blocked_interrupts(): resource_tracker.ensure_running(); print(*map(int, signal.pthread_sigmask(signal.SIG_BLOCK, [])))"
    words = "import signal; from multiprocessing import resource_tracker; from bpor.cluster.connection import blocked_interrupts"
    line = [sys.executable, "-c", f"{words}\n{begin}"]
    run = subprocess.run(line, cwd="/", env=environment(), capture_output=True, text=True, check=True)
    assert {signal.SIGINT, signal.SIGTERM, signal.SIGHUP} <= set(map(int, run.stdout.split()))


def test_a_parcel_holds_the_program_and_what_is_sent_by_their_hashes(site: Path) -> None:
    packed = pack(inspect_program("../latest/test"), ["../latest/test", "-x"], ["data"], {"LANG": "C"})
    names, here = [item.name for item in packed.parcel.items], str(site).lstrip("/")
    assert names == [f"{here}/build/test", f"{here}/work/data/words"]
    assert packed.parcel.arguments == ("../latest/test", "-x")
    assert [item.name for item in Store(site / "store").missing(packed.parcel)] == names
    store, root = stored(packed, site / "store"), site / "root"
    assert not store.missing(packed.parcel)
    there = root / here
    assert store.lay_out(packed.parcel, root) == {"LANG": "C", "PWD": str(there / "work")}
    words, sent = there / "work" / "data" / "words", (site / "work" / "data" / "words").stat()
    assert words.read_text() == "one two" and (words.parent / "empty").is_dir()
    assert (words.stat().st_mode, words.stat().st_mtime_ns) == (sent.st_mode, sent.st_mtime_ns)
    assert (there / "latest" / "test").resolve() == there / "build" / "test"
    assert (there / "build" / "test").stat().st_mode & 0o111


def test_a_file_that_was_damaged_on_a_worker_s_disk_is_sent_again(site: Path) -> None:
    """A machine that lost its power may have a file of the right name without its content."""
    packed = pack(inspect_program("../build/test"), ["../build/test"], ["data"], {})
    store, item = stored(packed, site / "store"), packed.parcel.items[-1]
    (damaged,) = (path for path in (site / "store").rglob("*") if path.name == item.hash)
    damaged.chmod(0o644)
    damaged.write_text("")
    assert store.missing(packed.parcel) == [item]
    store.add(packed.content(item), item.hash)
    assert not store.missing(packed.parcel) and damaged.read_text() == "one two"


def test_a_file_that_was_changed_since_the_search_began_is_not_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that joins late would be sent another program."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").write_text("one")
    packed = pack(inspect_program("/bin/true"), ["/bin/true"], ["data"], {})
    item = next(item for item in packed.parcel.items if item.name.endswith("/data"))
    assert packed.content(item) == b"one"
    (tmp_path / "data").write_text("two")
    with pytest.raises(Uncontrolled, match="data can no longer be sent to the cluster: it was changed since the search began"):
        packed.content(item)
    (tmp_path / "data").unlink()
    with pytest.raises(Uncontrolled, match="data can no longer be sent to the cluster: No such file or directory"):
        packed.content(item)


@pytest.mark.parametrize("name", ["../elsewhere", "no such file", "/dev/null"])
def test_what_cannot_be_sent_is_an_error_before_anything_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="--send-files"):
        pack(inspect_program("/bin/true"), ["/bin/true"], [name], {})


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        ({}, ""),
        ({"version": "0.0.1"}, r"it has version \S+ of bpor-native, and the client 0\.0\.1"),
        ({"machine": "s390x"}, "its processor is x86_64, and the client's s390x"),
        ({"processor": frozenset({"avx1024"})}, "its processor lacks avx1024"),
        ({"libraries": (("libc.so.6", "0123"),)}, r"its libc\.so\.6 is another one \(build id [0-9a-f]+, the client's 0123\)"),
        ({"libraries": (("libnever.so.1", "0123"),)}, r"it has no libnever\.so\.1"),
    ],
)
def test_a_worker_says_why_it_cannot_run_a_program(wanted: dict[str, Any], reason: str) -> None:
    there = replace(fitness_here(inspect_program("/bin/true")), **wanted)
    assert re.fullmatch(reason, unfit(there, "/bin/true"))


def test_a_file_that_arrives_damaged_is_not_kept(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(ValueError, match="damaged"):
        store.add(b"something", "0" * 64)
    assert not list(tmp_path.rglob("0*0"))


@pytest.mark.parametrize("error", [Diverged(3, "a lock", "an unlock", "time"), Contradicted(7), Damaged()])
def test_our_errors_arrive_as_they_were_sent(error: BporError) -> None:
    arrived = pickle.loads(pickle.dumps(error))
    assert type(arrived) is type(error)
    assert (str(arrived), vars(arrived)) == (str(error), vars(error))


def test_a_batch_travels_without_what_only_its_process_can_look_up() -> None:
    table = Hashes(used=1, table=lambda: b"12345678")
    told = Told(executions=3, traces=table, states=table)
    batch = Batch(3, {}, 0, told, (TreeTold(begun=True, tally=told, save=lambda: {"a": 1}), TreeTold()))
    arrived: Batch = pickle.loads(pickle.dumps(bare(batch)))
    assert (arrived.total.executions, arrived.trees[0].begun, arrived.total.traces.used) == (3, True, 1)


def test_two_clients_never_have_the_same_task_and_the_dashboard_groups_by_program() -> None:
    key_split: Any = pytest.importorskip("distributed.utils", reason="needs dask.distributed").key_split
    assert key_split(task_key("bank", 3, "host:7 0123abcd")) == key_split(task_key("bank", 4, "host:7 ffff0000")) == "search bank"
    tokens = {Connection.__new__(Connection)._client() for _ in range(20)}  # one process number, as in two containers
    assert len(tokens) == 20


def test_a_member_that_still_starts_is_not_ended_by_the_wish_to_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the program finds no signal ignored because its worker ignores it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    program = inspect_program("/bin/true")
    packed = pack(program, ["/bin/true"], [], {})

    async def begin() -> bytes:
        host = Host(packed.parcel)
        for item in packed.parcel.items:
            await host.add(packed.sources[item.hash].read_bytes(), item.hash)
        opening = Opening(packed.parcel.arguments, Settings(), None, 1, fitness_here(program), 1)
        answer = asyncio.create_task(host.open(opening))
        while not answer.done():
            await host.stop()
            await asyncio.sleep(0.01)
        assert host._process is not None
        assert os.getsid(host._process.pid) != os.getsid(0), "Ctrl-C at the worker's terminal is none of its business"
        status = Path(f"/proc/{host._process.pid}/status").read_text()
        ignored = int(next(line for line in status.splitlines() if line.startswith("SigIgn:")).split()[1], 16)
        assert not ignored >> (signal.SIGINT - 1) & 1
        await host.end()
        return answer.result()

    try:
        assert pickle.loads(asyncio.run(begin())).error is None
    finally:
        signal.signal(signal.SIGINT, before)


def test_what_a_killed_worker_left_is_removed_by_the_next_member(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (places := tmp_path / "places").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(places))
    kill_yourself = "import os; from bpor.cluster.host import OwnDirectory, _PLACE; OwnDirectory(_PLACE); os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", kill_yourself], env=os.environ | {"TMPDIR": str(places)})
    (abandoned,) = places.iterdir()
    program = inspect_program("/bin/true")

    async def lay_out() -> Host:
        host = Host(packed.parcel)
        for item in packed.parcel.items:
            await host.add(packed.sources[item.hash].read_bytes(), item.hash)
        await host.open(Opening(packed.parcel.arguments, Settings(), None, 1, fitness_here(program), 1))
        return host

    async def two() -> None:
        first = await lay_out()
        assert abandoned not in list(places.glob("bpor-cluster-*"))
        second = await lay_out()
        assert len(list(places.glob("bpor-cluster-*"))) == 2, "that of a living one stays"
        await first.end()
        await second.end()

    packed = pack(program, ["/bin/true"], [], {})
    asyncio.run(two())
    assert list(places.glob("bpor-cluster-*")) == []


def test_tests_share_workers_and_the_last_ones_get_what_is_free() -> None:
    shares = Shares("tls://s:1", "abcdef")
    shares.lend("one", 4)
    shares.lend("two", 3)
    assert (shares.lent_to("one").places, shares.lent_to("two").places) == (("a",), ("b",))
    shares.take_back("one")
    shares.lend("three", 2)
    shares.lend("four", 1)
    assert (shares.lent_to("three").places, shares.lent_to("four").places) == (("c", "d"), ("e", "f", "a"))
    for name in ("two", "three", "four"):
        shares.take_back(name)
    shares.lend("five", 1)
    assert sorted(shares.lent_to("five").places) == list("abcdef")


def test_members_of_tests_that_run_at_once_keep_to_different_processors() -> None:
    """By their numbers: all of those that were the first of their test ran on one processor."""
    shares = Shares("tls://s:1", "abcd")
    shares.lend("one", 3)
    shares.lend("two", 2)
    shares.take_back("one")
    shares.lend("three", 1)
    two, three = shares.lent_to("two"), shares.lent_to("three")
    assert dict(zip(two.places + three.places, two.numbers + three.numbers, strict=True)) == {"a": 1, "b": 2, "c": 3, "d": 4}


def test_a_suite_with_more_tests_than_workers_runs_as_many_at_a_time_as_there_are() -> None:
    shares, lent = Shares("tls://s:1", "ab"), []

    def act(case: Case) -> Checked:
        verdict = Verdict(VerdictKind.PASS, ",".join(shares.lent_to(case.name).places))
        return Checked(case.name, Result(case.argv, case.settings, verdict), case.expect)

    cases = [Case(name, ("./program",), Settings()) for name in "vwxyz"]
    for checked in Scheduler(Path.cwd(), act, shares.size, lender=shares).run(cases):
        lent.append(checked.result.verdict.reason)
    assert len(lent) == 5 and set(lent) <= {"a", "b", "a,b", "b,a"}


def test_a_search_goes_on_from_what_was_last_saved() -> None:
    """Interrupted after every number of executions in turn: the counts are those of a search that was not."""
    program = parse("R x; W x; R y | W x; W y; R x | W y; R x")
    whole = explorer_of(program, None).run().counts
    for lost_after in range(1, whole.executions):
        checkpoints = Recovering(None, interval=0.0, clock=lambda: 0.0)
        cut = explorer_of(program, checkpoints, most=lost_after)
        cut.run()
        assert explorer_of(program, checkpoints).run().counts == whole


def test_a_search_that_is_interrupted_ends_even_if_its_workers_are_gone_by_then() -> None:
    """Ctrl-C reaches all processes of a terminal: what cannot be saved any more is not, and the search does not begin again."""

    class Gone(Recovering):
        def end(self, explorer: Explorer) -> None:
            raise MemberLost("no worker is left")

    def interrupted(plan: Plan) -> Trace:
        raise KeyboardInterrupt

    explorer = explorer_of(parse("R x; W x | W x; R x"), Gone(None))
    explorer._executor = SimpleNamespace(run=interrupted)
    assert explorer.run().stop is SearchStop.INTERRUPTED


def test_what_a_search_is_given_up_for_is_not_passed_by_a_checkpoint() -> None:
    """Whoever went on from one that holds the execution, but not what it showed, would never begin again with it."""
    saved: list[str] = []

    class Saving(Recovering):
        def executed(self, explorer: Explorer) -> None:
            saved.append("executed")

        def end(self, explorer: Explorer) -> None:
            saved.append("end")

    program = parse("R x; W x | W x; R x")
    explorer, executor = explorer_of(program, Saving(None)), SimulatedExecutor(program)

    def run(plan: Plan) -> Trace:
        trace = executor.run(plan)
        return replace(trace, end=replace(trace.end, shared_state=("files",)))

    explorer._executor = SimpleNamespace(run=run)
    assert explorer.run().stop is SearchStop.SHARED
    assert not saved


def explorer_of(program: Any, checkpoints: Recovering | None, most: int | None = None) -> Explorer:
    strategy = make_strategy(None, parse_bound("none"), SearchOptions(), 0)
    return Explorer(SimulatedExecutor(program), strategy, Budget(most, None, 1), (), checkpoints)
