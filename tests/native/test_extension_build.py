"""`bpor-native build` for Python's build systems: the extension is instrumented, and loads into an interpreter that knows nothing of it."""

from __future__ import annotations

import io
import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path

import pytest

from bpor.target.elf import read_elf
from tests.native.compiled import NATIVE, ROOT
from tests.native.extension_modules import built_examples, run, stock_interpreters
from tests.native.tool import command, environment
from tests.native.two_adders import clean_environment
from tests.patience import PATIENCE

pytestmark = pytest.mark.needs("gcc", "Python.h")

SPAM = """
#include <Python.h>
#include <stdatomic.h>
#include <string.h>
static atomic_int calls;
static char last[16];
static PyObject *spam(PyObject *self, PyObject *argument)
{
    Py_ssize_t length = PyBytes_Size(argument);
    memcpy(last, PyBytes_AsString(argument), length < 16 ? length : 16);
    return PyLong_FromLong(atomic_fetch_add(&calls, 1) + (self == NULL));
}
static PyMethodDef methods[] = {{"spam", spam, METH_O, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "spam", NULL, -1, methods, NULL, NULL, NULL, NULL};
PyMODINIT_FUNC PyInit_spam(void) { return PyModule_Create(&definition); }
"""
SETUP = """
from setuptools import Extension, setup
setup(name="spam", version="1", ext_modules=[Extension("spam", ["spam.c"])], py_modules=[])
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "spam.c").write_text(SPAM)
    (tmp_path / "setup.py").write_text(SETUP)
    return tmp_path


def build(directory: Path, *words: str | Path, **variables: str) -> None:
    run(directory, *command("build", *words), **variables)


def pip_install(directory: Path, *words: str) -> None:
    """Into a place of its own, without the network."""
    build(directory, sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--prefix", directory / "installed", *words)


def the_module(directory: Path) -> Path:
    [module] = directory.rglob("spam*.so")
    return module


def assert_works(module: Path, interpreter: Path = Path(sys.executable)) -> None:
    """In a stock interpreter, without the tool: it counts its calls."""
    program = f"import sys; sys.path.insert(0, {str(module.parent)!r}); import spam; print([spam.spam(b'x') for _ in range(3)])"
    result = subprocess.run([interpreter, "-I", "-c", program], env=clean_environment(), capture_output=True, text=True)
    assert result.stdout == "[0, 1, 2]\n", result.stderr


def doctor(module: Path) -> tuple[int, str]:
    result = subprocess.run(command("doctor", module), capture_output=True, text=True, cwd=ROOT)
    return result.returncode, result.stdout.splitlines()[-1]


def assert_instrumented(module: Path) -> None:
    elf = read_elf(str(module))
    assert elf is not None
    assert (elf.instrumented, elf.silent_units) == (True, ()), module
    assert not any("tsan" in name for name in elf.needed)
    assert str(ROOT) not in str(elf.needed)


# ---- build systems ----


def test_setuptools_in_place(project: Path) -> None:
    build(project, sys.executable, "setup.py", "--quiet", "build_ext", "--inplace")
    assert_instrumented(the_module(project / "build"))
    assert_works(next(project.glob("spam*.so")))
    assert doctor(next(project.glob("spam*.so"))) == (0, "doctor: instrumented")


def test_an_editable_install(project: Path) -> None:
    pip_install(project, "--no-build-isolation", "--editable", ".")
    assert_instrumented(next(project.glob("spam*.so")))
    assert_works(next(project.glob("spam*.so")))


IN_TREE = """
import os, shlex, subprocess, sysconfig, zipfile
def build_wheel(directory, settings=None, metadata=None):
    module = "spam" + sysconfig.get_config_var("EXT_SUFFIX")
    compiler = shlex.split(os.environ["CC"])
    subprocess.check_call([*compiler, "-shared", "-fPIC", "-I" + sysconfig.get_path("include"), "spam.c", "-o", module])
    with zipfile.ZipFile(os.path.join(directory, "spam-1-py3-none-any.whl"), "w") as wheel:
        wheel.write(module)
        wheel.writestr("spam-1.dist-info/METADATA", "Metadata-Version: 2.1\\nName: spam\\nVersion: 1\\n")
        wheel.writestr("spam-1.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: false\\nTag: py3-none-any\\n")
        wheel.writestr("spam-1.dist-info/RECORD", "")
    return "spam-1-py3-none-any.whl"
