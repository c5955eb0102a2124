"""A line of a report as styled pieces, so that the same report goes to a file, a pipe and a terminal.

Invariant: styles add nothing to the text; `plain` and `coloured` differ in escape sequences only.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Sequence
from typing import NamedTuple

STYLES = {"bad": "bold red", "heading": "bold", "thread": "cyan", "place": "green", "faint": "dim", "switch": "yellow"}


_LEAST_PIECE = 8


class TextSpan(NamedTuple):
    text: str
    style: str = ""  # a key of STYLES


Line = Sequence[TextSpan]


def plain(lines: Sequence[Line]) -> str:
    return "".join("".join(span.text for span in line).rstrip() + "\n" for line in lines)


def coloured(lines: Sequence[Line]) -> str:
    from rich.console import Console  # for terminals only: a tenth of the start of the tool
    from rich.text import Text

    out = io.StringIO()
    console = Console(file=out, force_terminal=True, color_system="standard", width=10_000, highlight=False, markup=False, emoji=False)
    for line in lines:
        console.print(Text.assemble(*((span.text, STYLES.get(span.style, "")) for span in line)), soft_wrap=True)
    return out.getvalue()


_ASCII = str.maketrans("…→─●·", "~>-*.")


def in_ascii(text: str) -> str:
    """For a terminal or log that knows nothing else; every line keeps its length."""
    return text.translate(_ASCII).encode("ascii", "replace").decode("ascii")


def clip(text: str, width: int) -> str:
    """At most `width` characters, the cut marked."""
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


def fitted(spans: Sequence[TextSpan], width: int) -> list[TextSpan]:
    """The pieces up to a width; a last piece of which hardly anything would be left is dropped."""
    result: list[TextSpan] = []
    for span in spans:
        room = width - sum(len(piece.text) for piece in result)
        if len(span.text.rstrip()) <= room:
            result.append(TextSpan(span.text[:room], span.style))
        else:
            if room >= _LEAST_PIECE:
                result.append(TextSpan(clip(span.text, room), span.style))
            break
    return result


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent=indent, break_on_hyphens=False) or [""]
