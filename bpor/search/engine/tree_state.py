"""A tree as data, and back: what `--resume` needs of it.

Steps are not saved: one execution of the stack's schedule brings them back, and with them clocks, enabled sets and the bound's counts.
Saved is what only the past knows: which threads were tried or are still wanted at each frame, who sleeps, and the numbers.
Invariant: a tree that was loaded proposes exactly the plans that the saved one would have.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from bpor.errors import Diverged, InternalError
from bpor.model.executor import Executor
from bpor.model.frame_data import take_back
from bpor.model.operation import Footprint, ObjectAccess
from bpor.model.plan import Plan
from bpor.search.engine.beside_tree import AnyTree, BesideTree
from bpor.search.engine.frame import NO_SLEEPERS, Frame
from bpor.search.engine.history import History
from bpor.search.engine.patchwork import Patchwork
from bpor.search.engine.tree import Tree
from bpor.search.engine.watch import Watch, union

_PLAIN = (
    *("backtrack", "conservative", "done", "whole", "exceeded", "refused"),
    *("chosen", "alternative", "alternatives", "runs_before", "sizes"),
)
_SEEN = ("enabled", "timed", "fair_blocked", "cost", "free")  # what an execution shows again; a trunk wants it without one


class SavesItself(ABC, Tree):
    """A tree that is more than a stack."""

    @abstractmethod
    def save(self) -> dict[str, Any]: ...

    @abstractmethod
    def load(self, saved: dict[str, Any], executor: Executor) -> None: ...


def save_tree(tree: AnyTree) -> dict[str, Any]:
    """Between two executions, or while one runs that nothing was learned of yet: that one is then still to be run."""
    if isinstance(tree, BesideTree | SavesItself):
        return tree.save()
    if isinstance(tree, Patchwork):
        return _save_patchwork(tree)
    if not isinstance(tree, Tree):
        raise InternalError("a search by the library is not saved: it is for programs that are simulated")
    schedule, frames = stack_of(tree)
    if frames and frames[-1]["chosen"] is not None:
        take_back(frames[-1])
    return {
        "begun": tree.begun,
        "finished": tree.finished,
        "refused": tree.refused,
        "tally": tree.tally.save(),
        "schedule": schedule,
        "hash": frames[-1]["hash"] if frames else 0,
        "frames": frames,
    }


def stack_of(tree: Tree) -> tuple[list[int], list[dict[str, Any]]]:
    """The schedule that leads to the top of the stack, and the frames as data."""
    depth = max(len(tree.frames) - 1, 0)
    hashes = (0, *tree.history.step_hashes[:depth])
    frames = [_save_frame(frame, hash) for frame, hash in zip(tree.frames, hashes, strict=False)]
    return tree.history.choices[:depth], frames  # a chooser may have noted more


def load_tree(tree: AnyTree, saved: dict[str, Any], executor: Executor) -> AnyTree:
    """The tree that goes on. Raises Diverged if the program no longer goes the way that was saved."""
    if isinstance(tree, BesideTree):
        tree.load(saved)
        return tree
    if isinstance(tree, SavesItself):
        tree.load(saved, executor)
        return tree
    if not isinstance(tree, Tree | Patchwork):
        raise InternalError("a search by the library is not loaded: it is for programs that are simulated")
    if "limbs" in saved:
        tree = Patchwork(tree.bound, tree.rule, tree.options, tree.total)
        tree.load(saved)
        return tree
    assert isinstance(tree, Tree)
    tree.begun, tree.finished = saved["begun"], saved["finished"]
    if saved["frames"]:
        _put_back(tree, saved, executor)
    for frame, values in zip(tree.frames, saved["frames"], strict=True):
        _load_frame(frame, values, tree.history)
    tree.refused = saved["refused"]
    tree.tally.load(saved["tally"])
    return tree


def _save_patchwork(tree: Patchwork) -> dict[str, Any]:
    stacks = []
    for branch, part in tree.trees.items():
        saved = save_tree(part)
        stacks.append((branch, saved["schedule"], saved["frames"]))
    facts = {"begun": tree.begun, "finished": tree.finished, "refused": tree.refused, "tally": tree.tally.save()}
    return facts | {"limbs": tree.trunk.save(stacks)}


def _put_back(tree: Tree, saved: dict[str, Any], executor: Executor) -> None:
    schedule = tuple(saved["schedule"])
    plan = Plan(prefix=schedule, limits=tree.rule.limits, max_steps=max(len(schedule), 1), stop_after_prefix=True)
    trace = executor.run(plan)
    if len(trace.steps) != len(schedule) or (schedule and trace.steps[-1].hash != saved["hash"]):
        raise Diverged(len(trace.steps), "the execution that was saved", "another one", "the program or its input has changed")
    tree.put_back(trace)


def _save_frame(frame: Frame, hash: int) -> dict[str, Any]:
    values = {name: getattr(frame, name) for name in (*_PLAIN, *_SEEN)}
    values["hash"] = hash
    values["sleep"] = _save_watches(frame.sleep)
    values["watches"] = None if frame.watches is None else _save_watches(frame.watches)
    values["watch"] = frame.watch.footprint() if frame.watch is not None and frame.watch.usable else None
    kept = union(frame.kept)
    values["kept"] = [frame.alternative, kept.footprint() if kept is not None and kept.usable else None]
    return values


def _load_frame(frame: Frame, values: dict[str, Any], history: History) -> None:
    for name in _PLAIN:
        setattr(frame, name, values[name])
    frame.sleep = _load_watches(values["sleep"], history) or NO_SLEEPERS
    frame.watches = None if values["watches"] is None else _load_watches(values["watches"], history)
    frame.watch = None if values["watch"] is None else _load_watch(values["watch"], history)
    explored, watch = values["kept"]
    kept = None if watch is None else _load_watch(watch, history)
    if explored > frame.alternative:  # the next one was chosen, and taken back
        frame.watch = kept
    elif explored:
        frame.kept = (kept,)


def _save_watches(watches: dict[int, Watch]) -> list[tuple[int, Footprint]]:
    return [(thread, watch.footprint()) for thread, watch in watches.items()]


def _load_watches(saved: list[Any], history: History) -> dict[int, Watch]:
    return {thread: _load_watch(footprint, history) for thread, footprint in saved}


def _load_watch(saved: list[Any], history: History) -> Watch:
    footprint = tuple(ObjectAccess(identity, write, size) for identity, write, size in saved)
    return Watch(dict(history.cells.resolve(footprint).pairs), closed=True)
