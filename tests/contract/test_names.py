"""A class has a name of its own, so that a reader knows which one is meant. `python -m tests.contract.test_names` lists the others."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def twins(package: Path) -> dict[str, list[str]]:
    """Every name of a class that is defined more than once, and where."""
    places: dict[str, list[str]] = defaultdict(list)
    for path in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(package.parent)}:{node.lineno}")
    return {name: where for name, where in places.items() if len(where) > 1}


def test_no_two_classes_have_one_name() -> None:
    assert twins(ROOT / "bpor") == {}


def test_twins_are_seen(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    for name in ("one", "other"):
        (package / f"{name}.py").write_text("class Site:\n    pass\n")
    assert twins(package) == {"Site": ["package/one.py:1", "package/other.py:1"]}


if __name__ == "__main__":
    for name, where in twins(ROOT / "bpor").items():
        print(name, *where)
