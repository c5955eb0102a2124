"""Table 1 of the Cartesian paper: states and transitions of the standard and of the cartesian algorithm. None: the cell is empty, because
the algorithm ran out of memory, or not applicable (one thread)."""

from __future__ import annotations

from benchmarks.paper.cartesian.system import Size

Published = tuple[Size | None, Size | None]


def _row(*figures: int | None) -> Published:
    states, transitions, reduced, taken = figures
    standard = None if states is None or transitions is None else Size(states, transitions)
    return standard, None if reduced is None or taken is None else Size(reduced, taken)


SHARED_POINTER = _row(32131, 64262, 418, 12785)
SHARED_ARRAY = _row(2276, 4552, 132, 1648)
ROBOTS = {2: _row(4877, 9754, 56, 2635), 3: _row(326759, 980277, 56, 6387)}
FILE_SYSTEM = {
    1: _row(9, 8, None, None),
    2: _row(81, 144, 1, 16),
    3: _row(729, 1944, 1, 24),
    4: _row(6561, 23328, 1, 32),
    5: _row(59049, 262440, 1, 40),
    6: _row(531441, 2834352, 1, 48),
    **{threads: _row(None, None, 1, 8 * threads) for threads in range(7, 14)},
    14: _row(None, None, 10, 1026),
    15: _row(None, None, 100, 10120),
    16: _row(None, None, 1000, 99800),
    17: _row(None, None, 10000, 984000),
}
INDEXER = {
    1: _row(5, 4, None, None),
    2: _row(25, 40, 1, 8),
    3: _row(125, 300, 1, 12),
    4: _row(625, 2000, 1, 16),
    5: _row(3125, 12500, 1, 20),
    6: _row(15625, 75000, 1, 24),
    7: _row(78125, 437500, 1, 28),
    8: _row(390625, 2500000, 1, 32),
    **{threads: _row(None, None, 1, 4 * threads) for threads in range(9, 12)},
    12: _row(None, None, 9, 394),
    13: _row(None, None, 81, 3528),
    14: _row(None, None, 729, 31590),
    15: _row(None, None, 6561, 282852),
    16: _row(None, None, 59049, 2532546),
}
PHILOSOPHERS = {
    2: _row(11, 22, 9, 28),
    3: _row(36, 108, 27, 174),
    4: _row(119, 476, 94, 750),
    5: _row(393, 1965, 295, 2984),
    6: _row(1298, 7788, 942, 11233),
    7: _row(4287, 30009, 2955, 41091),
    8: _row(14159, 113272, 9212, 145717),
    9: _row(46764, 420876, 28675, 509218),
}
SORTING = {  # C, N
    (2, 8): _row(16430, 115010, 51, 1627),
    (4, 16): _row(1014131, 7098917, 51, 3091),
    (8, 32): _row(None, None, 51, 8035),
    (16, 64): _row(None, None, 51, 25987),
    (32, 128): _row(None, None, 51, 94147),
    (64, 256): _row(None, None, 51, 359491),
    (128, 256): _row(None, None, 6, 100336),
    (127, 255): _row(None, None, 11, 221954),
}