"""


def test_an_isolated_build_of_an_sdist_is_instrumented_and_not_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The backend lies in the sdist and needs nothing else, so that isolation needs no network. pip keeps wheels of sdists: see the
    last line with `build` left out."""
    backend = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    metadata = "Metadata-Version: 2.1\nName: spam\nVersion: 1\n"
    with tarfile.open(tmp_path / "spam-1.tar.gz", "w:gz") as sdist:
        for name, text in {"spam.c": SPAM, "backend.py": IN_TREE, "pyproject.toml": backend, "PKG-INFO": metadata}.items():
            member = tarfile.TarInfo(f"spam-1/{name}")
            member.size = len(text)
            sdist.addfile(member, io.BytesIO(text.encode()))
    monkeypatch.setenv("PIP_CACHE_DIR", str(tmp_path / "cache"))
    pip_install(tmp_path, "--find-links", str(tmp_path), "spam")
    assert_instrumented(the_module(tmp_path / "installed"))
    assert_works(the_module(tmp_path / "installed"))
    assert list((tmp_path / "cache").rglob("*.whl")) == []


def assert_builds(project: Path) -> None:
    """By the build system that its pyproject.toml names, from this environment."""
    pip_install(project, "--no-build-isolation", ".")
    assert_instrumented(the_module(project / "installed"))
    assert_works(the_module(project / "installed"))


@pytest.mark.slow
def test_scikit_build_core(project: Path) -> None:
    (project / "setup.py").unlink()
    (project / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["scikit-build-core"]\nbuild-backend = "scikit_build_core.build"\n'
        '[project]\nname = "spam"\nversion = "1"\n'
    )
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.18)\nproject(spam LANGUAGES C)\nfind_package(Python REQUIRED COMPONENTS Development.Module)\n"
        "Python_add_library(spam MODULE spam.c WITH_SOABI)\ninstall(TARGETS spam DESTINATION .)\n"
    )
    assert_builds(project)


@pytest.mark.slow
def test_meson_python(project: Path) -> None:
    (project / "setup.py").unlink()
    (project / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["meson-python"]\nbuild-backend = "mesonpy"\n[project]\nname = "spam"\nversion = "1"\n'
    )
    (project / "meson.build").write_text(
        "project('spam', 'c', version: '1')\npython = import('python').find_installation(pure: false)\n"
        "python.extension_module('spam', 'spam.c', install: true)\n"
    )
    assert_builds(project)


@pytest.mark.needs("g++")
@pytest.mark.slow
def test_pybind11(tmp_path: Path) -> None:
    (tmp_path / "spam.cpp").write_text(
        "#include <pybind11/pybind11.h>\n#include <atomic>\nstatic std::atomic<int> calls;\n"
        'PYBIND11_MODULE(spam, module) { module.def("spam", [](pybind11::bytes) { return calls++; }); }\n'
    )
    (tmp_path / "setup.py").write_text(
        "from pybind11.setup_helpers import Pybind11Extension\nfrom setuptools import setup\n"
        "setup(name='spam', ext_modules=[Pybind11Extension('spam', ['spam.cpp'], extra_compile_args=['-O0', '-g0'])])\n"
    )
    build(tmp_path, sys.executable, "setup.py", "--quiet", "build_ext", "--build-lib", "lib")
    assert_instrumented(the_module(tmp_path))
    assert_works(the_module(tmp_path))


@pytest.mark.parametrize("name", ["cython_histogram", "cffi_account", "lost_update"])
@pytest.mark.parametrize("variant", ["buggy", "fixed"])
def test_cython_cffi_and_plain_modules_of_the_examples(name: str, variant: str) -> None:
    [module] = built_examples(variant).glob(f"{name}.*.so")
    assert_instrumented(module)


# ---- interpreters ----


