"""A virtual environment with pip, at a fifth of the cost: `python make_venv.py DIRECTORY`.

`python -m venv` lets pip install itself and compiles all of its modules, most of which are never used: three seconds. Here the wheel that
comes with Python is unpacked. Where it is not found, venv does the whole work.
"""

import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

FRONT = "#!{python}\nimport sys\nfrom pip._internal.cli.main import main\nsys.exit(main())\n"


def pip_wheel() -> "Path | None":
    """Distributions keep it elsewhere (WHEEL_PKG_DIR); some have none."""
    try:
        import ensurepip
    except ImportError:
        return None
    for directory in (sysconfig.get_config_var("WHEEL_PKG_DIR"), Path(ensurepip.__file__).parent / "_bundled"):
        for wheel in sorted(Path(directory).glob("pip-*.whl")) if directory else ():
            return wheel
    return None


def make(directory: Path) -> None:
    wheel = pip_wheel()
    venv.create(directory, with_pip=wheel is None, symlinks=True)
    if wheel is not None:
        paths = sysconfig.get_paths("venv", {"base": str(directory), "platbase": str(directory)})
        zipfile.ZipFile(wheel).extractall(paths["purelib"])
        front = Path(paths["scripts"], "pip")
        front.write_text(FRONT.format(python=Path(paths["scripts"], "python")))
        front.chmod(0o755)


if __name__ == "__main__":
    make(Path(sys.argv[1]).resolve())
