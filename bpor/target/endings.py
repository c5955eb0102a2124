"""How an execution ended, as the target told it: outcomes by their numbers on the wire, and the End that a report is made of."""

from __future__ import annotations

import os
import re
import signal
from typing import Any

from bpor.model.fault import Offered
from bpor.model.trace import End, Outcome
from bpor.protocol import wire


def outcome_number(name: str) -> int:
    return wire.constant(f"BPOR_OUTCOME_{name}")


OUTCOMES = {
    outcome_number("DEADLOCK"): Outcome.DEADLOCK,
    outcome_number("ASSERTION"): Outcome.ASSERTION,
    outcome_number("CRASH"): Outcome.CRASH,
    outcome_number("TERMINATE"): Outcome.TERMINATE,
    outcome_number("MISUSE"): Outcome.MISUSE,
    outcome_number("RACE"): Outcome.RACE,
    outcome_number("MEMORY"): Outcome.MEMORY,
    outcome_number("MATCHED"): Outcome.MATCHED,
    outcome_number("ASSUMED"): Outcome.ASSUMED,
    outcome_number("NONLINEARIZABLE"): Outcome.NONLINEARIZABLE,
    outcome_number("REFUSED"): Outcome.REFUSED,
    outcome_number("WATCHDOG"): Outcome.WATCHDOG,
    outcome_number("STEP_LIMIT"): Outcome.STEP_LIMIT,
    outcome_number("REDUNDANT"): Outcome.REDUNDANT,
    outcome_number("OVER_BOUND"): Outcome.OVER_BOUND,
    outcome_number("STOPPED"): Outcome.STOPPED,
    outcome_number("OUTPUT_LIMIT"): Outcome.OUTPUT_LIMIT,
}
_MODULE = re.compile(r"^(0|[0-9a-f]{6,}) ?(.*?)\n?(?=^(?:0|[0-9a-f]{6,})(?: |$)|\Z)", re.MULTILINE | re.DOTALL)
_NONE, _EXIT = outcome_number("NONE"), outcome_number("EXIT")
_NOTHING_TO_TELL = frozenset({Outcome.PASSED, Outcome.ASSUMED, Outcome.REDUNDANT, Outcome.OVER_BOUND})
_OF_TWO = (Outcome.RACE, Outcome.MEMORY)


def end_of(end: Any, output: tuple[bytes, bytes], excused: bool, shared_state: tuple[str, ...]) -> End:
    """`end` of the shared mapping, with what the execution wrote to stdout and stderr."""
    outcome, code = _outcome_of(end)
    stdout, stderr = output
    thread = None if end.thread == wire.NO_THREAD else int(end.thread)
    if outcome in _NOTHING_TO_TELL:  # nearly all of them: the fields of the mapping are slow to ask
        return End(outcome, code, thread, stdout=stdout, stderr=stderr, excused=excused, shared_state=shared_state)
    return End(
        outcome=outcome,
        code=code,
        thread=thread,
        message=wire.text_of(end.message),
        stack=tuple(end.stack[i] for i in range(end.frames)),
        address=int(end.address),
        stdout=stdout,
        stderr=stderr,
        object=int(end.object),
        object_bytes=int(end.object_bytes),
        site=int(end.site),
        other_site=int(end.other_site),
        other_thread=int(end.other_thread) if outcome in _OF_TWO and end.other_thread != wire.NO_THREAD else None,
        other_stack=tuple(end.other_stack[i] for i in range(end.other_frames)),
        excused=excused,
        shared_state=shared_state,
    )


def weak_seen(shared: Any) -> int:
    """Trace.weak."""
    return int(shared.weak_offered) | int(shared.weak_dropped) << 1 | int(shared.weak_kept) << 2


def interchanged_in(shared: Any) -> int:
    """Trace.interchanged."""
    return sum(int(word) << 64 * index for index, word in enumerate(shared.interchanged))


_INPUT, _ASSUMPTION = wire.constant("BPOR_OFFERS_INPUT"), wire.constant("BPOR_OFFERS_ASSUMPTION")


def offered_by(shared: Any) -> Offered:
    """Trace.offered."""
    seen = int(shared.offers)
    return Offered(bool(seen & _INPUT), bool(seen & _ASSUMPTION), int(shared.faults_met), int(shared.faults_refused))


def _outcome_of(end: Any) -> tuple[Outcome, int]:
    number, code = int(end.outcome), int(end.code)
    if number == _EXIT:
        return (Outcome.EXIT if code else Outcome.PASSED), code
    if number != _NONE:
        return OUTCOMES[number], code
    return _died_without_a_word(int(end.wait_status))


def _died_without_a_word(status: int) -> tuple[Outcome, int]:
    """The child never wrote its end: a signal that cannot be caught, or an exit by a bare system call."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return (Outcome.KILLED if number == signal.SIGKILL else Outcome.CRASH), number
    code = os.WEXITSTATUS(status)
    return (Outcome.EXIT if code else Outcome.PASSED), code


def modules_of(text: str, program: str) -> list[tuple[int, str]]:
    """Lines `base path`; the program itself comes without a path. A path may hold newlines of its own."""
    return [(int(base, 16), path or program) for base, path in _MODULE.findall(text)]
