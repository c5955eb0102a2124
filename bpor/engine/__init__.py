"""The search as a library of its own (libbpor_engine.so): for simulated programs, and for anybody's runtime (docs/engine.md).

`Engine` decides which thread of a program goes next, execution by execution, until every schedule within a bound was run that matters.
It knows nothing of processes; whoever uses it runs the program.
"""

from bpor.engine.engine import Access, Engine, EngineError, Stop

__all__ = ["Access", "Engine", "EngineError", "Stop"]
