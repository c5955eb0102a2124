"""What the test frameworks print when a check fails: compiles the programs here, runs each of their tests and writes recorded/*.txt.

`python -m tests.golden.frameworks.record` records anew; with `check` it compares instead, with those frameworks that are installed.
The tests read what was recorded: compiling it takes a minute of processor time.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
RECORDED = HERE / "recorded"
_PAUSE = 300.0
_CHANGING = (
    (re.compile(r"\b\d+ ms\b"), "0 ms"),
    (re.compile(r"(finished in|thread '\S+' \()[\d.]+"), r"\g<1>0"),
    (re.compile(r"0x[0-9a-f]+|random seed: \S+"), "0x0"),
)


@dataclass(frozen=True, slots=True)
class Framework:
    source: str
    compile: str  # for the shell; the source is the first word after it
    tests: tuple[str, ...]
    select: str = "{}"  # the arguments that run one test

    @property
    def name(self) -> str:
        return Path(self.source).stem


FRAMEWORKS = (
    Framework(
        "googletest.cpp",
        "g++ -g {} -o program -lgtest -lgtest_main -pthread",
        ("Equal", "EqualToVariable", "AtMost", "Text", "Throws", "Uncaught", "Fails", "Near", "False", "Traced"),
        "--gtest_filter=A.{}",
    ),
    Framework("catch2.cpp", "g++ -g {} -o program", ("equal", "uncaught", "fails", "false", "throws", "Scenario: sections")),
    Framework("doctest.cpp", "g++ -g {} -o program", ("equal", "uncaught", "fails", "false", "binary", "message", "throws"), "-tc={}"),
    Framework(
        "boost_test.cpp", "g++ -g {} -o program", ("equal", "required", "uncaught", "check_equal", "fails", "in_context"), "--run_test=s/{}"
    ),
    Framework("libcheck.c", "gcc -g {} -o program $(pkg-config --cflags --libs check) -pthread", ("1", "2", "3", "4")),
    Framework("glib.c", "gcc -g {} -o program $(pkg-config --cflags --libs glib-2.0)", ("/s/equal", "/s/plain"), "-p={}"),
    Framework("rust.rs", "rustc --test -g {} -o program", ("equal", "message", "truth", "thread", "error", "panics")),
    Framework("python.script", "printf '#!/bin/sh\\nexec python3 %s\\n' {} > program && chmod +x program", ("",)),
)


def outputs(framework: Framework) -> Iterator[tuple[str, str]]:
    """Each test, and what it printed."""
    with tempfile.TemporaryDirectory() as place:
        command = framework.compile.format(framework.source)
        (Path(place) / framework.source).write_bytes((HERE / framework.source).read_bytes())
        subprocess.run(command, shell=True, cwd=place, check=True, timeout=_PAUSE, stderr=subprocess.DEVNULL)
        environment = {**os.environ, "RUST_BACKTRACE": "0", "LC_ALL": "C"}
        for test in framework.tests:
            words = [f"{place}/program", *filter(None, (framework.select.format(test),))]
            words = [words[0], "-p", test] if framework.select.startswith("-p=") else words
            run = subprocess.run(words, cwd=place, env=environment, capture_output=True, timeout=_PAUSE)
            assert run.returncode != 0, f"{framework.name}: {test} does not fail"
            yield test, _lasting((run.stdout + run.stderr).decode().replace(f"{place}/", ""))


def _lasting(text: str) -> str:
    for pattern, replacement in _CHANGING:
        text = pattern.sub(replacement, text)
    return text


def recording(framework: Framework) -> str:
    return "".join(f"%%%% {test}\n{text.rstrip()}\n" for test, text in outputs(framework))


def main(words: list[str]) -> int:
    RECORDED.mkdir(exist_ok=True)
    differ = 0
    for framework in FRAMEWORKS:
        try:
            text = recording(framework)
        except subprocess.CalledProcessError:
            print(f"{framework.name}: cannot be compiled here")
            continue
        file = RECORDED / f"{framework.name}.txt"
        if words == ["check"]:
            same = file.read_text() == text
            differ += not same
            print(f"{framework.name}: {'as recorded' if same else 'DIFFERS'}")
        else:
            file.write_text(text)
    return min(differ, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
