"""Library: the functions of the preload library that a Python process calls (csrc/python).

Some are called with the interpreter's lock held, those that may wait with the lock dropped, as an extension would drop it.
"""

from __future__ import annotations

import ctypes
import gc
import os
import random
import sysconfig
from collections.abc import Callable
from typing import Any

from bpor.errors import InternalError

_BODY = ctypes.PYFUNCTYPE(None)
_KEEPS, _DROPS = ctypes.PyDLL(None), ctypes.CDLL(None)


def is_loaded() -> bool:
    """Is the preload library in this process?"""
    return hasattr(_DROPS, "bpor_python_adopt")


class Library:
    """Looked up once: nothing is allocated when an execution calls one."""

    def __init__(self) -> None:
        if not is_loaded():
            raise InternalError("the preload library is not in this process")
        self.enter = _function(_DROPS, "enter")
        self.gate = _function(_DROPS, "gate")
        self.leave = _function(_DROPS, "leave")
        self.join = _function(_DROPS, "join", ctypes.c_ulong)
        self.region = _function(_DROPS, "region", ctypes.c_uint)
        self.fork_point = _function(_KEEPS, "fork_point")
        self.leave_alone = _function(_KEEPS, "leave_alone")
        self.explore = _function(_KEEPS, "explore", ctypes.c_int)
        self.choose = _function(_KEEPS, "choose", ctypes.c_uint, result=ctypes.c_uint)
        self.assume_away = _function(_DROPS, "assume")
        self.switch_next = _function(_KEEPS, "switch_next", ctypes.c_void_p)
        self.switch_look = _function(_KEEPS, "switch_look")
        self.switch_type = _function(_KEEPS, "switch_type", ctypes.c_void_p)
        self.switch_lock = _function(_KEEPS, "switch_lock", ctypes.c_void_p, ctypes.c_void_p)
        self.switch_function = _function(_KEEPS, "switch_function", ctypes.c_void_p)
        self.end_passed = _function(_KEEPS, "pass")
        self.processor = _DROPS.sched_getcpu  # libc's: the one we run on
        self._note = _function(_KEEPS, "note", ctypes.c_int, ctypes.c_char_p, ctypes.c_ulong)
        self._fail = _function(_KEEPS, "fail", ctypes.c_uint, ctypes.c_char_p)
        self._own_memory = _function(_KEEPS, "own_memory")
        self._fill_memory = _function(_KEEPS, "fill_memory")
        self._adopt = _function(_KEEPS, "adopt", ctypes.c_int, ctypes.c_int, ctypes.c_int, result=ctypes.c_int)
        self._fork = _function(_KEEPS, "fork", result=ctypes.c_int)
        self.put_back = _function(_KEEPS, "put_back")
        self._far_down = _function(_KEEPS, "far_down", _BODY)

    def adopt(self, shared: int, plan: int, events: int) -> bool:
        return int(self._adopt(shared, plan, events)) == 0

    def far_down(self, body: Callable[[], None]) -> None:
        """Calls it where the stack is the same in every process that this one forks."""
        self._far_down(_BODY(body))

    def own_memory(self) -> None:
        """From now on what new memory holds does not depend on who had it. A free-threaded interpreter allocates where we see it, and where
        its collector must not look."""
        self._fill_memory()
        if sysconfig.get_config_var("Py_GIL_DISABLED"):
            gc.disable()
            gc.collect = lambda generation=2: 0
            self._own_memory()

    def note(self, fd: int, text: bytes) -> None:
        """What the file says from now on."""
        self._note(fd, text, len(text))

    def fail(self, outcome: int, message: str) -> None:
        """Ends the execution; returns only where there is none."""
        self._fail(outcome, message.encode("utf-8", "replace"))

    def fork(self) -> int:
        """libc's fork, which re-makes nothing in the child. Where other threads run, one of them may be about to take the interpreter's
        lock: then the interpreter has to repair it, with its hooks, one of which reseeds `random`."""
        if len(os.listdir("/proc/self/task")) == 1:
            return int(self._fork())
        numbers = random.getstate()
        ctypes.pythonapi.PyOS_BeforeFork()
        pid = int(self._fork())
        if pid == 0:
            ctypes.pythonapi.PyOS_AfterFork_Child()
            random.setstate(numbers)
        else:
            ctypes.pythonapi.PyOS_AfterFork_Parent()
        return pid


def _function(library: ctypes.CDLL, name: str, *arguments: Any, result: Any = None) -> Any:
    function = library[f"bpor_python_{name}"]
    function.argtypes, function.restype = arguments, result
    return function
