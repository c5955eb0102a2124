"""Builds every example of this directory. `build_ext --define FIXED` makes the variants without the bug; the modules' names are the same.

    bpor-native build python setup.py build_ext --build-lib buggy
    bpor-native build python setup.py build_ext --build-lib fixed --build-temp other --define FIXED
"""

from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

FLAGS = ["-O1", "-Wall", "-Wextra", "-Werror"]
PLAIN = [Extension(source.stem, [str(source)], extra_compile_args=FLAGS) for source in sorted(Path().glob("*/*.c"))]
CYTHON = [Extension(source.stem, [str(source)]) for source in sorted(Path().glob("*/*.pyx"))]

setup(
    name="seeded-bugs",
    ext_modules=[
        *PLAIN,
        *cythonize(CYTHON, build_dir="generated", emit_linenums=True, quiet=True),  # reports name lines of the .pyx
    ],
    cffi_modules=["cffi_account/build.py:builder"],
)
