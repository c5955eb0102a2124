"""pytest under control: started again if need be, and what its header says."""

from __future__ import annotations

import sys
import sysconfig

import pytest

from bpor.errors import UsageError
from bpor.extension.library import is_loaded
from bpor.extension.start import has_no_gil, start_again


def make_sure_of_control(config: pytest.Config) -> None:
    """Returns in a process that has the preload library."""
    if is_loaded():
        return
    given = [str(argument) for argument in config.invocation_params.args]
    if given != sys.argv[1:]:
        raise UsageError("pytest was called by a program, which cannot be started again; start that program with `bpor-native python`")
    start_again()


def header(config: pytest.Config) -> str:
    from bpor.extension.pytest_settings import settings_given

    settings, _ = settings_given(config)
    version = sysconfig.get_python_version()
    what = f"Python {version}, free-threaded: it has no GIL" if has_no_gil() else f"gil={settings.gil}"
    return f"bpor: on ({what}, bound={settings.bound})"
