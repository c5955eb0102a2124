"""How the native half (everything under csrc/) is built into bpor/_native/, with a C compiler alone: no Python.h, no setuptools.

`python scripts/native_build.py` is what the Makefile calls; wheels and editable installs come here through setup.py. Incremental (by
time, headers included: the compiler writes the dependencies), safe to run twice at once, and a library in use is replaced whole, never
rewritten. With --quick it makes what a first look needs (QUICK below): `make demo`.
"""

import fcntl
import hashlib
import os
import platform
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# -g, not -g1: `replay --gdb` asks for variables of the runtime, and for their types (bpor/target/gdb_commands.py). Those are static:
# without -fvar-tracking, which follows local ones through registers, the compiler takes a twelfth less time.
COMPILE = ["-std=gnu11", "-g", "-fno-var-tracking", "-Icsrc", "-Wall", "-Wextra"]
ENGINE = ("engine", "engine/optimal", "engine/open", "engine/graphs", "engine/cartesian")
# The folders of csrc/ that become libbpor.so (csrc/README.md).
RUNTIME_ROOMS = (
    *("runtime", "carrier", "memory", "race", "loops", "state", "reset", "process", "arch/x86_64", "protocol"),
    *("model", "weak", "intercept", *ENGINE, "beside", "machine", "trust", "python"),
)
# Rooms that are compiled with -O1, which takes the compiler a quarter less time than -O2: benchmarks/execution_cost.py counts no more
# instructions in an execution with it. Tail calls stay jumps, on which the stub's callbacks rely (csrc/instrument). The scheduling point,
# the models, the race detector and the search are where an execution's time goes: they are compiled with -O3, the rest with -O2.
COLD = (
    *("alias", "assembler", "carrier", "compiler", "instrument", "intercept"),
    *("launcher", "loops", "machine", "process", "python", "reset", "state", "trust"),
)
HOT = ("beside", "engine", "memory", "model", "race", "runtime")
# Files of a room that the compiler reads as one: the headers are then read once, and the compiler and the assembler start once, which is a
# fifth of the time that all files take one by one. Each group is a translation unit, so two of its files must not define the same name.
# Compiled alone are the rooms that write memory behind the compiler's back (reset, carrier, state), the files that switch between threads
# or call before the program's vector registers are saved (runtime/step, machine, trust), and the members of an archive (instrument).
JOINED = {
    "beside": (
        "contradiction distinct intact names reader sampling tally ways",
        "seal search",
    ),
    "decode": (
        "assemble length scan",
    ),
    "engine": (
        """
            actors alternatives below causal cells entries estimate explored futures known known_words least locks matching nodes
            question races sets sleep tree walk watch
        """,
        "history known_table rounds save",
    ),
    "engine/cartesian": (
        "search solo vector waiting",
    ),
    "engine/graphs": (
        "crew search states table",
    ),
    "engine/library": (
        "engine execution shelf told_plan",
    ),
    "engine/open": (
        "cold fringe names nodes rank search shelf strips",
    ),
    "engine/optimal": (
        "answers crew node order past races reach search wakeup",
    ),
    "intercept": (
        """
            atomic_calls atomic_wait attributes c11 condition descriptor descriptor_control descriptor_io descriptor_io_socket
            file_io file_use guard heap join libc_objects mapped_file mapping mark once pipe process process_state random refused
            robust rwlock semaphore short_transfer signal stdio stdio_descriptor syscall time told told_print told_time
            tsan_fortified tsan_string
        """,
        """
            barrier epoll linking named_semaphore names processor stdio_visible thread tsan_atomic tsan_attach tsan_interface
            tsan_plain tsan_wide
        """,
        "criterion mutex paths poll settings spin",
        "futex told_scan",
    ),
    "loops": (
        "circle plain_spin",
        "probe spin",
    ),
    "memory": (
        "call_stack heap instrumented mappings memory reached recent",
        "locations quarantine",
    ),
    "model": (
        """
            barrier channel channel_renew choice condition descriptor_io epoll free gil guard join memory mutex named_semaphore
            once poll robust rules semaphore sleep spin thread thread_end timeout
        """,
        "futex rwlock stdio",
        "python_lock waiters",
    ),
    "process": (
        "aliases descriptors dynamic imports loaded maps process_state system_calls",
    ),
    "python": (
        "adopt allocator calls counting entries gil layout pointers references script",
        "changes lock_methods locks region sections slots switches",
    ),
    "race": (
        "cells clocks excused readers shadow streams",
        "order sharing",
        "report state",
    ),
    "runtime": (
        "environment events footprint injection kin orders plan policy sample time",
        "lifetimes objects",
    ),
    "weak": (
        "accesses causes clocks offers",
    ),
}
# Two files with `static bool used;` would silently have one variable.
JOINED_FLAGS = ["-Werror=redundant-decls"]
# initial-exec TLS: the runtime must not call malloc for its thread-locals. -z now: no lazy binding inside an interceptor.
# -shared-libgcc: one unwinder in the process; the forced unwind of pthread_exit aborts when it meets the personality routine of another.
# Variables sorted by alignment: the small ones, which are those that executions change, share a few pages, each of which rollback compares.
SHARED = ["-fPIC", "-fvisibility=hidden", "-fexceptions", "-fno-plt", "-ftls-model=initial-exec"]
PRODUCTS: dict[str, dict[str, list[str]]] = {
    "libbpor.so": {
        "sources": [f"csrc/{room}/*.c" for room in RUNTIME_ROOMS],
        "compile": [*SHARED, "-fdata-sections"],
        "link": ["-shared", "-Wl,-z,now", "-Wl,--sort-section=alignment", "-shared-libgcc"],
    },
    "bpor-launch": {
        "sources": ["csrc/launcher/*.c"],
        "compile": ["-fPIE"],
        "link": ["-pie", "-Wl,-z,now"],
    },
    # The search for simulated programs and for anybody's runtime; the same objects are in libbpor.so, beside the program.
    "libbpor_engine.so": {
        "sources": [f"csrc/{part}/*.c" for part in (*ENGINE, "engine/library", "protocol")],
        "compile": SHARED,
        "link": ["-shared"],
    },
    # Called by the controller to look at code: in C, because a program has millions of instructions and is looked at in every run.
    "libbpor-decode.so": {
        "sources": ["csrc/decode/*.c"],
        "compile": ["-fPIC"],
        "link": ["-shared"],
    },
    # The compiler wrapper and what it links instead of libtsan. gcc asks for -ltsan by itself: hence the archive's name.
    **{
        name: {
            "sources": ["csrc/compiler/*.c"],
            "compile": ["-fPIE"],
            "link": ["-pie", "-Wl,-z,now"],
        }
        for name in ("bpor-cc", "bpor-c++")
    },
    # Compilers are told to look for their assembler here.
    "assembler/as": {
        "sources": ["csrc/assembler/*.c"],
        "compile": ["-fPIE"],
        "link": ["-pie", "-Wl,-z,now"],
    },
    "instrument/libtsan.a": {
        "sources": ["csrc/instrument/*.c"],
        "compile": ["-fPIC"],
        "link": [],
    },
    # Loaded beside libbpor.so, so that modules built with plain -fsanitize=thread do not bring the real libtsan.
    **{
        f"alias/{name}": {
            "sources": ["csrc/alias/*.c"],
            "compile": ["-fPIC"],
            "link": ["-shared", "-nostdlib", f"-Wl,-soname,{name}"],
        }
        for name in ("libtsan.so.2", "libtsan.so.0")
    },
}
# What running a program needs, which is what a first look at the tool needs. It is compiled with -O1, without debug information and
# without warnings: two thirds of the compiler's time. The whole build, which any other target asks for, replaces it.
QUICK = ("libbpor.so", "bpor-launch", "libbpor-decode.so", "alias/libtsan.so.2", "alias/libtsan.so.0")
# Not in QUICK: where this one is, the whole was built, and a quick build would be a step back.
LAST_OF_THE_WHOLE = "instrument/libtsan.a"
LESS_OPTIMIZED = ["-O1", "-foptimize-sibling-calls"]


