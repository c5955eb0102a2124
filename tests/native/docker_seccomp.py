"""Runs a command under a filter like Docker's default seccomp profile: `python docker_seccomp.py [--also=NUMBER] COMMAND...`.

The profile is a list of what is allowed; this is the list of what that leaves out on x86-64 for a container without capabilities, as Docker
documents it ("Significant syscalls blocked by default profile"), with personality, clone and clone3 treated by their arguments as there.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys

BLOCKED = {
    "acct": 163,
    "add_key": 248,
    "bpf": 321,
    "clock_adjtime": 305,
    "clock_settime": 227,
    "create_module": 174,
    "delete_module": 176,
    "finit_module": 313,
    "get_kernel_syms": 177,
    "get_mempolicy": 239,
    "init_module": 175,
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "ioperm": 173,
    "iopl": 172,
    "kcmp": 312,
    "kexec_file_load": 320,
    "kexec_load": 246,
    "keyctl": 250,
    "lookup_dcookie": 212,
    "mbind": 237,
    "mount": 165,
    "move_pages": 279,
    "nfsservctl": 180,
    "open_by_handle_at": 304,
    "perf_event_open": 298,
    "pivot_root": 155,
    "process_vm_readv": 310,
    "process_vm_writev": 311,
    "ptrace": 101,
    "query_module": 178,
    "quotactl": 179,
    "reboot": 169,
    "request_key": 249,
    "set_mempolicy": 238,
    "setns": 308,
    "settimeofday": 164,
    "swapoff": 168,
    "swapon": 167,
    "sysfs": 139,
    "_sysctl": 156,
    "umount2": 166,
    "unshare": 272,
    "uselib": 134,
    "userfaultfd": 323,
    "ustat": 136,
}
PERSONALITY, CLONE, CLONE3 = 135, 56, 435
PERSONALITIES = (0x0, 0x0008, 0x20000, 0x20008, 0xFFFFFFFF)  # without ADDR_NO_RANDOMIZE
NAMESPACES = 0x7E020000  # the CLONE_NEW* flags
_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NUMBER, _ARGUMENT = 0, 16  # in struct seccomp_data
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _MODE_FILTER = 38, 22, 2


def program(also: tuple[int, ...] = ()) -> list[tuple[int, int, int, int]]:
    """(code, jump if true, jump if false, constant), in order; every test falls through to the next. `also`: is refused, too."""
    refuse, missing, allow = (_RETURN, 0, 0, _ERRNO | errno.EPERM), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS), (_RETURN, 0, 0, _ALLOW)
    lines = [(_LOAD, 0, 0, _NUMBER)]
    for number in (*BLOCKED.values(), *also):
        lines += [(_EQUAL, 0, 1, number), refuse]
    lines += [(_EQUAL, 0, 1, CLONE3), missing]
    lines += [(_EQUAL, 0, 3, CLONE), (_LOAD, 0, 0, _ARGUMENT), (_ANY_BIT, 0, 1, NAMESPACES), refuse]
    # After clone's test the number may have been overwritten by its flags: whoever comes here with it is allowed by the next line.
    lines += [(_LOAD, 0, 0, _NUMBER), (_EQUAL, 1, 0, PERSONALITY), allow, (_LOAD, 0, 0, _ARGUMENT)]
    for number in PERSONALITIES:
        lines += [(_EQUAL, 0, 1, number), allow]
    return [*lines, refuse]


def install(also: tuple[int, ...] = ()) -> None:
    lines = program(also)
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines))
    header = struct.pack("HxxxxxxP", len(lines), ctypes.addressof(code))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_ulong]
    if prctl(_PR_SET_NO_NEW_PRIVS, 1, None, 0, 0) or prctl(_PR_SET_SECCOMP, _MODE_FILTER, header, 0, 0):
        raise OSError(ctypes.get_errno(), "cannot install the filter")


if __name__ == "__main__":
    chosen = [word for word in sys.argv[1:2] if word.startswith("--also=")]
    command = sys.argv[1 + len(chosen) :]
    install(tuple(int(word.removeprefix("--also=")) for word in chosen))
    os.execvp(command[0], command)
