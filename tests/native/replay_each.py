"""A plugin of pytest's: every test named in a file is replayed from its own schedule as often as asked, each time in a template of its own.

    pytest -p tests.native.replay_each --bpor --replays FILE --times 100

FILE is JSON: a test's node id to what `--bpor-replay=` would say. Nothing is reported but how the executions ended, and their hashes: the
property `replayed`, a JSON list of [outcome, hash] with one entry for each time. A test whose schedule cannot be followed fails.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bpor.confirmation import plan_of
from bpor.extension.explore import target_of
from bpor.extension.pytest_settings import names_of, settings_of
from bpor.pytest_plugin import _test_of


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--replays", type=Path)
    parser.addoption("--times", type=int)


def pytest_configure(config: pytest.Config) -> None:
    values = json.loads(config.getoption("--replays").read_text())
    config.pluginmanager.register(Replaying(values, config.getoption("--times")))  # the last one to be registered is asked first


class Replaying:
    def __init__(self, values: dict[str, str], times: int) -> None:
        self._values, self._times = values, times

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid in self._values]

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool:
        """Instead of the tool's own."""
        pyfuncitem.config.option.bpor_replay = self._values[pyfuncitem.nodeid]
        settings, schedule = settings_of(pyfuncitem.config, {}, names_of(pyfuncitem))
        test = _test_of(pyfuncitem)
        assert test is not None and schedule is not None
        target = target_of(test.case(), settings)
        ends = []
        for _ in range(self._times):
            with target.open() as executor:
                trace = executor.run(plan_of(schedule, settings))
            ends.append((trace.end.outcome.value, trace.hash))
        pyfuncitem.user_properties.append(("replayed", json.dumps(ends)))
        return True
