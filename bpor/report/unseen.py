"""What was not seen, in the words with which the line of a pass begins, and what to do about it.

Invariant: a pass of less than every access says so before anything else.
"""

from __future__ import annotations

from collections.abc import Sequence

from bpor.report.finding import Finding, FindingKind
from bpor.target.census import Unseen

_LISTED = 3


def pass_of_calls(unseen: Unseen, program: str) -> str:
    return f"pass of the library calls only: {not_seen(unseen, program)}"


def one_schedule(unseen: Unseen, program: str) -> str:
    """Of atomic instructions that were not seen, by a search that had nothing to reorder: it shows nothing about them."""
    return f"{not_seen(unseen, program)}, and by its library calls alone it has one schedule"


def not_seen(unseen: Unseen, program: str) -> str:
    """`44 atomic instructions in 2 modules were not seen (./my_test, libfoo.so)`."""
    unknown = f"{' and '.join(unseen.unknown)} could not be looked at" if unseen.unknown else ""
    words = ", and ".join(filter(None, (_of_modules(unseen, program), unknown))) or "no module tells its loads and stores"
    return f"{words}; not patched: {'; '.join(unseen.unpatched[:_LISTED])}" if unseen.unpatched else words


def _of_modules(unseen: Unseen, program: str) -> str:
    if unseen.atomics:
        modules = len(unseen.where)
        were = "was" if unseen.atomics == 1 else "were"
        return (
            f"{unseen.atomics} atomic instruction{'s' * (unseen.atomics > 1)} in {modules} module{'s' * (modules > 1)}"
            f" {were} not seen ({_listed(unseen.where, program)})"
        )
    if unseen.unread:
        return f"the instructions of {_listed(unseen.unread, program)} could not be looked at"
    if unseen.plain:
        return f"no atomic instructions, but plain loads and stores were not seen ({_listed(unseen.plain, program)})"
    return "" if unseen.unknown or not unseen.told else "loads and stores of some of its objects were not seen"


def may_be_ordered(findings: Sequence[Finding], unseen: Unseen, races: str) -> bool:
    """They are data races in code that tells, and all that orders them may lie in code that does not (--races=strict: it does not)."""
    hidden = unseen.told and unseen.may_order
    return hidden and races == "report" and bool(findings) and all(finding.kind is FindingKind.RACE for finding in findings)


def in_doubt(race: Finding, unseen: Unseen, program: str) -> str:
    from bpor.report.symbols_demangle import demangle

    functions = [demangle(name) for name in unseen.functions]
    more = ", ..." * (len(functions) > _LISTED)
    where = f": {', '.join(functions[:_LISTED])}{more}" if functions else ""
    return f"{race.summary}, unless they are ordered out of our sight: {not_seen(unseen, program)}{where}"


def doubtful_race(race: Finding) -> str:
    return f"{race.summary}, which machine code cannot tell from synchronisation, and which is no operation"


def remedy(unseen: Unseen, program: str) -> str:
    """What to type for more; empty: nothing helps that we know."""
    if unseen.plain or not unseen.told:
        return f"build {_listed(unseen.plain, program) or 'what it tests'} with `bpor-native cc`"
    return f"bpor-native doctor {program}"


def _listed(names: Sequence[str], program: str) -> str:
    typed = [program if name == program.rpartition("/")[2] else name for name in names]
    more = f" and {len(typed) - _LISTED} more" if len(typed) > _LISTED else ""
    return ", ".join(typed[:_LISTED]) + more
