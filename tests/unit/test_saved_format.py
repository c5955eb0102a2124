"""What one release saves, the next one within the minor version goes on with; and a checkpoint writes what has changed.

`saved_by_0.2.0.sqlite` was written by `python -m tests.unit.test_saved_format`. It is replaced only when FORMAT is raised.
"""

from __future__ import annotations

import json
import random
import shutil
from array import array
from pathlib import Path

import pytest

from bpor.search.bounds import parse_bound
from bpor.search.budget import Budget
from bpor.search.explorer import Explorer
from bpor.search.options import SearchOptions
from bpor.search.registry import make_strategy
from bpor.settings import Settings
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse
from bpor.store import checkpoints, pieces
from bpor.store.checkpoints import FORMAT, SqliteCheckpoints, identity
from bpor.store.pieces import Pieces

PROGRAM = parse("R x; W x; R y; W z | W x; W y; R x | W y; R x; R z | lock m; R z; unlock m")
SAVED = Path(__file__).with_name("saved_by_0.2.0.sqlite")
STOPPED = 25  # executions, after which it was saved
IDENTITY = "a program of the simulator"


def searched(database: Path, notes: list[str], most: int | None = None, resume: bool = True) -> Explorer:
    strategy = make_strategy(None, parse_bound("preemption:1"), SearchOptions(), 0)
    kept = SqliteCheckpoints(database, IDENTITY, resume, notes.append)
    explorer = Explorer(SimulatedExecutor(PROGRAM), strategy, Budget(most, None, 1), (), kept)
    explorer.run()
    return explorer


def test_what_an_earlier_release_saved_is_gone_on_with(tmp_path: Path) -> None:
    notes: list[str] = []
    whole = searched(tmp_path / "new.sqlite", notes, resume=False)
    assert not notes
    shutil.copy(SAVED, tmp_path / "old.sqlite")
    rest = searched(tmp_path / "old.sqlite", notes)
    assert not notes, f"it is no longer read: raise FORMAT, which is {FORMAT}, and write the file anew"
    assert rest.strategy.counts == whole.strategy.counts
    assert whole.executions > STOPPED


def test_a_patch_release_reads_what_the_one_before_it_saved_and_a_minor_one_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def of(version: str, format: int = FORMAT) -> str:
        monkeypatch.setattr(checkpoints, "VERSION", version)
        monkeypatch.setattr(checkpoints, "FORMAT", format)
        return identity(("./a",), Settings(), ())

    assert of("0.2.0") == of("0.2.17")
    assert len({of("0.2.0"), of("0.3.0"), of("1.2.0"), of("0.2.0", FORMAT + 1)}) == 4
    assert "version of this tool" in json.loads(of("0.2.0"))


def test_a_checkpoint_writes_only_the_pieces_that_changed(tmp_path: Path) -> None:
    draw, table = random.Random(1), array("Q", range(1 << 16))
    kept = Pieces(tmp_path / "search.sqlite")
    said, text = {"identity": IDENTITY}, json.dumps({"frames": list(range(20_000))})
    whole = kept.write(said, (text, [table.tobytes()]))
    assert whole > len(table) * 8
    assert kept.write(said, (text, [table.tobytes()])) == 0
    for _ in range(3):
        table[draw.randrange(len(table))] ^= 1 << 40
    longer = text[:-2] + ", 7]}"
    assert 0 < kept.write(said, (longer, [table.tobytes()])) <= 4 * pieces.PIECE
    assert Pieces(kept._path).read() == (said, (longer, [table.tobytes()]))
    kept.write(said, ("{}", []))
    assert Pieces(kept._path).read() == (said, ("{}", []))


def test_a_search_that_would_take_too_much_of_the_disk_is_not_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "MOST", 1 << 20)
    kept = Pieces(tmp_path / "search.sqlite")
    kept.write({}, ("{}", []))
    with pytest.raises(OSError, match="it would take 2 MiB, and 1 are the most"):
        kept.write({}, ("{}", [bytes(2 << 20)]))
    assert Pieces(kept._path).read() == ({}, ("{}", [])), "what was there before is still there"


def write() -> None:
    notes: list[str] = []
    searched(SAVED, notes, STOPPED, resume=False)
    assert not notes


if __name__ == "__main__":
    write()
