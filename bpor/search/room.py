"""Room: what a search may keep in memory, per process that searches (`--max-memory`).

Everything that grows with the number of executions is a table of a fixed size: hashes of traces and states, thinned out when there are too
many (distinct.py), known steps and known states, which are forgotten when they are too many, and forgetting is always sound. What
best-first search keeps goes to disk beyond its room. So a smaller room is smaller tables, and nothing else. What grows with the length
of an execution is its stack.
"""

from __future__ import annotations

from bpor.errors import UsageError
from bpor.knobs.sizes import size_text
from bpor.lazy_dataclass import replace
from bpor.search.options import SearchOptions

# Six tables of hashes (2^20 of each are kept, in up to 64 MiB), known steps (168 MiB), two trees' known states (134 MiB each).
_TABLES = 820 << 20
_STEP = 1536  # bytes that a step takes, on the stacks of two trees and in the log
_MATCHED = 1 << 20  # states that are kept, with the largest tables ...
_OPEN = 3 << 16  # ... and by best-first search, where a state takes more


def within(options: SearchOptions, memory: int | None) -> SearchOptions:
    """Raises UsageError if the longest execution would not fit."""
    if memory is None:
        return options
    narrowed = 0
    while _TABLES >> narrowed > memory - (memory >> 3):
        narrowed += 1
    steps = (memory - (_TABLES >> narrowed)) // _STEP
    if options.max_steps > steps:
        raise UsageError(
            f"--max-memory {size_text(memory)} is enough for executions of {steps} steps, and --max-steps {options.max_steps} is more"
        )
    return replace(
        options,
        narrowed=narrowed,
        distinct_cap=options.distinct_cap >> narrowed,
        match_limit=_MATCHED >> narrowed,
        open_limit=_OPEN >> narrowed,
    )