# A block of at most so many bytes is cleared or copied by moves. GCC would take "rep stos", whose start takes longer than the moves, and a
# scheduling point clears many small blocks.
_MOVES = "unrolled_loop:256:noalign,libcall:-1:noalign"
BLOCKS = [f"-mmemset-strategy={_MOVES}", f"-mmemcpy-strategy={_MOVES}"]


class Builder:
    """One compiler, one set of flags; objects lie in a directory named by both, so a change of either rebuilds."""

    def __init__(self, werror: bool, quick: bool = False) -> None:
        self.compiler = shlex.split(os.environ.get("CC", "gcc"))
        self.quick = quick
        werror = werror or bool(os.environ.get("BPOR_WERROR"))  # so that an editable install makes the same objects
        self.blocks = BLOCKS if self._accepts(BLOCKS) else []
        kind = ["-w", "-g0"] if quick else ["-Werror"] if werror else []
        self.flags = COMPILE + shlex.split(os.environ.get("CFLAGS", "")) + kind
        self.link_flags = shlex.split(os.environ.get("LDFLAGS", ""))

    def _accepts(self, flags: list[str]) -> bool:
        command = [*self.compiler, *flags, "-fsyntax-only", "-x", "c", os.devnull]
        try:
            return subprocess.run(command, capture_output=True).returncode == 0
        except FileNotFoundError:
            return False  # which is said when something is compiled

    def build(self, directory: Path) -> None:
        """Every product, into `directory`."""
        directory.mkdir(parents=True, exist_ok=True)
        cache = ROOT / "build" / "native"
        cache.mkdir(parents=True, exist_ok=True)
        with open(cache / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for name in QUICK if self.quick else PRODUCTS:
                self._product(cache, directory / name, PRODUCTS[name])

    def _product(self, cache: Path, product: Path, recipe: dict[str, list[str]]) -> None:
        sources = sorted(source for pattern in recipe["sources"] for source in ROOT.glob(pattern))
        if not sources:
            raise SystemExit(f"build: no sources match {' '.join(recipe['sources'])}")
        sources = join(cache, sources)
        blocks = self.blocks if product.name == "libbpor.so" else []
        flags = {source: [*optimization(source, self.quick), *blocks, *self.flags, *recipe["compile"]] for source in sources}
        objects = [cache / self._key(flags[source]) / within(source).with_suffix(".o") for source in sources]
        stale = [pair for pair in zip(sources, objects, strict=True) if not fresh(*pair)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda pair: self._compile(flags[pair[0]], *pair), stale))
        command = [*self.compiler, *map(str, objects), "-g", *recipe["link"], *self.link_flags, "-o"]
        if not linked(product, command, objects):
            partial = product.with_name(product.name + ".partial")
            product.parent.mkdir(exist_ok=True)
            partial.unlink(missing_ok=True)  # ar would add to it
            archive = ["ar", "rcs", str(partial), *map(str, objects)]
            run(f"link {product.name}", archive if product.suffix == ".a" else [*command, str(partial)])
            os.replace(partial, product)
            link_stamp(product).write_text(repr(command))

    def _key(self, flags: list[str]) -> str:
        return hashlib.sha256(repr((self.compiler, flags)).encode()).hexdigest()[:12]

    def _compile(self, flags: list[str], source: Path, result: Path) -> None:
        result.parent.mkdir(parents=True, exist_ok=True)
        partial = result.with_suffix(".partial")
        name, dependencies = str(source.relative_to(ROOT)), str(result.with_suffix(".d"))
        run(f"compile {name}", [*self.compiler, *flags, "-MMD", "-MF", dependencies, "-c", name, "-o", str(partial)])
        os.replace(partial, result)


