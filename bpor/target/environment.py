"""The environment that a program has under control: the user's own, but for what runtimes of languages and sanitizers read there."""

from __future__ import annotations

from collections.abc import Mapping

from bpor.target.elf import Elf
from bpor.target.sanitizers import sanitizer_environment

# A panic that prints the frames of its thread reads all debug information first: for seconds, since each access of its machine code is
# told, in every execution that panics. Where a thread stands is told by us. Errors that carry a stack (RUST_LIB_BACKTRACE) follow it,
# unless they have a word of their own.
_RUST_FRAMES = "RUST_BACKTRACE"


def controlled_environment(elf: Elf | None, environment: Mapping[str, str]) -> dict[str, str]:
    quiet = {_RUST_FRAMES: "0"} if _RUST_FRAMES in environment else {}
    return {**sanitizer_environment(elf, environment), **quiet}
