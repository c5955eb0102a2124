"""What is kept in `.bpor/`: private, ours, and never an obstacle."""

from __future__ import annotations

import json
import os
import shutil
import stat
from pathlib import Path

import pytest

from bpor.errors import UsageError
from bpor.model.schedule import Schedule
from bpor.report.orderings import OrderedEvent, Ordering
from bpor.settings import Settings
from bpor.store.directory import StateDirectory, test_name
from bpor.store.finding_file import Build, FindingFile, read_finding, write_finding
from bpor.store.limited import DamagedFile
from bpor.store.record import recall

test_name.__test__ = False  # type: ignore[attr-defined]  # not a test of ours, in spite of its name


@pytest.fixture
def state(tmp_path: Path) -> StateDirectory:
    directory = StateDirectory(tmp_path / ".bpor")
    directory.create()
    return directory


def test_everything_is_closed_to_others_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        state = StateDirectory(tmp_path / ".bpor")
        state.set_last(state.test(["./t"]))
    finally:
        os.umask(before)
    for path in (state.path, *state.path.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_a_test_is_a_program_with_its_arguments() -> None:
    assert test_name(["./t", "a b"]) != test_name(["./t", "a", "b"])
    assert test_name(["./t"]).startswith("t-")
    assert "/" not in test_name(["./../.."]) and test_name(["/x/☃ y\udcff"]).isascii()


def test_a_directory_that_was_copied_here_is_not_trusted(state: StateDirectory, tmp_path: Path) -> None:
    state.set_last(state.test(["./t"]))
    shutil.copytree(state.path, tmp_path / "copy")
    os.chmod(tmp_path / "copy", 0o700)
    with pytest.raises(UsageError, match="was not made here"):
        StateDirectory(tmp_path / "copy").last()
    state.path.rename(tmp_path / "moved")  # a project that is renamed keeps its state
    assert StateDirectory(tmp_path / "moved").last().name == test_name(["./t"])


def test_a_directory_that_others_can_write_to_is_not_trusted(state: StateDirectory) -> None:
    os.chmod(state.path, 0o770)
    with pytest.raises(UsageError, match="chmod 700"):
        state.last()


def test_a_symbolic_link_is_not_followed(state: StateDirectory, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(state.path)
    with pytest.raises(UsageError, match="not a directory"):
        StateDirectory(tmp_path / "link").tests()


@pytest.mark.parametrize("name", ["../../etc", "", "/tmp", "t-12345678/..", "t-1234567g"])
def test_the_last_run_is_a_test_of_the_directory_or_none(state: StateDirectory, name: str) -> None:
    (state.path / "last").write_text(name)
    with pytest.raises(UsageError, match="no last run"):
        state.last()


def test_a_test_is_found_by_the_name_of_its_program_unless_there_are_two(state: StateDirectory) -> None:
    one = state.test(["./t", "1"])
    assert state.find("t") == state.find(one.name) == one
    state.test(["./t", "2"])
    with pytest.raises(UsageError, match="several"):
        state.find("t")
    with pytest.raises(UsageError, match="no such test"):
        state.find("u")


def test_the_last_test_removed_takes_the_directory_with_it(state: StateDirectory) -> None:
    state.remove(state.test(["./t"]))
    assert not state.exists()


FILE = FindingFile(
    "deadlock",
    "deadlock bank.c:20 in transfer",
    Schedule.parse("0*2,1,2"),
    Build("bank", "12ab", "ff"),
    (("signal", "fifo"), ("seed", 3)),
    (Ordering(OrderedEvent("0", "main", "create", 1, 42), OrderedEvent("0.0", "transfer", "lock", 1, 19)),),
)


def test_a_finding_survives_its_file(tmp_path: Path) -> None:
    write_finding(tmp_path / "f.json", FILE)
    assert read_finding(tmp_path / "f.json") == FILE


def test_a_file_brings_the_options_that_give_its_schedule_a_meaning() -> None:
    assert FILE.apply(Settings(watchdog=3)) == Settings(watchdog=3, signal="fifo", seed=3)


def test_a_file_never_names_a_file_to_open() -> None:
    file = FindingFile("exit", "", Schedule(), options=(("stdin", "/etc/passwd"),))
    with pytest.raises(UsageError, match="give --stdin yourself"):
        file.apply(Settings())
    assert file.apply(Settings(stdin="mine")).stdin == "mine"


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"schedule": "0*99999999999"}, "damaged"),
        ({"schedule": 3}, "damaged"),
        ({"schedule": None}, "missing"),
        ({"orderings": [[1, 2]]}, "damaged"),
        ({"orderings": [[["0", "", "f", "lock", "1", 2]] * 2]}, "damaged"),
        ({"program": []}, "damaged"),
        ({"schedule": "0*2,1"}, "checksum"),
        ({"kind": "crash"}, "checksum"),
        ({"options": {}}, "checksum"),
        ({"orderings": []}, "checksum"),
        ({"checksum": None}, "checksum"),
        ({"bpor-native finding": 2}, "format 2"),
        ({"bpor-native finding": True}, "damaged"),
    ],
)
def test_a_damaged_file_is_an_error_in_one_line(tmp_path: Path, change: dict[str, object], error: str) -> None:
    write_finding(tmp_path / "f.json", FILE)
    (tmp_path / "g.json").write_text(json.dumps({**json.loads((tmp_path / "f.json").read_text()), **change}))
    with pytest.raises(UsageError, match=error) as caught:
        read_finding(tmp_path / "g.json")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"a": 1}', b"null"])
def test_a_file_that_is_no_finding_is_an_error(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "f.json").write_bytes(data)
    with pytest.raises(DamagedFile):
        read_finding(tmp_path / "f.json")


def test_a_huge_file_and_a_device_are_refused(tmp_path: Path) -> None:
    with open(tmp_path / "f.json", "wb") as stream:
        stream.truncate(1 << 40)
    with pytest.raises(DamagedFile, match="larger than"):
        read_finding(tmp_path / "f.json")
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path / "fifo", Path("/dev/zero"), tmp_path):
        with pytest.raises(UsageError):
            read_finding(path)


def test_what_another_version_kept_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    settings = {"seed": 4, "signal": 7, "an_option_to_come": 1, "max_time": 5}
    (tmp_path / "result.json").write_text(json.dumps({"argv": ["./t"], "settings": settings, "result": {}}))
    record = recall(tmp_path)
    assert record.settings == Settings(seed=4, max_time=5)
    assert (record.argv, record.statement, record.when) == (("./t",), "?", "?")
    with pytest.raises(UsageError, match="run the test again"):
        recall(tmp_path, to_run=True)
    for damaged in ({"argv": [], "result": {}}, {"argv": [1], "result": {}}, {"argv": ["t"]}, {}):
        (tmp_path / "result.json").write_text(json.dumps(damaged))
        with pytest.raises(UsageError, match="run the test again"):
            recall(tmp_path)