def join(cache: Path, sources: list[Path]) -> list[Path]:
    """The sources with one file in the place of each group that is read as one."""
    groups = [(room, number, names) for room, groups in JOINED.items() for number, names in enumerate(groups)]
    group_of = {f"{room}/{name}": (room, number) for room, number, names in groups for name in names.split()}
    together: dict[tuple[str, int], list[Path]] = {}
    alone: list[Path] = []
    for source in sources:
        group = group_of.get(str(within(source).with_suffix("")))
        (alone if group is None else together.setdefault(group, [])).append(source)
    return alone + [joint(cache, room, number, files) for (room, number), files in together.items()]


def joint(cache: Path, room: str, number: int, files: list[Path]) -> Path:
    """A file that includes these; written anew only if it changed, so that its object stays fresh."""
    include = '#pragma GCC diagnostic push\n#include "{}"\n#pragma GCC diagnostic pop\n'
    text = "#define _GNU_SOURCE\n" + "".join(include.format(within(file)) for file in files)
    result = cache / "joined" / room / f"all{number}.c"
    result.parent.mkdir(parents=True, exist_ok=True)
    if not result.exists() or result.read_text() != text:
        result.write_text(text)
    return result


def within(source: Path) -> Path:
    """Its place in csrc/, or that of the room for which it was made."""
    base = ROOT / "csrc"
    return source.relative_to(base if base in source.parents else ROOT / "build" / "native" / "joined")


