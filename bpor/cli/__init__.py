"""The entry point of the command line: it rejects an unsupported machine with the reason, then calls the rest. Runs on every Python (see
platform_support)."""

import gc
import sys

from bpor.platform_support import unsupported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Optional  # noqa: F401


def main(arguments=None):
    # type: (Optional[List[str]]) -> int
    """The exit code."""
    reason = unsupported()
    if reason:
        sys.stderr.write("bpor-native: cannot run here: {}\n".format(reason))
        return 2
    gc.disable()  # while modules are loaded: nothing of them is garbage (run_command enables it)
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words and words[0] in ("cc", "c++", "build"):
        from bpor.cli.compile import compile_command

        return compile_command(words)
    from bpor.cli.command import run_command

    return run_command(words)
