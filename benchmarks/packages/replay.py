"""Does every replay line of docs/packages.md repeat what stands above it, with the tool as it is now?

    python -m benchmarks.packages.replay [PACKAGE ...]

The tests are those of the page, letter by letter; packages are built if need be. Prints a line for each, and exits with 1 if one does not
repeat.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.packages.survey import PAGE, PLACE, PLUGINS, SUBJECTS, build, environment, sentence, written

EXAMPLE = re.compile(
    r"^`(?P<file>\w+)_example\.py`:\n\n```python\n(?P<test>.*?)```\n\n```text\n(?P<says>.*?)\nreplay: pytest \S+ '(?P<replay>\S+)'\n```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Shown:
    """An example of the page."""

    stem: str
    test: str
    says: str
    replay: str


def main() -> None:
    words = sys.argv[1:]
    PLACE.mkdir(parents=True, exist_ok=True)
    failed = 0
    for example in shown(PAGE.read_text()):
        subject = next(one for one in SUBJECTS if one.stem == example.stem)
        if words and subject.package not in words:
            continue
        build(subject)
        tests = written(f"{example.stem}_example.py", example.test)
        command = [sys.executable, "-m", "pytest", "-q", *PLUGINS, tests.name, example.replay]
        said = subprocess.run(command, cwd=tests.parent, env=environment(subject), capture_output=True, text=True).stdout
        repeats = sentence(said) == example.says
        failed += not repeats
        print(f"{subject.package} {subject.version}: {'repeats' if repeats else f'DIFFERS: {sentence(said)}'}", flush=True)
    print(f"{failed} differ")
    raise SystemExit(failed > 0)


def shown(text: str) -> Iterator[Shown]:
    for found in EXAMPLE.finditer(text):
        yield Shown(found["file"], found["test"], found["says"], found["replay"])


if __name__ == "__main__":
    main()
