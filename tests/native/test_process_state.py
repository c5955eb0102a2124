"""What libc and the kernel keep for all threads: once two threads share it, every use is an operation, and every order is tried."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import pytest

from bpor.knobs.values import PROCESS_STATES
from tests.native.compiled import ROOT, compiled
from tests.native.tool import Run, run_inside

pytestmark = pytest.mark.needs("gcc")
PROBE = ROOT / "tests/native/probes/process_state.c"
OBJECTS = PROBE.with_name("shared_objects.c")


def calls_of(probe: Path) -> list[str]:
    return re.findall(r"^    (?:CALL|NOTHING_BACK)\((\w+),", probe.read_text(encoding="utf-8"), re.MULTILINE)


CALLS = calls_of(PROBE)
OBJECT_CALLS = calls_of(OBJECTS)
FLAGS = ("-Wno-unused-result", "-Wno-nonnull")
STATE_OF = {"paths": "files", "file_io": "files", "descriptor_io": "files", "stdio": "files"}
DIRECTORY = {"chdir", "fchdir", "getcwd"}
ENVIRONMENT = {"getenv", "secure_getenv", "setenv", "unsetenv", "putenv", "clearenv"}
RANDOM = re.compile(r"s?(rand|random)$|[ms]?l?d?rand48$")


def table() -> dict[str, str]:
    """Function -> family."""
    text = (ROOT / "csrc/protocol/intercepted.def").read_text(encoding="utf-8")
    return dict(re.findall(r"^FUNCTION\((\w+), *(\w+)\)", text, re.MULTILINE))


def state_of(name: str) -> str:
    if name in DIRECTORY:
        return "directory"
    if name in ENVIRONMENT:
        return "environment"
    return STATE_OF.get(table()[name]) or ("random" if RANDOM.match(name) else "statics")


STATE_OF_OBJECT = {"stdio": "streams", "descriptor": "descriptors", "refused": "descriptors", "settings": "settings", "signal": "settings"}


def state_of_object(name: str) -> str:
    is_random = re.search(r"rand(om)?(48)?(_r)?$|state_r$", name) and table()[name] == "libc_objects"
    return STATE_OF_OBJECT.get(table()[name]) or ("random" if is_random else "statics")


def explored(run: Run) -> list[str]:
    text: str = run.report["options"]["process_state"]
    return [] if text in ("auto", "off") else text.split(",")


def test_the_probe_knows_every_function_of_the_families() -> None:
    families = ("paths", "file_io", "process_state", "settings", "libc_objects")
    assert {name for name, family in table().items() if family in families} <= {*CALLS, *OBJECT_CALLS}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_meets_another_threads_use_is_tried_in_every_order(name: str) -> None:
    """The bound is small, but a use that is an operation has at least two orders with the uses of the other thread."""
    run = run_inside(compiled(PROBE, FLAGS), [name], ["--bound", "preemption:1"])
    assert run.exit_code == 0, run
    assert set(explored(run)) <= set(PROCESS_STATES)
    assert state_of(name) in explored(run), run
    assert run.report["distinct_traces"] > 1, run


@pytest.mark.parametrize("name", OBJECT_CALLS)
def test_a_stream_a_descriptor_a_setting_or_an_object_of_two_threads_is_tried_in_every_order(name: str) -> None:
    run = run_inside(compiled(OBJECTS, (*FLAGS, "-fno-inline")), [name], ["--bound", "preemption:1", "--machine-code=off"])
    assert run.exit_code == 0, run
    assert state_of_object(name) in explored(run), run
    assert run.report["distinct_traces"] > 1, run


def _has_handles(path: Path) -> bool:
    """Not every file system makes any, and a container may forbid them."""
    room, mount = ctypes.create_string_buffer(8 + 128), ctypes.c_int()
    room[:4] = (128).to_bytes(4, "little")  # type: ignore[call-overload]
    return ctypes.CDLL(None).name_to_handle_at(-100, str(path).encode(), room, ctypes.byref(mount), 0) == 0


def test_two_files_one_after_the_other_are_not_one_though_they_have_the_same_number(tmp_path: Path) -> None:
    run = run_inside(compiled(ROOT / "native_tests/correct/process_state/own_files.c"), [], ["--bound", "none"])
    assert run.exit_code == 0, run
    assert explored(run) == [] or not _has_handles(tmp_path)
