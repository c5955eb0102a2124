"""The package: everything about it stands in pyproject.toml, except how its native half is built (scripts/native_build.py)."""

import sys
import sysconfig
from distutils.command.build_scripts import build_scripts  # setuptools' own copy, on every Python
from pathlib import Path

from setuptools import Command, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "scripts"))
from link_checkout import front  # noqa: E402 # a build backend does not look beside setup.py
from native_build import build_into  # noqa: E402


class build_native(Command):
    description = "build libbpor.so and bpor-launch from csrc/"
    user_options = [("inplace", "i", "into bpor/_native of the source tree"), ("werror", None, "a warning is an error")]  # noqa: RUF012
    boolean_options = ["inplace", "werror"]  # noqa: RUF012

    def initialize_options(self) -> None:
        self.inplace = False
        self.werror = False
        self.build_lib = ""

    def finalize_options(self) -> None:
        self.build_lib = self.get_finalized_command("build_py").build_lib

    def run(self) -> None:
        base = ROOT if self.inplace else Path(self.build_lib).resolve()
        build_into(base / "bpor" / "_native", self.werror)


class build_with_native(build_py):
    def run(self) -> None:
        super().run()
        command = self.get_finalized_command("build_native")
        assert isinstance(command, build_native)
        command.inplace = self.editable_mode
        command.run()


class build_front(build_scripts):
    """scripts/bpor-native finds the package beside itself; that of an editable install lies elsewhere, and is told here."""

    editable_mode = False

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            command = Path(self.build_dir, "bpor-native")
            command.write_text(front(command.read_text()))


class platform_wheel(bdist_wheel):
    """Native files, but nothing of CPython's ABI: one wheel for every Python 3."""

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", sysconfig.get_platform().replace("-", "_").replace(".", "_")


class NativeDistribution(Distribution):
    def has_ext_modules(self) -> bool:
        return True  # so that the wheel is not called pure


if __name__ == "__main__":
    setup(
        distclass=NativeDistribution,
        cmdclass={
            "build_native": build_native,
            "build_py": build_with_native,
            "build_scripts": build_front,
            "bdist_wheel": platform_wheel,
        },
    )
