"""The verb compare: several searches on one program, their numbers side by side."""

from __future__ import annotations

import json
import os

from bpor import api
from bpor.cli.arguments import Command
from bpor.cli.named import require_names
from bpor.errors import UsageError
from bpor.lazy_dataclass import asdict, replace
from bpor.report.comparison_table import comparison_plot, table_lines
from bpor.report.output_file import require_writable, write_whole
from bpor.report.program_names import ProgramNames
from bpor.search.bounds import NONE, parse_bound
from bpor.search.comparison import Request, Row, compare, split_searches
from bpor.search.options import SearchOptions

DEFAULT = "bpor,dpor,optimal,dfs"


def compare_searches(command: Command) -> int:
    """0: every search finished; 3: the time or the number of executions did not suffice for some."""
    settings = command.settings
    if not command.program:
        raise UsageError("no program given: bpor-native compare --search bpor,dpor,dfs PROGRAM [arguments]")
    names = ProgramNames()
    request = Request(
        split_searches(settings.search or DEFAULT),
        NONE if settings.bound is None else parse_bound(settings.bound),
        SearchOptions(max_steps=settings.max_steps, naming=names),
        settings.seed,
        settings.max_executions,
        settings.max_time,
    )
    require_names((command.program, replace(settings, search=name)) for name in request.searches)
    require_writable("--plot", settings.plot)
    require_writable("--json", settings.json)
    rows = list(compare(lambda: api.open_program(command.program, settings, names), request))
    print("\n".join(table_lines(rows)))
    title = os.path.basename(command.program[0])
    if settings.plot is not None:
        write_whole(settings.plot, comparison_plot(title, rows))
    if settings.json is not None:
        write_whole(settings.json, _as_json(command, rows))
    return 0 if all(row.finished and not row.counts.cut for row in rows) else 3


def _as_json(command: Command, rows: list[Row]) -> str:
    found = [
        {
            "search": row.search,
            "bound": str(row.bound),
            "executions": row.executions,
            "finished": row.finished,
            "seconds": row.seconds,
            "failing": row.failing,
            "first_failure": row.first_failure,
            "counts": asdict(row.counts),
            "curve": [asdict(point) for point in row.curve],
        }
        for row in rows
    ]
    return json.dumps({"schema": 1, "program": list(command.program), "searches": found}, indent=1) + "\n"
