"""libbpor_engine.so, loaded once; bpor/include/bpor_engine.h says what each function does."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from bpor.engine._library import ffi as _ffi  # type: ignore[import-not-found,unused-ignore]
from bpor.native_parts import part

ffi: Any = _ffi


@cache
def load(path: Path | None = None) -> Any:
    """Another `path`: the same engine built otherwise (the mutants of the tests)."""
    return ffi.dlopen(os.fspath(path or part("libbpor_engine.so")))


_BOUNDS = ("preemption", "context", "delta", "fair", "local_depth", "local_context", "local_preemption", "stale")


def options(limits: Mapping[str, int | None], max_steps: int, flags: int, match_limit: int = 0, order: int = 0, **others: Any) -> Any:
    unbounded = load().BPOR_ENGINE_UNBOUNDED
    bounds = {f"{name}_bound": unbounded if limits.get(name) is None else limits[name] for name in _BOUNDS}
    given = {**bounds, "max_steps": max_steps, "flags": flags, "match_limit": match_limit, "order": order, **others}
    return ffi.new("struct bpor_engine_options *", given)
