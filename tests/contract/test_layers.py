"""Imports point down: {protocol, engine} < model < {search, simulate, target} < report < {confirmation, store} < api < extension < cli."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "bpor"
# What each part may import besides itself. errors, knobs, lazy_dataclass, native_parts, settings, version and platform_support are open to
# everyone.
TARGETS = {"target_options", "native_target", "python_target"}
BELOW = {
    "protocol": set(),
    "model": {"protocol"},
    "engine": set(),
    "search": {"protocol", "model", "engine"},
    "simulate": {"protocol", "model"},
    "target": {"protocol", "model"},
    "machine": {"target"},
    "report": {"protocol", "model", "search", "simulate", "target"},
    "confirmation": {"protocol", "model", "search", "target", "report"},
    "store": {"protocol", "model", "search", "target", "report"},
    "race_orders": {"protocol", "model", "report", "confirmation"},
    "visible_races": {"model", "search"},
    "racing_sites": {"model", "visible_races"},
    "combinations": {"search"},
    "loaded_code": {"model", "search"},
    "suppressing": {"protocol", "model", "search", "target", "report", "confirmation"},
    "searching": {
        "protocol",
        "model",
        "search",
        "target",
        "report",
        "confirmation",
        "suppressing",
        "visible_races",
        "racing_sites",
        "combinations",
    },
    "target_options": {"model", "target"},
    "python_target": {"model", "target", "report", "confirmation"},
    "native_target": {"model", "search", "target", "machine", "report", "confirmation", "target_options", "python_target"},
    "replaying": {"model", "search", "report", "confirmation"},
    "checking": {"model", "search", "target", "report", "confirmation", "combinations", "searching", "replaying"},
    "api": {"model", "search", "target", "report", "race_orders", "store"} | TARGETS | {"checking", "loaded_code", "replaying"},
    "suite": {"protocol", "model", "search", "target", "report", "store", "api"},
    "mutate": {"protocol", "model", "search", "target", "report", "store", "native_target", "api"},
    "cluster": {"protocol", "model", "search", "target", "native_target", "checking", "api"},
    "self_check": {"protocol", "model", "search", "target", "report"},
    "extension": {"protocol", "model", "search", "target", "machine", "report", "confirmation", "checking", "replaying", "api"} | TARGETS,
    "pytest_plugin": {"extension"},
    "cli": {"protocol", "model", "search", "target", "report", "store", "api", "suite", "mutate", "self_check", "extension", "cluster"}
    | {"checking"}
    | TARGETS,
    "__main__": {"cli"},
    "errors": set(),
    "knobs": set(),
    "lazy_dataclass": set(),
    "settings": set(),
    "version": set(),
    "platform_support": set(),
    "native_parts": set(),
}
OPEN = {"errors", "knobs", "lazy_dataclass", "native_parts", "settings", "version", "platform_support"}


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_parts(source: str) -> set[str]:
    """The parts of bpor that a file imports, wherever in it."""
    parts = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the layer"
            names = [f"bpor.{alias.name}" for alias in node.names] if node.module == "bpor" else [node.module or ""]
        else:
            continue
        parts |= {name.split(".")[1] for name in names if name.startswith("bpor.")}
    return parts


FILES = sorted(path for path in PACKAGE.rglob("*.py") if path.name != "__init__.py" or path.parent != PACKAGE)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_down(path: Path) -> None:
    part = part_of(path)
    assert part in BELOW, f"{part} has no layer: give it a row in BELOW"
    assert imported_parts(path.read_text()) - {part} - OPEN <= BELOW[part]


def test_an_upward_import_is_noticed_wherever_it_stands() -> None:
    assert imported_parts("def f():\n    from bpor.target.launch import x\n") == {"target"}
    assert imported_parts("import bpor.api as a") == {"api"}
    assert imported_parts("from bpor import search") == {"search"}
