"""The practice machine's own C, compiled from source when it is first wanted and kept in the cache.

tcc compiles all of it in a few milliseconds, has one size of output for each input, and is under a megabyte to
install. The key is made of the sources and the command, so a change of either compiles anew. ``python -m
raidwright.lab.compiled`` compiles everything, which is what the set-up does.
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
    """What ``linux.uml`` is started with, so that it comes up on processors with large register areas."""
    return compiled("xstate.so", "-shared", _SOURCES / "xstate.c")


def disks_program() -> Path:
    """The process that is a practice machine's disks."""
    return compiled("disks", *(_SOURCES / f"{name}.c" for name in _DISKS), "-lm")


def clock_library() -> Path:
    """What ``linux.uml`` is started with when its clock runs slower or faster than the host's."""
    return compiled("clock.so", "-shared", _SOURCES / "clock.c")


def idle_library() -> Path:
    """What ``linux.uml`` is started with, so that it misses neither an event nor an alarm while it idles."""
    return compiled("idle.so", "-shared", _SOURCES / "idle.c")


def compiled(name: str, *arguments: str | Path) -> Path:
    """The output called ``name`` that the compiler makes of ``arguments``; raises MachineError.

    Those that are paths are sources, and part of the key together with all headers beside them.
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
            unfinished.rename(target)  # whole or not there, whoever else compiles it at the same time
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