@pytest.mark.parametrize("interpreter", stock_interpreters(), ids=str)
def test_a_module_loads_into_every_interpreter_of_this_machine(interpreter: Path, project: Path) -> None:
    """Compiled and linked as that interpreter's own distribution does: Debian links with -Bsymbolic-functions."""
    question = (
        "import sysconfig; get = sysconfig.get_config_var;"
        "print(get('CFLAGS'), get('CCSHARED'), '-I' + sysconfig.get_path('include')); print(get('LDSHARED')); print(get('EXT_SUFFIX'))"
    )
    compile_flags, link_line, suffix = run(project, interpreter, "-c", question).splitlines()
    compiler = NATIVE / "bpor-cc"
    run(project, "sh", "-ec", f"{compiler} {compile_flags} -c spam.c; {compiler} {link_line.split(' ', 1)[1]} spam.o -o spam{suffix}")
    assert_instrumented(the_module(project))
    assert_works(the_module(project), interpreter)


def test_the_link_line_of_debian_hides_nothing(project: Path) -> None:
    """The module asks for `bpor_attach` from outside, weakly; were it defined inside, -Bsymbolic-functions would find that one."""
    debian = "-Wl,-O1 -Wl,-Bsymbolic-functions -Wl,-z,relro"
    build(project, sys.executable, "setup.py", "--quiet", "build_ext", "--build-lib", "lib", LDFLAGS=debian)
    assert_works(the_module(project))
    symbols = subprocess.run(["nm", "--dynamic", the_module(project)], capture_output=True, text=True).stdout
    assert " w bpor_attach\n" in symbols
    assert "__tsan" not in symbols


# ---- doctor ----


def test_doctor_says_when_a_module_was_linked_from_stale_object_files(project: Path) -> None:
    """An ordinary build first; the same build with the tool finds the object files fresh."""
    include = f"-I{sysconfig.get_path('include')}"
    run(project, "gcc", "-g", "-fPIC", include, "-c", "spam.c")
    run(project, NATIVE / "bpor-cc", "-shared", "spam.o", "-o", "spam.so")
    code, verdict = doctor(project / "spam.so")
    assert (code, verdict.split(";")[0]) == (4, "doctor: not instrumented (stale object files?)")


def test_doctor_names_the_stale_ones_among_fresh_ones(project: Path) -> None:
    (project / "eggs.c").write_text("int eggs;\nint more(void);\nint more(void) { return ++eggs; }\n")
    run(project, "gcc", "-g", "-fPIC", f"-I{sysconfig.get_path('include')}", "-c", "spam.c")
    run(project, NATIVE / "bpor-cc", "-shared", "-fPIC", "spam.o", "eggs.c", "-o", "spam.so")
    assert doctor(project / "spam.so") == (0, "doctor: instrumented, except spam.c (stale object files?)")


def test_doctor_of_an_ordinary_module(project: Path) -> None:
    run(project, "gcc", "-shared", "-fPIC", f"-I{sysconfig.get_path('include')}", "spam.c", "-o", "spam.so")
    assert doctor(project / "spam.so")[0] == 4


def test_a_build_that_compiles_nothing_says_so(tmp_path: Path) -> None:
    idle = subprocess.run(command("build", "true"), env=environment(), capture_output=True, text=True, timeout=PATIENCE)
    assert idle.returncode == 0 and "bpor-native build: nothing was compiled: pip takes a wheel" in idle.stderr
    failed = subprocess.run(command("build", "sh", "-c", "exit 3"), env=environment(), capture_output=True, text=True, timeout=PATIENCE)
    assert (failed.returncode, failed.stderr) == (3, "")


def test_a_package_that_wants_no_debug_information_has_it_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "module.c").write_text("int counter;\nint count(void) { return ++counter; }\n")
    words = command("build", "sh", "-c", "$CC -g0 -O2 -fPIC -c module.c && $CC -s -Wl,-s -shared module.o -o module.so")
    built = subprocess.run(words, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=PATIENCE)
    assert (built.returncode, built.stderr) == (0, "")
    elf = read_elf(str(tmp_path / "module.so"))
    assert elf is not None and elf.has_dwarf and elf.instrumented
