"""The pages of the repository, laid out as they lie in it, for mkdocs: `python scripts/site_source.py DIRECTORY`.

The front page begins with a real failure of googletest, then the README. A link to a file that is no page (a source, a
template) becomes plain code.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "csrc/README.md", "tests/README.md", "docs/**/*.md", "examples/**/README.md")
IMAGES = ("docs/**/*.svg", "docs/**/*.png")
FRONT = ROOT / "docs" / "site" / "index.md"
_LINK = re.compile(r"(?<!!)\[([^\]\n]+)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def main(there: Path) -> None:
    shutil.rmtree(there, ignore_errors=True)
    pages = {path for pattern in PAGES for path in ROOT.glob(pattern) if path.parent != FRONT.parent}
    for page in sorted(pages):
        name = page.relative_to(ROOT)
        target = there / ("index.md" if str(name) == "README.md" else name)
        target.parent.mkdir(parents=True, exist_ok=True)
        front = _linked(FRONT, pages, ROOT) + "\n" if page == ROOT / "README.md" else ""
        target.write_text(front + _linked(page, pages, page.parent))
    for image in (path for pattern in IMAGES for path in ROOT.glob(pattern)):
        target = there / image.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(image, target)


def _linked(page: Path, pages: set[Path], place: Path) -> str:
    """`place`: where the page lies in the site."""
    text = page.read_text()
    if page == ROOT / "README.md":
        text = text.partition("\n")[2]  # the front page has the title

    def one(match: re.Match[str]) -> str:
        words, target, anchor = match[1], match[2], match[3] or ""
        if "://" in target:
            return match[0]
        path = Path(os.path.normpath(page.parent / target))
        if path.is_dir() and path / "README.md" in pages:
            path = path / "README.md"
        if path in pages:
            there = ROOT / "index.md" if path == ROOT / "README.md" else path
            return f"[{words}]({os.path.relpath(there, place)}{anchor})"
        if not path.exists():
            raise SystemExit(f"site: {page.relative_to(ROOT)} links to {target}, which is not there")
        return words if words.startswith("`") else f"`{words}`"

    return _LINK.sub(one, text)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
