"""The practice machine's own C code, compiled from source on first use and cached.

tcc compiles all of it in a few milliseconds, produces the same size of output for the same input, and is under a
megabyte to install. The cache key covers the sources and the command, so that a change of either recompiles. ``python
-m raidwright.lab.compiled`` compiles everything; the set-up runs it.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

from raidwright import debian
from raidwright.core.errors import MachineError
from raidwright.core.messages import say
from raidwright.resources import resource

from .places import cache_root, made_cache

_SOURCES = resource("lab/c")
_DISKS = (
    "disks", "vhost", "scsi", "store", "spots", "drive", "geometry", "cache", "spinning", "shingled", "flash", "undo",
)  # fmt: skip
_COMPILER = ("tcc", "-Wall", "-Werror")


def xstate_library() -> Path:
    """Return the LD_PRELOAD library that lets ``linux.uml`` start on processors with large register areas (xstate)."""
    return compiled("xstate.so", "-shared", _SOURCES / "xstate.c")


def disks_program() -> Path:
    """Return the program that serves a practice machine's disks."""
    return compiled("disks", *(_SOURCES / f"{name}.c" for name in _DISKS), "-lm")


def clock_library() -> Path:
    """Return the LD_PRELOAD library that makes ``linux.uml``'s clock run slower or faster than the host's."""
    return compiled("clock.so", "-shared", _SOURCES / "clock.c")


def idle_library() -> Path:
    """Return the LD_PRELOAD library that keeps an idle ``linux.uml`` from missing events and timers."""
    return compiled("idle.so", "-shared", _SOURCES / "idle.c")


def compiled(name: str, *arguments: str | Path) -> Path:
    """Return the output ``name`` of the compiler for ``arguments``; raises MachineError.

    Arguments that are paths are sources, and part of the key together with all headers beside them.
    """
    sources = [argument for argument in arguments if isinstance(argument, Path)]
    headers = sorted({header for source in sources for header in source.parent.glob("*.h")})
    digest = hashlib.sha256("\0".join([*_COMPILER, *map(str, arguments)]).encode())
    for path in (*sources, *headers):
        digest.update(path.read_bytes())
    stem, dot, ending = name.partition(".")
    target = cache_root() / f"{stem}-{digest.hexdigest()[:16]}{dot}{ending}"
    if not target.exists():
        made_cache()
        with tempfile.TemporaryDirectory(prefix="compile-", dir=target.parent) as directory:
            unfinished = Path(directory) / name
            _compile([*_COMPILER, "-o", str(unfinished), *map(str, arguments)])
            unfinished.rename(target)  # atomic, should another process compile it at the same time
    return target


def _compile(argv: list[str]) -> None:
    try:
        done = subprocess.run(argv, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    except FileNotFoundError as error:
        sentence = debian.why("lab", say("The practice machine needs the compiler tcc, which isn't installed."))
        raise MachineError(sentence, code="not-installed") from error
    if done.returncode:
        said = say("A part of the practice machine can't be compiled: {said}", said=done.stderr.strip())
        raise MachineError(debian.why("lab", said), code="compile")


if __name__ == "__main__":
    try:
        xstate_library()
        disks_program()
        clock_library()
        idle_library()
    except MachineError as error:
        sys.exit(f"raidwright: {error.sentence}")
