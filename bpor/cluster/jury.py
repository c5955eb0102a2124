"""Jury: checks whether members of the search tell the truth. Another worker repeats the orders of some members, which are drawn by lot, and
every answer has to be the same: executions, traces, states, findings, what is left to be tried.

Where two say different things the client runs it itself, and whoever disagrees with it has lied: that worker is excluded, and the search
begins anew, because nothing tells how long it has lied. Workers do not know who is repeated, nor who repeats whom.
"""

from __future__ import annotations

import contextlib
import queue
import secrets
import threading
import time
from collections.abc import Callable
from typing import Any

from bpor.cluster.member import Opening
from bpor.cluster.testimony import AnyHost, Repeating, Said
from bpor.errors import MemberLost, Uncontrolled

SHARE = 8  # one session of a member of so many is repeated
MOST_SAID = 100_000  # answers of a session that are kept, for the client
_PATIENCE = 120.0  # seconds for an answer: the other one needed a batch for it
_LAST_WAIT = 60.0  # seconds at the end of a search: whoever is that slow does not hold it up

Open = Callable[[str], tuple[AnyHost, str]]  # a host that is not on this worker (or anywhere but the client: Jury.here), and where it is


class Lied(MemberLost):
    """A worker was convicted: nothing that was saved can be used."""


class Session:
    """What one member says from the beginning of its counts on, and who repeats it."""

    def __init__(self, jury: Jury, place: str, opening: Opening, changes: list[tuple[str, tuple[Any, ...]]]) -> None:
        self.place, self._jury, self._opening, self._changes = place, jury, opening, changes
        self._said: list[Said] = []
        self._new: queue.SimpleQueue[Said | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._follow, name="jury", daemon=True)
        self._thread.start()

    def add(self, one: Said) -> None:
        self._new.put(one)

    def close(self) -> None:
        """That was all."""
        self._new.put(None)

    def wait(self, seconds: float) -> None:
        self._thread.join(seconds)

    @property
    def over(self) -> bool:
        return not self._thread.is_alive()

    def _follow(self) -> None:
        with contextlib.suppress(Exception):  # whoever repeats it is gone: then nothing is known
            host, witness = self._jury.open_beside(self.place)
            with contextlib.closing(_Open(host)):
                repeating = self._repeating(host)
                while (one := self._new.get()) is not None and len(self._said) < MOST_SAID:
                    self._said.append(one)
                    facts = repeating.facts(one)
                    if facts != one.facts:
                        self._jury.decide(self, witness, facts)
                        return

    def _repeating(self, host: AnyHost) -> Repeating:
        return Repeating(host, self._opening, self._changes, _PATIENCE)

    def truth(self, host: AnyHost) -> str:
        """Of the last answer, as this machine has it; empty: they differ in an earlier one."""
        repeating = self._repeating(host)
        *before, last = self._said
        return repeating.facts(last) if all(repeating.facts(one) == one.facts for one in before) else ""

    @property
    def last(self) -> Said:
        return self._said[-1]


class _Open:
    def __init__(self, host: AnyHost) -> None:
        self._host = host

    def close(self) -> None:
        self._host.end()


class Jury:
    def __init__(self, beside: Open, here: Callable[[], AnyHost], exclude: Callable[[str], None]) -> None:
        self.open_beside, self._here, self._exclude = beside, here, exclude
        self._lock = threading.Lock()  # members begin at the same time
        self._sessions: list[Session] = []
        self._excluded: set[str] = set()
        self._untold: list[str] = []  # of them, those that the search does not know of yet
        self._disputed = ""
        self.lies: list[str] = []  # in words, for the verdict
        self.passed_over = False  # there were members that nobody can repeat

    def listen(self, place: str, opening: Opening, changes: list[tuple[str, tuple[Any, ...]]]) -> Session | None:
        """To a member whose counts begin; None: it was not drawn."""
        if secrets.randbelow(SHARE):
            return None
        session = Session(self, place, opening, list(changes))
        with self._lock:
            self._sessions = [*(one for one in self._sessions if not one.over), session]
        return session

    def decide(self, session: Session, witness: str, facts: str) -> None:
        """Two disagree: the client runs it itself."""
        host = self._here()
        with contextlib.closing(_Open(host)):
            truth = session.truth(host)
        if truth == session.last.facts and witness:
            self._convict(witness)
        elif truth == facts:
            self._convict(session.place)
        else:
            others = f"the worker at {session.place} and {f'that at {witness}' if witness else 'this machine'}"
            self._disputed = f"{others} do not agree on what the program does, and this machine, asked again, agrees with neither"

    def _convict(self, place: str) -> None:
        if place not in self._excluded:
            self._excluded.add(place)
            self._exclude(place)
            self._untold.append(place)

    def check(self, then: str = "and all of it was searched again") -> None:
        """Raises Lied; or Uncontrolled, if nobody knows who is right. `then`: what became of it."""
        if self._disputed:
            raise Uncontrolled(self._disputed)
        if self._untold:
            self._close()
            told, self._untold = self._untold, []
            self.lies += [f"the worker at {place} lied, was excluded, {then}" for place in told]
            raise Lied(self.lies[-1])

    def settle(self, seconds: float) -> None:
        """The search is at its end: as `check`, when those that repeat have come there too."""
        until, sessions = time.monotonic() + min(seconds, _LAST_WAIT), self._close()
        for session in sessions:
            session.wait(max(until - time.monotonic(), 0.0))
        self.check()

    def _close(self) -> list[Session]:
        with self._lock:
            sessions, self._sessions = self._sessions, []
        for session in sessions:
            session.close()
        return sessions
