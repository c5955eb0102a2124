"""What is said of a thread out of sight in a Python process whose OpenMP library nobody could patch: patience does not help there."""

from __future__ import annotations

import os

from bpor.lazy_dataclass import replace
from bpor.model.trace import Outcome
from bpor.report.result import Result
from bpor.target.environment import openmp_libraries

AT_THE_TOP = "import the extension at the top of the file, so that it is patched"


def naming_openmp(result: Result, advice: str = "") -> Result:
    """`advice`: what makes a difference; empty: the loader is to load it before the program."""
    search, census = result.search, result.census
    if search is None or search.uncontrolled is None or search.uncontrolled.trace.end.outcome is not Outcome.WATCHDOG or census is None:
        return result
    paths = openmp_libraries(census.loaded_plain)
    if not paths:
        return result
    names = ", ".join(map(os.path.basename, paths))
    what = advice or f"set LD_PRELOAD={':'.join(paths)}, so that there is room to patch it"
    verdict = replace(result.verdict, reason=f"{result.verdict.reason}; threads of OpenMP ({names}) wait out of sight: {what}", next="")
    return replace(result, verdict=verdict)
