"""Races that are explored: where one was found, plain accesses become operations, and the search begins again (--races=explore)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bpor.report.finding import Finding, Kind
from bpor.settings import Settings, visible_places

MAX_VISIBLE = 64  # racing places that one search makes operations of (csrc/protocol/protocol.h)


def with_races_visible(settings: Settings, findings: Sequence[Finding]) -> Settings | None:
    """Settings in which the places of these races are operations; None: there is nothing to add."""
    ends = [finding.trace.end for finding in findings if finding.kind is Kind.RACE]
    known = visible_places(settings.visible)
    new = [place for place in dict.fromkeys((end.object, end.object_bytes) for end in ends) if place not in known]
    if not new or len(known) + len(new) > MAX_VISIBLE:
        return None
    return replace(settings, visible=",".join(f"{identity:x}+{size}" for identity, size in (*known, *new)))
