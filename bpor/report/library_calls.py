"""Library functions whose accesses of the program's memory are not seen, in the words of a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bpor.target.containers import WRAPPED, container_functions
from bpor.target.elf import Elf, calls_of, functions_for_others
from bpor.target.library_calls import unseen_calls, unseen_python_calls
from bpor.target.patched import Patching

CALLED_BY_POINTER = "nothing shared by functions of the interpreter that are called by a pointer, as slots of types are: they are no steps"
_NAMED = 3


def unseen_call_words(modules: Sequence[Elf], patched: Sequence[Elf] = (), patching: Patching | None = None) -> tuple[str, ...]:
    """What a pass of an instrumented program takes for granted about them, or of one with patched modules; nothing if all are seen."""
    told = {name for elf in modules for name in (elf.calls - WRAPPED if elf.has_stub else elf.calls)}
    told |= {name for elf in patched for name in calls_of(elf.path)}
    mangled = set(unseen_calls(told))
    for elf in {elf.path: elf for elf in (*modules, *patched) if elf in patched or elf.instrumented}.values():
        mangled -= functions_for_others(elf.path) if mangled else set()
    for module in patching.modules if patching is not None and mangled else ():
        mangled -= container_functions(module.path).difference(module.unseen) if not module.problem and not module.unpatched else set()
    if not mangled:
        return ()
    from bpor.report.symbols_demangle import function_name

    names = sorted({function_name(name).replace("__cxx11::", "") for name in sorted(mangled)}, key=lambda name: ("::" in name, name))
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    listed = ", ".join(names[:_NAMED])
    return (f"nothing shared through {listed}{more}: library functions that are not looked into",)


def unseen_python_words(modules: Iterable[Elf]) -> tuple[str, ...]:
    """The same about the interpreter's functions that an instrumented extension calls."""
    names = unseen_python_calls(name for elf in modules for name in elf.calls)
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return (f"nothing shared by {', '.join(names[:_NAMED])}{more}: calls of the interpreter that are no steps",) if names else ()
