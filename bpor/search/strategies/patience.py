"""Patience: how long the default search waits for a tree that loops may keep large, before it tries a fair bound instead.

A loop that waits for another thread can go round any number of times, so within few preemptions there are more schedules the longer it
may go on; the fair bound leaves those out in which a thread only waits while the one it waits for could run. What it leaves out besides is
counted (Counts.lost), so the statement is weaker, and it is tried only where the other one is far away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bpor.search.engine.beside_tree import AnyTree

TRIAL = 16  # executions that show whether a fair bound refuses anybody
_RESET = 100  # steps that an execution costs beside its own
_STEP = 100_000  # steps of a tree within a preemption bound, ...
_RECOGNISING = 8_000  # ... of one that recognises states, each of which costs several times as much, ...
_WHOLE = 1_000_000  # ... and of the unbounded tree


def is_spent(tree: AnyTree, unbounded: bool = False) -> bool:
    """Has it taken long, without being half done?"""
    tally = tree.tally
    room = _WHOLE if unbounded else _RECOGNISING if getattr(tree, "recognises", False) else _STEP
    return tally.made + _RESET * tally.executions >= room and left(tree) >= tally.executions


def left(tree: AnyTree) -> float:
    """Executions that it is expected to take."""
    estimate = tree.estimate()
    return 0.0 if estimate is None else estimate.expected - tree.tally.executions
