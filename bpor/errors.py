"""Our faults, as exceptions that know their exit code. The program's faults are values (bpor.model.trace)."""

from __future__ import annotations


class BporError(Exception):
    """Something that ends the run with one line on stderr."""

    exit_code = 99


class UsageError(BporError):
    """Bad flag, missing program, unreadable file, unsupported platform."""

    exit_code = 2


class Uncontrolled(BporError):
    """The target cannot be controlled: refused call, static binary, died before the handshake, ..."""

    exit_code = 4


class TooSlow(Uncontrolled):
    """The program did not reach its fork point in the time it has: it never will, or this machine is busy."""


class Diverged(BporError):
    """A replayed prefix took another way. Never reported as a bug of the program."""

    exit_code = 5
    shared_state: tuple[str, ...] = ()  # what threads share whose uses are no operations yet: that would explain it

    def __init__(self, step: int, expected: str, got: str, cause: str = "") -> None:
        self.step, self.expected, self.got, self.cause = step, expected, got, cause
        likely = f"; likely cause: {cause}" if cause else ""
        super().__init__(f"replay diverged at step {step}: expected {expected}, got {got}{likely}")

    def __reduce__(self) -> tuple[object, ...]:
        return Diverged, (self.step, self.expected, self.got, self.cause), vars(self)


class OutOfTime(BporError):
    """`--max-time` was over in the midst of something. The search it ends is inconclusive."""

    exit_code = 3


class NoRoomOnDisk(BporError):
    """What does not fit into memory does not fit on disk either. The search it ends is inconclusive."""

    exit_code = 3


class EngineUnfit(BporError):
    """The program is too large for the search beside it; the controller's own search can go on. Never reaches a user."""


class UnfitForSeveral(EngineUnfit):
    """Several processes cannot search the program at once; one can, beside it."""


class Contradicted(BporError):
    """A thread did something else than known steps had told, in a part of a tree; everything begins anew without them. Never reaches a
    user."""

    def __init__(self, site: int) -> None:
        self.site = site  # of the operation after which it did; 0: unknown
        super().__init__("what a thread does depends on more than its causal past")


class OffersAlternatives(BporError):
    """A step of the program can go several ways, which what is known of steps and states does not tell apart; everything begins anew
    without that. Never reaches a user."""


class Damaged(BporError):
    """The program wrote over our memory: nothing that was found, or not found, can be believed."""

    def __init__(self) -> None:
        super().__init__(
            "the program wrote into memory that belongs to the search beside it, through a wild pointer most likely: look for it with"
            " valgrind or -fsanitize=address, or search with --engine=python"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return Damaged, ()


class MemberLost(BporError):
    """A worker of a cluster is gone with its part of the search, which goes on from what was last saved. Never reaches a user."""


class InternalError(BporError):
    """Ours."""
