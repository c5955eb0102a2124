"""scripts/native_build.py names the files that are compiled as one, and what a quick build makes: names have to be those of today."""

import importlib
import runpy
from pathlib import Path

import pytest

from bpor import native_parts
from bpor.target.workspace import _PRELOADED

ROOT = Path(__file__).resolve().parents[2]


def test_every_joined_file_is_there() -> None:
    joined: dict[str, tuple[str, ...]] = runpy.run_path(str(ROOT / "scripts/native_build.py"))["JOINED"]
    files = [ROOT / "csrc" / room / f"{name}.c" for room, groups in joined.items() for group in groups for name in group.split()]
    assert [file for file in files if not file.exists()] == []
    assert len(set(files)) == len(files), "a file is in two groups"


def test_a_quick_build_makes_all_that_running_a_program_takes_and_nothing_that_marks_a_whole_one() -> None:
    recipe = runpy.run_path(str(ROOT / "scripts/native_build.py"))
    quick = set(recipe["QUICK"])
    assert {"bpor-launch", "libbpor-decode.so", *_PRELOADED} <= quick < set(recipe["PRODUCTS"])
    assert recipe["LAST_OF_THE_WHOLE"] in set(recipe["PRODUCTS"]) - quick


def test_a_quick_build_where_the_whole_was_built_is_no_step_back(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    recipe = importlib.import_module("native_build")
    asked: list[bool] = []
    monkeypatch.setattr(recipe.Builder, "build", lambda builder, _: asked.append(builder.quick))
    recipe.build_into(tmp_path, quick=True)
    (tmp_path / "instrument").mkdir()
    (tmp_path / "instrument" / "libtsan.a").touch()
    recipe.build_into(tmp_path, quick=True)
    assert asked == [True, False]


def test_a_part_that_a_quick_build_left_out_is_built_by_its_first_use(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = tmp_path / "recipe.py"
    recipe.write_text(f"import pathlib; pathlib.Path({str(tmp_path)!r}, 'bpor-cc').touch()\n")
    monkeypatch.setattr(native_parts, "NATIVE", tmp_path)
    monkeypatch.setattr(native_parts, "_RECIPE", recipe)
    assert native_parts.part("bpor-cc").exists()
    assert "bpor-cc is not built yet" in capsys.readouterr().err
    native_parts.part("bpor-cc")
    assert capsys.readouterr().err == ""