def optimization(source: Path, quick: bool) -> list[str]:
    room = within(source).parts[0]
    level = LESS_OPTIMIZED if quick or room in COLD else ["-O3" if room in HOT else "-O2"]
    return level if ROOT / "csrc" in source.parents else [*level, *JOINED_FLAGS]


def fresh(source: Path, result: Path) -> bool:
    """Is the object newer than its source and every header the compiler read for it?"""
    dependencies = result.with_suffix(".d")
    if not (result.exists() and dependencies.exists()):
        return False
    names = re.sub(r"\\\n", " ", dependencies.read_text()).split(":", 1)[1].split()
    needed = [source, *(ROOT / name for name in names)]
    return all(path.exists() and path.stat().st_mtime < result.stat().st_mtime for path in needed)


def link_stamp(product: Path) -> Path:
    """Beside the objects, not beside the product: the package ships the product's directory."""
    return ROOT / "build" / "native" / f"{product.name}.{hashlib.sha256(str(product).encode()).hexdigest()[:12]}.link"


def linked(product: Path, command: list[str], objects: list[Path]) -> bool:
    stamp = link_stamp(product)
    if not (product.exists() and stamp.exists()) or stamp.read_text() != repr(command):
        return False
    return all(path.stat().st_mtime < product.stat().st_mtime for path in objects)


def run(title: str, command: list[str]) -> None:
    """Says what it does in a word; the whole command only if it fails."""
    print(title, flush=True)
    try:
        status = subprocess.run(command, cwd=ROOT).returncode
    except FileNotFoundError:
        raise SystemExit(f"build: no C compiler {command[0]!r}: install gcc (Debian: build-essential) or set CC") from None
    if status != 0:
        raise SystemExit(f"build: failed: {shlex.join(command)}")


def refuse_other_platforms() -> None:
    if sys.platform != "linux" or platform.machine() != "x86_64" or sys.maxsize < 2**32:
        raise SystemExit("build: bpor-native runs on 64-bit x86 Linux with glibc only: it controls threads through a preload library")


def build_into(directory: Path, werror: bool = False, quick: bool = False) -> None:
    refuse_other_platforms()
    Builder(werror, quick and not (directory / LAST_OF_THE_WHOLE).exists()).build(directory)


if __name__ == "__main__":
    build_into(ROOT / "bpor" / "_native", werror="--werror" in sys.argv[1:], quick="--quick" in sys.argv[1:])
