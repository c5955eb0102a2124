"""Every call that is refused is refused at the call, by its name and with a way out, never by the watchdog."""

from __future__ import annotations

import re

import pytest

from bpor.model.plan import Plan
from bpor.model.trace import Outcome
from bpor.target.executor import NativeExecutor
from tests.native.compiled import ROOT, compiled

pytestmark = pytest.mark.needs("gcc")
PROBE = ROOT / "tests/native/probes/refused.c"
CALLS = re.findall(r'^    (?:CALL\((\w+),|NUMBER\(\w+, "([^"]+)"\))', PROBE.read_text(encoding="utf-8"), re.MULTILINE)
NAMES = [function or number for function, number in CALLS]
WHEN_IT_WOULD_WAIT = {"flock"}  # native_tests/unsupported/flock.c


def test_the_probe_knows_every_refused_function_and_number() -> None:
    table = (ROOT / "csrc/protocol/intercepted.def").read_text(encoding="utf-8")
    functions = set(re.findall(r"^FUNCTION\((\w+), *refused\)", table, re.MULTILINE))
    numbers = set(re.findall(r'^REFUSED\(\w+, "([^"]+)"', (ROOT / "csrc/process/system_calls.def").read_text(), re.MULTILINE))
    assert len(numbers) > 15
    assert (functions | numbers) - set(NAMES) == WHEN_IT_WOULD_WAIT


@pytest.mark.parametrize("name", NAMES)
def test_a_call_is_refused_by_name_with_a_way_out(name: str) -> None:
    with NativeExecutor([str(compiled(PROBE, ("-Wno-nonnull",))), name]) as executor:
        end = executor.run(Plan()).end
    assert end.outcome is Outcome.REFUSED, end
    call, _, way_out = end.message.partition(": ")
    assert call == name
    assert re.search(r"; (use|ask|wait|watch|make) ", way_out), way_out
    assert end.stack != ()
