"""The examples of native_tests/extensions in free-threaded interpreters and in the simulation of one, side by side:

    python benchmarks/free_threaded.py PYTHON3.13T [PYTHON3.14T ...]

Each interpreter needs pytest, setuptools, Cython and what bpor-native itself needs (`make free-threaded` sees to it). Prints a table in
Markdown: what each test of the examples found, with its bug and fixed. Exits with 1 if two interpreters differ.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "native_tests" / "extensions"
VARIANTS = {"buggy": [], "fixed": ["--define", "FIXED"]}
Endings = dict[tuple[str, str], str]


def main() -> int:
    interpreters = sys.argv[1:]
    if not interpreters:
        print(__doc__, file=sys.stderr)
        return 2
    columns = {"simulated": endings(sys.executable)}
    columns |= {version_of(interpreter): endings(interpreter) for interpreter in interpreters}
    print("| " + " | ".join(["test", "variant", *columns]) + " |")
    print("|---" * (2 + len(columns)) + "|")
    differing = 0
    for test, variant in columns["simulated"]:
        found = [column.get((test, variant), "not run") for column in columns.values()]
        differing += len(set(found)) > 1
        print("| " + " | ".join([test, variant, *found]) + " |")
    print(f"\n{len(columns['simulated'])} endings, {differing} differ")
    return bool(differing)


def version_of(interpreter: str) -> str:
    code = "import sysconfig; print(sysconfig.get_python_version() + 't')"
    return subprocess.run([interpreter, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def endings(interpreter: str) -> Endings:
    """Of all tests, without a GIL, in both variants."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        return {
            (test, variant): found
            for variant, words in VARIANTS.items()
            for test, found in explored(interpreter, built(interpreter, place / variant, words), place / f"{variant}.xml").items()
        }


def environment(modules: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{ROOT}:{modules}", "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def built(interpreter: str, modules: Path, words: list[str]) -> Path:
    sources = modules.with_name(f"{modules.name}-sources")
    subprocess.run(["cp", "-r", EXAMPLES, sources], check=True)
    command = [interpreter, "setup.py", "--quiet", "build_ext", "--build-lib", modules, *words]
    told = {**environment(modules), "CFLAGS": "-D_CFFI_NO_LIMITED_API"}  # which 3.13 does not have without the GIL
    subprocess.run([sys.executable, "-m", "bpor", "build", *command], check=True, cwd=sources, env=told)
    return modules


def explored(interpreter: str, modules: Path, report: Path) -> dict[str, str]:
    options = ["-q", "-p", "bpor.pytest_plugin", "-p", "no:cacheprovider", "--rootdir", EXAMPLES, "--bpor", "--bpor-gil=off"]
    command = [interpreter, "-m", "pytest", *options, "--junitxml", report, "."]
    said = subprocess.run(command, cwd=EXAMPLES, env=environment(modules), capture_output=True, text=True)
    if not report.exists():
        raise SystemExit(f"{interpreter} ran nothing:\n{said.stdout}{said.stderr}")
    return dict(ending(case) for case in ElementTree.parse(report).getroot().iter("testcase"))


def ending(case: ElementTree.Element) -> tuple[str, str]:
    told = {item.get("name", ""): item.get("value", "") for item in case.iter("property")}
    name = f"{case.get('classname', '').split('.')[0]}: {case.get('name', '').removeprefix('test_')}"
    return name, told.get("bpor_finding", told.get("bpor_verdict", "nothing told"))


if __name__ == "__main__":
    raise SystemExit(main())
