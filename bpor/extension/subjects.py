"""Which extension modules a test is about: those of the packages that its file names, or whose objects its fixtures made."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any


def subjects_of(*namespaces: Mapping[str, Any]) -> frozenset[str]:
    """Their files. What such a package loads of other packages is not under test."""
    packages = {_package(value) for names in namespaces for value in names.values()}
    return frozenset(_files(name for name in list(sys.modules) if name.partition(".")[0] in packages))


def _package(value: Any) -> str:
    home = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or type(value).__module__
    return str(home).partition(".")[0]


def _files(names: Iterable[str]) -> Iterable[str]:
    for name in names:
        path = getattr(sys.modules[name], "__file__", None)
        if isinstance(path, str) and path.endswith(".so"):
            yield os.path.realpath(path)
