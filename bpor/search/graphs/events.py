"""Events, interned: (thread, how many of its steps came before, kind, the events it directly follows).

An event is a number that stands for its whole causal past. Invariant: equal numbers iff equal pasts, without collisions; so a state, the
graph of the events that led to it, is known by the last events of its threads. Its hash is the exclusive or of its events' hashes
(Musuvathi and Qadeer 2007, section 3.3): a step changes it in constant time, whatever order the steps came in.
"""

from __future__ import annotations

from bpor.model.step import Step

_Key = tuple[int, int, int, frozenset[int]]
_MASK = (1 << 64) - 1


class Events:
    def __init__(self) -> None:
        self._numbers: dict[_Key, int] = {}
        self.hashes: list[int] = []
        self.steps: list[Step] = []  # what the event did, in members of the crew

    def __len__(self) -> int:
        return len(self.steps)

    def find(self, key: _Key) -> int | None:
        return self._numbers.get(key)

    def intern(self, key: _Key, step: Step) -> int:
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.steps)
            self.steps.append(step)
            self.hashes.append(hash(("event", number, *key[:3])) & _MASK)
        return number

    def saved(self) -> tuple[dict[_Key, int], list[int], list[Step]]:
        """For a later process (search/snapshot.py)."""
        return self._numbers, self.hashes, self.steps

    def load(self, saved: tuple[dict[_Key, int], list[int], list[Step]]) -> None:
        self._numbers, self.hashes, self.steps = saved
