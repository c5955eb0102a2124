"""`make demo` leaves the commands in an environment without an editable install: they have to be those of this checkout."""

import os
import runpy
import subprocess
import sysconfig
import venv
from pathlib import Path

from bpor.version import VERSION

ROOT = Path(__file__).resolve().parents[2]


def test_the_commands_of_a_linked_environment_are_those_of_the_checkout(tmp_path: Path) -> None:
    environment = tmp_path / "an environment"
    venv.create(environment, symlinks=True)
    runpy.run_path(str(ROOT / "scripts/link_checkout.py"))["link"](environment)
    packages = environment.glob("lib/python3*/site-packages")
    next(packages).joinpath("dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    command = environment / "bin" / "bpor-native"
    plain = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    answer = subprocess.run([command, "--version"], capture_output=True, text=True, env=plain, cwd=tmp_path)
    assert (answer.returncode, answer.stderr) == (0, "") and VERSION in answer.stdout
    (tmp_path / "one.c").write_text("int one = 1;\n")
    subprocess.run([command, "cc", "-c", "one.c"], check=True, env=plain, cwd=tmp_path)
    assert (tmp_path / "one.o").exists()
