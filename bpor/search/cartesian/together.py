"""A variant of ours: moves that nobody else can ever notice are made together, at once, not by each thread in a state of its own. (The
paper's concurrent variant computes several vectors at the same time: `-j`.)

To make all moves before the last ones together, because those commute within the vector, is unsound: a thread that has made its last
move may go on to something that conflicts with what another one did in the midst of its prefix. So a move is made at once only if it
conflicts with nothing that any other thread may do from here on. That is known only as far as the search has seen; where it turns out
otherwise the state is looked at again, until nothing changes. Then it holds: the first step that broke it would be the next one of a
thread at a place that the search has seen, since all steps before it commute with the moves made at once.
"""

from __future__ import annotations

from bpor.model.operation import conflict
from bpor.model.solo import ANY_THREAD, Halt, Solo, SoloFuture, SoloMove, ending

Moves = dict[int, int]  # thread -> how many


def unnoticed(solos: dict[int, Solo], lengths: Moves, futures: dict[int, SoloFuture]) -> Moves:
    """Of the moves of each thread's prefix, how many from its start nobody else can notice."""
    found = {}
    for thread, length in lengths.items():
        solo = solos[thread]
        others = [future for each, future in futures.items() if each != thread]
        if solo.halt not in (Halt.CIRCLE, Halt.CUT) and not any(future.ends for future in others):
            count = _free(solo, length, others)
            if count:
                found[thread] = count
    return found


def _free(solo: Solo, length: int, others: list[SoloFuture]) -> int:
    for index in range(length):
        move = solo.moves[index]
        last = index + 1 == len(solo.moves) and solo.halt is Halt.ENDED
        if move.ends or any(_notices(future, move, last) for future in others):
            return index
    return length


def _notices(future: SoloFuture, move: SoloMove, ends_thread: bool) -> bool:
    return conflict(future.touches, move.footprint) or (ends_thread and conflict(future.touches, ending(ANY_THREAD)))
