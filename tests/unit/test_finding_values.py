"""Values and states in reports, as a person reads them."""

from __future__ import annotations

import pytest

from bpor.model.trace import End, Outcome, Trace
from bpor.protocol.ops import Op
from bpor.report.execution import Execution
from bpor.report.finding import SourceStep


@pytest.mark.parametrize(("value", "text"), [(0, "0"), (2**32 - 1, "4294967295"), (0x555555559AB0, "0x555555559ab0")])
def test_an_address_is_written_as_one(value: int, text: str) -> None:
    assert SourceStep(0, 1, Op.READ, value=value).value_text == text


def test_a_thread_that_did_not_end_is_not_said_to_have_ended() -> None:
    trace = Trace(initial=(), steps=(), end=End(Outcome.MEMORY, thread=1))
    execution = Execution(trace, (), (), ())
    assert (execution.afterwards(1), execution.afterwards(2)) == ("ends here: memory", "could go on")
