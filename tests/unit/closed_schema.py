"""The shipped schema with no room for a field that it does not name.

A reader of reports must bear fields that a later version adds, so the schema that is shipped lets them pass. A test must not: a field
that nobody has described would be part of the report by accident.
"""

from __future__ import annotations

from typing import Any

from bpor.report.json_report import schema


def closed_schema() -> dict[str, Any]:
    closed: dict[str, Any] = _closed(schema())
    return closed


def _closed(part: Any) -> Any:
    if isinstance(part, list):
        return [_closed(item) for item in part]
    if not isinstance(part, dict):
        return part
    inside = {name: _closed(value) for name, value in part.items()}
    return {"additionalProperties": False, **inside} if "properties" in part else inside
