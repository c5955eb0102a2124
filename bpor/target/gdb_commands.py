"""Runs inside gdb: the command `bpor`, which goes to any step of a replay and back. Started by bpor.target.debugger, never imported.

Going back is a new execution: a process is asked for over a pipe, attached to, and run to the step. The names of functions and
variables are those of csrc/runtime/debugger.c.
"""

from __future__ import annotations

import json
import os
import struct
from contextlib import suppress
from typing import Any

import gdb  # gdb's own module
from gdb.unwinder import Unwinder, register_unwinder

HELP = """bpor goto N   stop before step N (earlier than now: in a new execution)
bpor next     stop before the next step
bpor back     stop before the previous step
bpor end      go to the end: a crash where it happens, otherwise the last state
bpor steps    the steps of the schedule
bpor where    every thread's backtrace"""


class GdbSession:
    def __init__(self, request: int, answer: int, steps: list[str], trampolines: TrampolineUnwinder) -> None:
        self._request, self._answer, self._trampolines = request, answer, trampolines
        self.steps = steps
        self.now = -1  # the step we stand before
        self.ended = True
        self._traps = False  # it was stopped by neither a breakpoint of gdb's nor another signal than SIGTRAP
        gdb.events.stop.connect(self._note)

    def start(self) -> None:
        """A process that waits for us at the beginning."""
        if gdb.selected_inferior().pid:
            gdb.execute("kill", to_string=True)
        os.write(self._request, b"\n")
        pid = b""
        while not pid.endswith(b"\n"):
            pid += os.read(self._answer, 32) or b"0\n"
        if int(pid) == 0:
            raise gdb.GdbError("the program cannot be started again")
        gdb.execute(f"attach {int(pid)}", to_string=True)
        if not any(b.location in ("bpor_debugger_stop", "bpor_debugger_end") for b in gdb.breakpoints()):
            for function in ("bpor_debugger_stop", "bpor_debugger_end"):
                gdb.Breakpoint(function, internal=True).silent = True
        self._trampolines.look()
        gdb.execute("set var *(unsigned int *)&bpor_debugger_ready = 1")
        self.ended = False
        self.now = -1

    def goto(self, step: int) -> None:
        change("suppress-cli-notifications on")  # where gdb stops on the way is our business
        try:
            if self.ended or step <= self.now:
                self.start()
            gdb.execute(f"set var *(unsigned long *)&bpor_debugger_stop_at = {step}")
            gdb.execute("continue", to_string=True)
            while self._at_a_trap():
                gdb.execute("signal SIGTRAP", to_string=True)
        finally:
            change("suppress-cli-notifications off")
        self.arrived()

    def _note(self, event: Any) -> None:
        self._traps = type(event) is gdb.StopEvent

    def _at_a_trap(self) -> bool:
        """Stopped by a breakpoint instruction that is not gdb's but stands in patched code for an access: the program handles it."""
        if not self._traps or not gdb.selected_inferior().pid:
            return False
        return bytes(gdb.selected_inferior().read_memory(gdb.newest_frame().pc() - 1, 1)) == b"\xcc"

    def arrived(self) -> None:
        """Says where we are: before a step, at the end, or where a signal or a breakpoint of the user's stopped it."""
        if not gdb.selected_inferior().pid:
            self.ended = True
            print("the program has ended")
            return
        name_threads()
        frame = gdb.newest_frame()
        if frame.name() == "bpor_debugger_stop":
            self.now = int(gdb.parse_and_eval("bpor->steps"))
            print(f"before step {self.now} of {len(self.steps)}: {self.step(self.now)}")
        elif frame.name() == "bpor_debugger_end":
            self.ended, self.now = True, len(self.steps)
            print(f"the end, after {len(self.steps)} steps")
        else:
            print(f"stopped in {frame.name()} (on the way)")
        select_program()

    def step(self, number: int) -> str:
        return self.steps[number] if number < len(self.steps) else "?"


def change(setting: str) -> None:
    with suppress(gdb.error):  # an older gdb does not have it
        gdb.execute(f"set {setting}")


def name_threads() -> None:
    """gdb's threads get our names: T0, T1, ..."""
    kernel = {}
    for number in range(int(gdb.parse_and_eval("bpor->threads"))):
        kernel[int(gdb.parse_and_eval(f"bpor->thread[{number}].kernel_id"))] = f"T{number}"
    for thread in gdb.selected_inferior().threads():
        if thread.ptid[1] in kernel:
            thread.name = kernel[thread.ptid[1]]


def select_program() -> None:
    """The innermost frame that is the program's own, not the runtime's."""
    frame = gdb.newest_frame()
    while frame is not None:
        library = gdb.solib_name(frame.pc()) or ""
        if "libbpor" not in library and frame.find_sal().symtab is not None:
            frame.select()
            return
        frame = frame.older()


HOOK_FRAME, SITE_AT = 216, 80  # csrc/machine/unwind.c: from the stack pointer of a trampoline's call to the program's, and to the site
PATCH, PAGE, SHORT = struct.Struct("<QIBBHI4x"), 4096, 1  # csrc/machine/blob.h
REGISTERS = ("rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15")


