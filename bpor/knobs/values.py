"""Parses the values of knobs. A parser raises ValueError with the reason."""

from __future__ import annotations

import re


def read_count(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise ValueError(f"{text!r} is not a whole number")
    return int(text)


def read_positive(text: str) -> int:
    if (number := read_count(text)) == 0:
        raise ValueError("0 would run nothing")
    return number


def read_shard(text: str) -> str:
    match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise ValueError(f"{text!r} is not I/N with I from 1 to N")
    return text


def visible_places(text: str) -> tuple[tuple[int, int], ...]:
    """`1a2b+4,...`: object (hexadecimal) and bytes, the canonical name of a place."""
    pairs = (part.split("+") for part in text.split(",") if part)
    return tuple((int(identity, 16), int(size)) for identity, size in pairs)


def read_places(text: str) -> str:
    if not re.fullmatch(r"([0-9a-f]+\+\d+(,|$))*", text):
        raise ValueError(f"{text!r} is not a list of places such as 1a2b+4,1a30+8")
    return text


# as in csrc/process/process_state.h
PROCESS_STATES = ("files", "directory", "environment", "random", "statics", "streams", "descriptors", "settings", "numbers")


def process_states(text: str) -> tuple[str, ...]:
    """Whose uses are operations: `files,random`; none for `auto` and `off`."""
    return () if text in ("auto", "off") else tuple(text.split(","))


def read_process_states(text: str) -> str:
    if not set(process_states(text)) <= set(PROCESS_STATES):
        raise ValueError(f"{text!r} is not auto, off or a list of {', '.join(PROCESS_STATES)}")
    return text


MEMORY_ORDERS = ("relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst")  # by C11's numbers
_ORDER = f"({'|'.join(MEMORY_ORDERS)}|none)"
_ORDER_AT = re.compile(rf"[^,/=]+\+[0-9a-f]+=(?=.){_ORDER}?(/{_ORDER})?")
_MOST_ORDERS = 64  # of one search (csrc/protocol/protocol.h)


def read_orders(text: str) -> str:
    """See bpor/model/orders.py."""
    parts = text.split(",")
    if wrong := next((part for part in parts if not _ORDER_AT.fullmatch(part)), None):
        raise ValueError(f"{wrong!r} is not MODULE+OFFSET=ORDER with an order of {', '.join(MEMORY_ORDERS)} or none")
    if len(parts) > _MOST_ORDERS:
        raise ValueError(f"{len(parts)} call sites are more than {_MOST_ORDERS}")
    return text


_LONGEST_MODULE = 107  # bytes of its name (csrc/protocol/config.h)
_TRUSTED = re.compile(rf"(independent:)?(module:[^/,\[\]]{{1,{_LONGEST_MODULE}}}|function:[^,\[\]]+)")


def read_trust(text: str) -> str:
    """See bpor/model/trust.py."""
    if wrong := next((part for part in text.split(",") if not _TRUSTED.fullmatch(part)), None):
        raise ValueError(f"{wrong!r} is not module:NAME or function:NAME (with * and ?), nor that behind independent:")
    return text


FAULTS = ("malloc", "eintr", "short-read", "weak-cas")  # as in csrc/protocol/protocol.h
_MOST_FAULTS = 1000  # of one kind in an execution


def fault_limits(text: str) -> tuple[int, ...]:
    """`malloc:1,eintr:2`: how many of each kind, in the order of FAULTS. Raises ValueError with the reason."""
    limits = dict.fromkeys(FAULTS, 0)
    for part in filter(None, text.split(",")):
        match = re.fullmatch(r"([a-z-]+):([0-9]{1,9})", part)
        if match is None or match[1] not in limits:
            raise ValueError(f"{part!r} is not KIND:COUNT with a kind of {', '.join(FAULTS)}")
        if not 0 < int(match[2]) <= _MOST_FAULTS:
            raise ValueError(f"{part!r}: from 1 to {_MOST_FAULTS} of a kind are injected into one execution")
        if limits[match[1]]:
            raise ValueError(f"{match[1]} is given twice")
        limits[match[1]] = int(match[2])
    return tuple(limits.values())


def read_faults(text: str) -> str:
    if not any(fault_limits(text)):
        raise ValueError("no fault is named; without --faults there is none")
    return text
