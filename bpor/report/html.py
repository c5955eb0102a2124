"""A result as one HTML page: self-contained, without any load, everything escaped.

Invariant: text of the program (names, source, output, arguments) reaches the page through the template's escaping or as JSON whose `<`, `>`
and `&` are escapes, and the script puts it in place as text, never as markup. The policy in the page allows our own style and script, by
their hashes, and nothing else: no load, no connection, no form, no frame.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from importlib import resources
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from bpor.report.beliefs import stale_beliefs
from bpor.report.counted import counted
from bpor.report.coverage_curve import CurvePoint
from bpor.report.html_data import MOST_STEPS, page_data
from bpor.report.result import Result
from bpor.report.ring import ring_of
from bpor.report.symbols_source import printable, without_escapes
from bpor.report.text import how_hard, stack_title
from bpor.report.trace_columns import cell, stopped_cell
from bpor.search.budget import SearchStop
from bpor.version import VERSION

_OUTPUT = 20_000  # characters of an execution's output
_ENDINGS = {
    SearchStop.EXHAUSTED: "nothing was left to run",
    SearchStop.MAX_EXECUTIONS: "stopped by --max-executions",
    SearchStop.MAX_TIME: "stopped by --max-time",
    SearchStop.FINDINGS: "stopped at the first bug",
    SearchStop.INTERRUPTED: "interrupted",
    SearchStop.DISK: "stopped by a full disk",
}


def html_page(result: Result, curve: Sequence[CurvePoint] = ()) -> str:
    """`curve`: how far the search had come at each moment."""
    style, script = _template("page.css"), _template("page.js")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(printed=_printed, cell=cell, stopped=stopped_cell, ring=ring_of)
    environment.filters.update(beliefs=stale_beliefs, counted=counted, how_hard=how_hard, names_as_code=_names_as_code)
    environment.filters.update(stack_title=stack_title)
    return environment.from_string(_template("page.html")).render(
        result=result,
        findings=result.findings,
        data=_json(page_data(result, curve)),
        style=Markup(style),
        script=Markup(script),
        policy=f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; form-action 'none'",
        most_steps=MOST_STEPS,
        has_curve=bool(curve),
        ending=_ENDINGS.get(result.search.stop, result.search.stop.value) if result.search else "",
        version=VERSION,
    )


def _template(name: str) -> str:
    return resources.files("bpor.report").joinpath(f"templates/{name}").read_text("utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _json(value: Any) -> Markup:
    """Fit for a script element: nothing in it can end the element."""
    text = json.dumps(value)
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)


def _names_as_code(sentence: object) -> Markup:
    """Names that the text report puts between backticks; one without a partner stays as it is."""
    parts = str(sentence).split("`")
    if len(parts) % 2 == 0:
        return _whole_arrows(str(sentence))
    return Markup("").join(Markup("<code>{}</code>" if index % 2 else "{}").format(_whole_arrows(part)) for index, part in enumerate(parts))


def _whole_arrows(text: str) -> Markup:
    """Browsers break a line inside `pool->lock` between the two characters of the arrow."""
    return Markup('<span class="arrow">-&gt;</span><wbr>').join(Markup("{}").format(part) for part in text.split("->"))


def _printed(data: bytes) -> str:
    text = without_escapes(data[-_OUTPUT:].decode("utf-8", "replace"))
    return "\n".join(map(printable, text.split("\n")))
