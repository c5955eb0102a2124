"""Every function of the interpreter that is given an object uses it, is a step on it, or is named by the verdict."""

from __future__ import annotations

import re
import subprocess
import sysconfig

import pytest

from bpor.target.library_calls import unseen_python_calls
from tests.native.compiled import ROOT

pytestmark = pytest.mark.needs("gcc", "Python.h")

OBJECTS = "(Type|Var|Code|Frame|Long|Bytes|Tuple|List|Dict|Gen)?Object|WeakReference"
PARAMETER = re.compile(rf"(?:const )?(?:struct _)?Py(?:{OBJECTS}) \*(?: ?const)? ?\w*")
FUNCTION = re.compile(r"\b(_?Py\w+) ?\(((?:[^()]|\([^()]*\))*)\) ?;")
ROW = re.compile(r"^(?!USES)[A-Z_]+\((\w+)(?:, [A-Z]+, [A-Z]+, [A-Z]+)?, (\d+)", re.M)
IN_REGISTERS = 6

# A pointer that is compared, an object that is about to be one or is none any more, a section of csrc/python/sections.c.
NO_USES = re.compile(
    r"""Py_(Is|IsNone|IsTrue|IsFalse) | PyObject_(Init|InitVar|ClearWeakRefs|CallFinalizer|CallFinalizerFromDealloc) | _Py_HashDouble
    | PyObject_GC_Is\w+ | _PyObject_GC_Resize | _PyTuple_MaybeUntrack | PyCriticalSection2?_Begin | _Py_(New|Forget)Reference
    | _Py_CheckFunctionResult""",
    re.VERBOSE,
)
# Of the first two the text is told and not the object beside it; of the last the second object, too, in a row of its own (USES).
TOLD_ELSEWHERE = {"PyOS_string_to_double", "PyUnicode_DecodeCharmap", "PyObject_CallMethodObjArgs"}


def declared() -> dict[str, int]:
    """What Python.h declares: a bit for each argument of the first six that is an object."""
    command = ["gcc", "-E", "-P", f"-I{sysconfig.get_path('include')}", "-x", "c", "-"]
    header = "#include <Python.h>\n#include <frameobject.h>\n"
    text = subprocess.run(command, input=header, capture_output=True, text=True, check=True).stdout
    text = " ".join(re.sub(r"__attribute__ ?\(\((?:[^()]|\([^()]*\))*\)\)", "", text).split())
    functions = {name: re.split(r" ?, ?(?![^(]*\))", parameters.strip()) for name, parameters in FUNCTION.findall(text)}
    return {
        name: sum(1 << number for number, parameter in enumerate(parameters[:IN_REGISTERS]) if PARAMETER.fullmatch(parameter))
        for name, parameters in functions.items()
    }


def given() -> dict[str, int]:
    tables = [(ROOT / "csrc" / "python" / name).read_text() for name in ("calls.def", "given.def")]
    rows = {name: int(bits) for table in tables for name, bits in ROW.findall(table)}
    return rows | {name: 1 for name in re.findall(r"^(?:COUNTS|ENDS)\((\w+)\)", tables[0], re.M)}


def test_every_function_that_is_given_an_object_uses_it() -> None:
    """PyUnicode_Replace, PyErr_SetNone and some 250 others were taken for harmless: what another thread had freed passed."""
    known, functions = given(), declared()
    assert len(functions) > 1000
    unseen = set(unseen_python_calls(functions))
    missing = [name for name, bits in functions.items() if bits & ~known.get(name, 0) and name not in unseen | TOLD_ELSEWHERE]
    assert [name for name in missing if not NO_USES.fullmatch(name)] == []
