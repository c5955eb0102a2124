"""The documentation as a site: every link of every page leads somewhere, and every page is in the menu. mkdocs itself is `make site`'s."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_link_leads_somewhere_and_every_page_is_in_the_menu(tmp_path: Path) -> None:
    runpy.run_path(str(ROOT / "scripts/site_source.py"))["main"](tmp_path)
    pages = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.md")}
    menu = re.findall(r"(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    assert sorted(menu) == sorted(pages)
    for page in pages:
        text = re.sub(r"^```.*?^```$", "", (tmp_path / page).read_text(), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s:]+)(?:#[^)]*)?\)", text):
            assert (tmp_path / page).parent.joinpath(target).exists(), f"{page}: {target}"