class FrameId:
    def __init__(self, sp: Any, pc: Any) -> None:
        self.sp, self.pc = sp, pc


class TrampolineUnwinder(Unwinder):  # type: ignore[misc]
    """Code that stands in for patched instructions has no lines and no tables: behind it stands the function that it was taken from."""

    def __init__(self) -> None:
        super().__init__("bpor trampolines")
        self._groups: list[tuple[int, int]] = []  # patched instructions, in all modules
        self._codes: list[tuple[int, int, list[tuple[int, int]]]] = []  # where a blob lies, bytes of code, where jumps lead and stand

    def __call__(self, frame: Any) -> Any:
        pc, sp = (int(frame.read_register(name)) & (1 << 64) - 1 for name in ("rip", "rsp"))
        site = self._behind(pc)
        if not site:
            return None
        calls = gdb.selected_inferior().read_memory(pc - 6, 2).tobytes() == b"\xff\x15"
        site = self._word(sp + SITE_AT) if calls else site
        found = frame.create_unwind_info(FrameId(frame.read_register("rsp"), frame.read_register("rip")))
        for name in REGISTERS:
            found.add_saved_register(name, frame.read_register(name))
        kind = frame.read_register("rsp").type
        found.add_saved_register("rsp", gdb.Value(sp + HOOK_FRAME * calls).cast(kind))
        found.add_saved_register("rip", gdb.Value(site + 1).cast(kind))  # as if it had called: its line is looked up before it
        return found

    def look(self) -> None:
        """Which there are: nothing can be evaluated while gdb unwinds."""
        self._codes, self._groups = [], []
        codes = gdb.parse_and_eval("'machine/unwind.c'::codes")
        for number in range(int(gdb.parse_and_eval("'machine/unwind.c'::code_count"))):
            blob, base = codes[number]["blob"], int(codes[number]["base"])
            table, count = int(blob) + int(blob["patches"]), int(blob["patch_count"])
            patches = gdb.selected_inferior().read_memory(table, count * PATCH.size).tobytes()
            rows = [(base + address, target, kind, size) for address, target, kind, size, *_ in PATCH.iter_unpack(patches)]
            self._codes.append((int(blob), int(blob["code_bytes"]), [(row[1], row[0]) for row in rows if row[2] != SHORT]))
            self._groups += [(start, start + size) for start, _, _, size in rows]

    def mend(self, breakpoint: Any) -> None:
        """One inside of a patched group would be written into the middle of a jump: it goes to the beginning of the group."""
        for place in getattr(breakpoint, "locations", ()):
            start = next((low for low, high in self._groups if low < place.address < high), None)
            if start is not None:
                print(f"moved to {start:#x}, where the patched instructions around {place.address:#x} begin")
                place.enabled = False
                gdb.Breakpoint(f"*{start:#x}")

    def _behind(self, pc: int) -> int | None:
        """The first instruction of the group that the code at this address stands in for; None: it is not ours."""
        for blob, size, jumps in self._codes:
            if 0 <= pc - blob - PAGE < size:
                return max((jump for jump in jumps if jump[0] <= pc - blob), default=(0, 0))[1]
        return None

    def _word(self, address: int) -> int:
        return int.from_bytes(gdb.selected_inferior().read_memory(address, 8).tobytes(), "little")


class Bpor(gdb.Command):  # type: ignore[misc]  # gdb is only known inside gdb
    __doc__ = HELP

    def __init__(self, session: GdbSession) -> None:
        super().__init__("bpor", gdb.COMMAND_RUNNING)
        self._session = session

    def invoke(self, text: str, from_tty: bool) -> None:
        session, words = self._session, text.split()
        actions: dict[str, Any] = {
            "next": lambda: session.goto(session.now + 1),
            "back": lambda: session.goto(max(session.now - 1, 0)),
            "end": lambda: session.goto(1 << 62),
            "steps": lambda: print("\n".join(f"{number:5}  {step}" for number, step in enumerate(session.steps))),
            "where": lambda: gdb.execute("thread apply all backtrace"),
        }
        if len(words) == 2 and words[0] == "goto" and words[1].isdecimal():
            session.goto(int(words[1]))
        elif len(words) == 1 and words[0] in actions:
            actions[words[0]]()
        else:
            print(HELP)


def main() -> None:
    with open(os.environ["BPOR_GDB"], encoding="utf-8") as stream:
        facts = json.load(stream)
    for setting in ("pagination off", "confirm off", "debuginfod enabled off", "print thread-events off", "print inferior-events off"):
        change(setting)
    trampolines = TrampolineUnwinder()
    register_unwinder(None, trampolines)
    gdb.events.breakpoint_created.connect(trampolines.mend)
    session = GdbSession(facts["request"], facts["answer"], facts["steps"], trampolines)
    Bpor(session)
    session.goto(1 << 62 if facts["batch"] else 0)
    if facts["batch"]:
        gdb.execute("thread apply all backtrace")
        if gdb.selected_inferior().pid:
            gdb.execute("kill", to_string=True)
    else:
        print(HELP)


main()
