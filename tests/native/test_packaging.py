"""The package as a stranger gets it: sdist, a wheel built from that sdist, an empty environment, another directory."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from bpor.platform_support import GLIBC
from bpor.version import VERSION
from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow


def run(*command: str | Path, directory: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    settings = {**os.environ, **environment}
    settings.pop("PYTHONPATH", None)
    return subprocess.run([str(word) for word in command], cwd=directory, env=settings, capture_output=True, text=True, timeout=PATIENCE)


def sources() -> list[str]:
    """What a clone holds; in an unpacked sdist, everything."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0:
        return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]
    return [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file() and "_native" not in path.parts]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the sdist and the wheel that was built from it."""
    clone = tmp_path_factory.mktemp("clone")
    for name in sources():
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, clone / name)
    # Half of the time, the same package; warnings that only come without optimisation are no errors.
    made = run(sys.executable, "-m", "build", "--no-isolation", directory=clone, CFLAGS="-O0 -g0", BPOR_WERROR="")
    assert made.returncode == 0, made.stdout + made.stderr
    return clone / "dist"


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with nothing but the wheel and what its metadata asks for."""
    venv = tmp_path_factory.mktemp("empty") / "virtual environment"
    assert run(sys.executable, "-m", "venv", "--without-pip", venv, directory=built).returncode == 0
    (wheel,) = built.glob("*.whl")
    pip = run(sys.executable, "-m", "pip", "--python", venv / "bin/python", "install", "--no-index", "--no-deps", wheel, directory=built)
    assert pip.returncode == 0, pip.stderr
    (site,) = (venv / "lib").glob("python*/site-packages")
    (metadata,) = site.glob("bpor_native-*.dist-info")
    copy_requirements(importlib.metadata.Distribution.at(metadata), site, set())
    return venv


def copy_requirements(distribution: importlib.metadata.Distribution, site: Path, done: set[str]) -> None:
    """From this environment, because a test must not need the network."""
    for requirement in distribution.requires or []:
        name, _, marker = requirement.partition(";")
        name = re.split(r"[^\w.-]", name.strip())[0]
        if "extra" in marker or name in done:
            continue
        done.add(name)
        try:
            wanted = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # a marker excludes it here
        for file in wanted.files or []:
            if ".." not in file.parts and "__pycache__" not in file.parts:
                (site / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(str(file.locate()), site / file)
        copy_requirements(wanted, site, done)


def test_the_wheel_is_for_this_platform_and_every_python_3(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    assert wheel.name == f"bpor_native-{VERSION}-py3-none-linux_x86_64.whl"


def test_the_wheel_needs_no_newer_libc_than_the_tool_says(built: Path) -> None:
    """What `make wheel` does with it."""
    (wheel,) = built.glob("*.whl")
    tag = "manylinux_{}_{}_x86_64".format(*GLIBC)
    assert tag in (ROOT / "Makefile").read_text()
    words = ["-m", "auditwheel", "repair", "--plat", tag, "--only-plat", "--wheel-dir", "audited", wheel]
    audited = run(sys.executable, *words, directory=built, PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    assert audited.returncode == 0, audited.stderr
    assert [path.name for path in (built / "audited").iterdir()] == [f"bpor_native-{VERSION}-py3-none-{tag}.whl"]


def test_the_wheel_holds_the_native_half_the_schema_and_the_licence(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    for name in ("bpor/_native/libbpor.so", "bpor/_native/bpor-launch", "bpor/report/schema/result-1.json", "bpor/py.typed"):
        assert name in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not any(name.startswith(("tests", "csrc", "native_tests")) for name in names)


def test_the_sdist_holds_the_c_sources_and_nothing_built(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = [name.split("/", 1)[1] for name in archive.getnames() if "/" in name]
    assert {"csrc/protocol/ops.def", "csrc/protocol/protocol.h", "scripts/bpor-native", "setup.py", "LICENSE", "CHANGELOG.md"} <= set(names)
    assert {"docs/tutorial.md", "docs/verdicts/pass.md", "examples/c/queue.h", "CONTRIBUTING.md", "mkdocs.yml"} <= set(names)
    assert not any(name.endswith((".so", ".o")) or "_native/" in name for name in names)


def test_the_installed_tool_finds_the_demos_deadlock_from_another_directory(installed: Path, tmp_path: Path) -> None:
    source = ROOT / "native_tests/buggy/deadlock/bank.c"
    subprocess.run(["gcc", "-g", "-pthread", str(source), "-o", str(tmp_path / "bank")], check=True)
    result = run(installed / "bin/bpor-native", "./bank", "--bound", "fair:2,preemption:2", directory=tmp_path)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "SUMMARY: bpor-native: deadlock bank.c" in result.stdout


def test_the_installed_tool_is_the_one_that_was_built(installed: Path, tmp_path: Path) -> None:
    assert run(installed / "bin/bpor-native", "--version", directory=tmp_path).stdout == f"bpor-native {VERSION}\n"
    where = run(installed / "bin/python", "-c", "import bpor; print(bpor.__file__)", directory=tmp_path).stdout
    assert Path(where).is_relative_to(installed)


def test_the_manual_page_is_installed_where_man_looks_beside_the_command(installed: Path) -> None:
    assert (installed / "share/man/man1/bpor-native.1").read_text() == (ROOT / "docs/bpor-native.1").read_text()


def compiles_without_python(bpor_native: Path, directory: Path) -> bool:
    """With this variable no interpreter starts: what works then is not Python's."""
    (directory / "one.c").write_text("int main(void) { return 0; }\n")
    made = run(bpor_native, "cc", "one.c", "-o", "one", directory=directory, PYTHONHOME="/nonexistent")
    return made.returncode == 0 and b"bpor-native" in (directory / "one").read_bytes()


def test_the_installed_command_compiles_without_a_start_of_python(installed: Path, tmp_path: Path) -> None:
    assert compiles_without_python(installed / "bin/bpor-native", tmp_path)


def test_the_installed_command_compiles_through_a_link_and_after_a_move(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(installed / "bin/bpor-native")
    assert compiles_without_python(tmp_path / "link", tmp_path)
    moved = installed.rename(installed.with_name("moved"))
    try:
        assert compiles_without_python(moved / "bin/bpor-native", tmp_path)
    finally:
        moved.rename(installed)


def test_where_the_package_lies_elsewhere_the_command_compiles_through_python(installed: Path, tmp_path: Path) -> None:
    (bin_only := tmp_path / "elsewhere" / "bin").mkdir(parents=True)
    for name in ("bpor-native", "bpor-native-python"):
        shutil.copy2(installed / "bin" / name, bin_only / name)
    assert not compiles_without_python(bin_only / "bpor-native", tmp_path)
    assert run(bin_only / "bpor-native", "cc", "one.c", "-o", "one", directory=tmp_path).returncode == 0


def test_without_a_compiler_the_build_says_what_to_install(tmp_path: Path) -> None:
    failed = run(sys.executable, ROOT / "setup.py", "-q", "build_native", directory=tmp_path, CC="no-such-compiler")
    assert failed.returncode != 0
    assert "install gcc" in failed.stderr
