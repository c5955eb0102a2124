"""Where the program says that it failed, as a place of the source that can be opened.

A framework prints the file as the compiler was given it (`__FILE__`): often relative to a directory that nobody is in any more.
Invariant: a place is taken from the report alone. The function is told only where a stack of this very execution went through that line.
"""

from __future__ import annotations

import os

from bpor.model.trace import Description, End
from bpor.report.finding import SourceSite
from bpor.report.names import Names
from bpor.report.own_failure import OwnFailure, own_failure, with_arguments
from bpor.report.symbols_source import printable, source_line


def told_failure(end: End, description: Description, names: Names) -> tuple[OwnFailure | None, SourceSite | None]:
    """The program's own report of its failure, and its place, if it tells one."""
    failure = own_failure(end)
    if failure is None or not failure.line:
        return failure, None
    seen = [site for stack in (end.stack, *description.stacks.values()) for site in names.stack(stack)]
    same_file = [site for site in seen if site.line and _ends_like(site.file, failure.file)]
    path = same_file[0].file if same_file and not os.path.isabs(failure.file) else _found(failure.file, names)
    function = next((site.function for site in same_file if site.line == failure.line), "")
    site = SourceSite(printable(path), failure.line, function, source_line(path, failure.line))
    return with_arguments(failure, site.source), site


def _ends_like(path: str, shown: str) -> bool:
    """`/build/src/lib.rs` may be `src/lib.rs`, `./src/lib.rs` and `../src/lib.rs`."""
    parts = [part for part in os.path.normpath(shown).split("/") if part not in ("", "..")]
    return bool(parts) and path.split("/")[-len(parts) :] == parts


def _found(file: str, names: Names) -> str:
    """Here, or where the program was compiled; as it was printed if it is in neither."""
    if os.path.isabs(file) or os.path.exists(file):
        return os.path.abspath(file)
    candidates = (os.path.normpath(os.path.join(directory, file)) for directory in names.compiled_in())
    return next(filter(os.path.exists, candidates), file)
