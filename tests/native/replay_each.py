"""A plugin of pytest's: every test named in a file is replayed, each from its own schedule, as often as asked, in one process.

    pytest -p tests.native.replay_each --bpor --replays FILE --times 100

FILE is JSON: a test's node id to what `--bpor-replay=` would say.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

VALUES = pytest.StashKey[dict[str, str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--replays")
    parser.addoption("--times", type=int)


def pytest_configure(config: pytest.Config) -> None:
    config.stash[VALUES] = json.loads(Path(config.getoption("--replays")).read_text())


@pytest.fixture
def repetition(request: pytest.FixtureRequest) -> int:
    return request.param


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    metafunc.fixturenames.append("repetition")
    metafunc.parametrize("repetition", range(metafunc.config.getoption("--times")), indirect=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items[:] = [item for item in items if plain_id(item) in config.stash[VALUES]]


def pytest_runtest_setup(item: pytest.Item) -> None:
    item.config.option.bpor_replay = item.config.stash[VALUES][plain_id(item)]


def plain_id(item: pytest.Item) -> str:
    return item.nodeid.split("[")[0]
