"""Every order in which the instructions of two threads and of main can run, and how it ends: by an emulator of the processor.

An instruction is one step. One that reads and writes without a lock, or compares two places, is two, and each round of a repeated one
counts. What accesses nothing that others can is run at once, and a state that came before is not gone on from.
"""

from __future__ import annotations

import importlib
import struct
from pathlib import Path
from typing import Any, NamedTuple

from elftools.elf.elffile import ELFFile

_BASE, _PAGE, _RETURN = 0x400000, 0x1000, 0x30000000
_STACKS, _STACK = (0x10000000, 0x11000000, 0x12000000), 0x4000
_THREADS, _MAIN, _OWN = (0x20000000, 0x20100000, 0x20200000), 2, 0x100  # bytes below the thread pointer that are its variables
_SHARED = 32  # bytes of `g`
_RELATIVE, _BY_SYMBOL = 8, (6, 1)
_PREFIXES, _LOCK = (0xF0, 0xF2, 0xF3, 0x66, 0x64, 0x2E, 0x3E), 0xF0
_XCHG, _CMPS = (0x86, 0x87), (0xA6, 0xA7)
_REGISTERS = ["RAX", "RBX", "RCX", "RDX", "RSI", "RDI", "RBP", "RSP", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15", "RIP", "EFLAGS"]
_IDENTITY = [*_REGISTERS, *(f"XMM{number}" for number in range(16)), *(f"FP{number}" for number in range(8)), "FPSW"]
_EXECUTED, _STATES = 5_000, 6_000


class TooMuch(Exception):
    """More states than are worth it, or something that is not emulated."""


class Access(NamedTuple):
    write: bool
    address: int
    size: int


class Thread(NamedTuple):
    """Before an access of what is shared; `read`: what an update has found; `context` None: it has ended, with `result`."""

    context: Any
    read: tuple[tuple[int, bytes], ...]
    parts: tuple[Access, ...]
    identity: tuple[Any, ...]
    result: int = 0


Memory = tuple[bytes, ...]


class Processor:
    def __init__(self, program: Path) -> None:
        unicorn, self._x86 = importlib.import_module("unicorn"), importlib.import_module("unicorn.x86_const")
        self._uc = unicorn.Uc(unicorn.UC_ARCH_X86, unicorn.UC_MODE_64)
        self._numbers = {name: getattr(self._x86, f"UC_X86_REG_{name}") for name in (*_IDENTITY, "FS_BASE")}
        self._accesses: list[Access] = []
        self._uc.hook_add(unicorn.UC_HOOK_MEM_READ | unicorn.UC_HOOK_MEM_WRITE, self._note, unicorn.UC_MEM_WRITE)
        with program.open("rb") as file:
            self._load(ELFFile(file))
        self._regions = [(self._symbol["g"], _SHARED), *((stack, _STACK) for stack in _STACKS)]
        self._regions += [(thread - _OWN, _OWN) for thread in _THREADS]
        self._frame = _RETURN  # of main, whose address may be known to the others

    def outcomes(self) -> set[str]:
        blank = self._uc.context_save()
        passed = self._begin_main()
        threads = []
        for number, name in enumerate(("t0", "t1")):
            self._uc.context_restore(blank)
            self._enter(number, name, passed)
            threads.append(self._uc.context_save())
        return self._search(self._memory(), [*threads, self._main])

    # ---- the program ----

    def _load(self, elf: ELFFile) -> None:
        bias, mapped = _BASE if elf["e_type"] == "ET_DYN" else 0, set()
        symbols = list(elf.get_section_by_name(".symtab").iter_symbols())
        self._symbol = {one.name: one["st_value"] + bias for one in symbols}
        own = ("t0", "t1", "main_part")
        codes = [one for one in symbols if one.name.split(".")[0] in own or one.name.startswith("f_")]
        self._code = [range(one["st_value"] + bias, one["st_value"] + bias + one["st_size"]) for one in codes]
        variables = None
        for segment in elf.iter_segments():
            if segment["p_type"] == "PT_TLS":
                variables = segment
            if segment["p_type"] != "PT_LOAD":
                continue
            start, end = segment["p_vaddr"] + bias, segment["p_vaddr"] + bias + segment["p_memsz"]
            for page in range(start & -_PAGE, end, _PAGE):
                if page not in mapped:
                    self._uc.mem_map(page, _PAGE)
                    mapped.add(page)
            self._uc.mem_write(start, segment.data())
        self._relocate(elf, bias)
        for stack in _STACKS:
            self._uc.mem_map(stack, _STACK)
        self._uc.mem_map(_RETURN, _PAGE)
        for thread in _THREADS:
            self._uc.mem_map(thread - _PAGE, 2 * _PAGE)
            self._uc.mem_write(thread, struct.pack("<Q", thread))
            if variables is not None:
                size, align = variables["p_memsz"], max(variables["p_align"], 1)
                self._uc.mem_write(thread - -(-size // align) * align, variables.data())

    def _relocate(self, elf: ELFFile, bias: int) -> None:
        table = elf.get_section_by_name(".rela.dyn")
        for entry in table.iter_relocations() if table is not None else ():
            if entry["r_info_type"] == _RELATIVE:
                self._uc.mem_write(entry["r_offset"] + bias, struct.pack("<Q", entry["r_addend"] + bias))
            elif entry["r_info_type"] in _BY_SYMBOL:
                value = elf.get_section(table["sh_link"]).get_symbol(entry["r_info_sym"])["st_value"]
                if value:
                    self._uc.mem_write(entry["r_offset"] + bias, struct.pack("<Q", value + bias))

    # ---- the processor ----

    def _note(self, unused: Any, kind: int, address: int, size: int, value: int, writes: int) -> None:
        self._accesses.append(Access(kind == writes, address, size))

    def _get(self, name: str) -> int:
        return int(self._uc.reg_read(self._numbers[name]))

    def _identity(self) -> tuple[Any, ...]:
        return tuple(self._uc.reg_read(self._numbers[name]) for name in _IDENTITY)

    def _enter(self, number: int, name: str, argument: int) -> None:
        for register in _REGISTERS:
            self._uc.reg_write(self._numbers[register], 0)
        top = _STACKS[number] + _STACK - 72
        self._uc.mem_write(top, struct.pack("<Q", _RETURN))
        for register, value in (("RSP", top), ("RDI", argument), ("RIP", self._symbol[name]), ("FS_BASE", _THREADS[number]), ("EFLAGS", 2)):
            self._uc.reg_write(self._numbers[register], value)

    def _step(self) -> list[Access]:
        self._accesses = []
        self._uc.emu_start(self._get("RIP"), _RETURN + 8, count=1)
        return self._accesses

    def _return(self) -> None:
        top = self._get("RSP")
        (back,) = struct.unpack("<Q", bytes(self._uc.mem_read(top, 8)))
        self._uc.reg_write(self._numbers["RSP"], top + 8)
        self._uc.reg_write(self._numbers["RIP"], back)

    def _opcode(self) -> tuple[bool, int]:
        """Is it locked?"""
        code = bytes(self._uc.mem_read(self._get("RIP"), 15))
        count = next(number for number, byte in enumerate(code) if byte not in _PREFIXES)
        opcode = code[count + 1] if code[count] & 0xF0 == 0x40 else code[count]
        return _LOCK in code[:count] or opcode in _XCHG, opcode

    def _memory(self) -> Memory:
        return tuple(bytes(self._uc.mem_read(start, size)) for start, size in self._regions)

    def _restore(self, memory: Memory, context: Any) -> None:
        for (start, _), content in zip(self._regions, memory, strict=True):
            self._uc.mem_write(start, content)
        self._uc.context_restore(context)

    # ---- the search ----

    def _begin_main(self) -> int:
        self._enter(_MAIN, "main_part", 0)
        for _ in range(_EXECUTED):
            if self._get("RIP") == self._symbol["start_threads"]:
                self._frame = self._get("RSP") + 8
                passed = self._get("RDI")
                self._return()
                self._main = self._uc.context_save()
                return passed
            self._expect_code()
            self._step()
        raise TooMuch("before the threads")

    def _expect_code(self) -> None:
        if not any(self._get("RIP") in code for code in self._code):
            raise TooMuch("a call of something else")

    def _is_shared(self, access: Access) -> bool:
        shared = ((self._symbol["g"], self._symbol["g"] + _SHARED), (self._frame, _STACKS[_MAIN] + _STACK))
        return any(start < access.address + access.size and access.address < end for start, end in shared)

    def _search(self, memory: Memory, contexts: list[Any]) -> set[str]:
        threads = []
        for number, context in enumerate(contexts):
            memory, thread = self._advanced(memory, context, number)
            threads.append(thread)
        found, seen, waiting = set(), set(), [(memory, tuple(threads))]
        while waiting:
            memory, now = waiting.pop()
            key = memory, tuple(thread.identity for thread in now)
            if key in seen:
                continue
            seen.add(key)
            if len(seen) > _STATES:
                raise TooMuch("states")
            if all(thread.context is None for thread in now[:_MAIN]) and now[_MAIN].result:
                found.add(self._end(memory, now))
            for number, thread in enumerate(now):
                if thread.context is not None and not thread.result:
                    then, moved = self._moved(memory, thread, number)
                    waiting.append((then, (*now[:number], moved, *now[number + 1 :])))
        return found

    def _advanced(self, memory: Memory, context: Any, number: int) -> tuple[Memory, Thread]:
        """Up to the next access of what is shared."""
        self._restore(memory, context)
        for _ in range(_EXECUTED):
            if self._get("RIP") == _RETURN:
                return self._memory(), Thread(None, (), (), ("ended", self._get("RAX")), self._get("RAX"))
            if number == _MAIN and self._get("RIP") == self._symbol["finish_threads"]:
                self._return()
                return self._memory(), Thread(self._uc.context_save(), (), (), ("waits", *self._identity()), 1)
            self._expect_code()
            before, memory, identity, locked = self._uc.context_save(), self._memory(), self._identity(), self._opcode()[0]
            parts = tuple(access for access in self._step() if self._is_shared(access))
            if parts:
                return memory, Thread(before, (), () if locked else parts, identity)
        raise TooMuch("instructions")

    def _moved(self, memory: Memory, thread: Thread, number: int) -> tuple[Memory, Thread]:
        self._restore(memory, thread.context)
        looks = [part for part in thread.parts if not part.write]
        writes = len(looks) < len(thread.parts)
        compares = len(looks) > 1 and self._opcode()[1] in _CMPS
        if compares and abs(looks[0].address - looks[1].address) < looks[0].size:
            raise TooMuch("two reads of one place, which would have to find two values")
        if thread.read or not looks or not (writes or compares):
            return self._done(memory, thread, number)
        found = tuple((part.address, bytes(self._uc.mem_read(part.address, part.size))) for part in (looks if writes else looks[:1]))
        return memory, thread._replace(read=found, identity=(*thread.identity, found))

    def _done(self, memory: Memory, thread: Thread, number: int) -> tuple[Memory, Thread]:
        """As if what it has read were still there."""
        for address, content in thread.read:
            self._uc.mem_write(address, content)
        written = [access for access in self._step() if access.write]
        after, contents = self._uc.context_save(), [bytes(self._uc.mem_read(one.address, one.size)) for one in written]
        self._restore(memory, after)
        for access, content in zip(written, contents, strict=True):
            self._uc.mem_write(access.address, content)
        return self._advanced(self._memory(), after, number)

    def _end(self, memory: Memory, threads: tuple[Thread, ...]) -> str:
        self._restore(memory, threads[_MAIN].context)
        for _ in range(_EXECUTED):
            if self._get("RIP") == _RETURN:
                words = struct.unpack("<4Q", memory[0])
                return " ".join(f"{value:x}" for value in (self._get("RAX"), *(thread.result for thread in threads[:_MAIN]), *words))
            self._step()
        raise TooMuch("behind the threads")
