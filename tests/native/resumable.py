"""One life of a search that is going to be killed: `python resumable.py PROGRAM DATABASE EXECUTIONS ENGINE`.

Saves more often than the tool.
"""

from __future__ import annotations

import sys
from pathlib import Path

import bpor
from bpor.store.checkpoints import SqliteCheckpoints

program, database, executions, engine = sys.argv[1:]
checkpoints = SqliteCheckpoints(Path(database), "the same search", True, lambda text: None, interval=0.01)
result = bpor.check([program], bound="none", max_executions=int(executions), engine=engine, checkpoints=checkpoints)
print(result)
