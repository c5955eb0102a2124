"""A directory with a suite: programs from native_tests/, a bpor.toml, and the tool run in it as a CI job would."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from tests.native.compiled import PROGRAMS, compiled
from tests.native.tool import TIMEOUT, Run, run_command
from tests.patience import PATIENCE

# More schedules than any test here has time for.
LONG = """
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *unused)
{
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    return unused;
}
int main(void)
{
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
"""


class Workshop:
    def __init__(self, directory: Path) -> None:
        self.path = directory

    def program(self, source: str, name: str = "", *flags: str) -> str:
        """A program of native_tests/, copied here."""
        name = name or Path(source).stem
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(compiled(PROGRAMS / source, flags), self.path / name)
        return name

    def source(self, text: str, name: str, *flags: str) -> str:
        """A program of its own, from a source file that stays here."""
        source = self.path / f"{name}.c"
        source.write_text(text)
        subprocess.run(["gcc", "-g", "-pthread", "-o", str(self.path / name), str(source), *flags], check=True, timeout=PATIENCE)
        return name

    def config(self, text: str) -> None:
        (self.path / "bpor.toml").write_text(text)

    def suite(self, *arguments: str, timeout: float = TIMEOUT, **variables: str) -> Run:
        return self.tool("suite", *arguments, timeout=timeout, **variables)

    def tool(self, *arguments: str, timeout: float = TIMEOUT, **variables: str) -> Run:
        return run_command(*arguments, directory=self.path, timeout=timeout, **variables)

    def json(self, name: str) -> Any:
        return json.loads((self.path / name).read_text())
