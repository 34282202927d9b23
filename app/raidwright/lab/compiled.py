"""The practice machine's own C code: a package brings it compiled, a checkout compiles it on first use and caches it.

tcc compiles all of it in a few milliseconds and is under a megabyte to install; where it is missing, as in Debian 14,
gcc does. The cache key covers the sources and the command, so that a change of either recompiles. ``python -m
raidwright.lab.compiled`` compiles everything; the set-up runs it.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from raidwright import debian
from raidwright.core.errors import MachineError
from raidwright.core.messages import say
from raidwright.resources import compiled_before, resource

from .places import cache_root, made_cache

_SOURCES = resource("lab/c")
_DISKS = (
    "disks", "vhost", "scsi", "store", "spots", "drive", "geometry", "cache", "spinning", "shingled", "flash", "undo",
)  # fmt: skip
_COMPILERS = ("tcc", "gcc", "cc")  # the first that is there
_OPTIONS = ("-O1", "-fPIC", "-Wall", "-Werror")


_PARTS: dict[str, tuple[str | Path, ...]] = {
    "xstate.so": ("-shared", _SOURCES / "xstate.c"),
    "disks": (*(_SOURCES / f"{name}.c" for name in _DISKS), "-lm"),
    "clock.so": ("-shared", _SOURCES / "clock.c"),
    "idle.so": ("-shared", _SOURCES / "idle.c"),
}


def xstate_library() -> Path:
    """Return the LD_PRELOAD library that lets ``linux.uml`` start on processors with large register areas (xstate)."""
    return _part("xstate.so")


def disks_program() -> Path:
    """Return the program that serves a practice machine's disks."""
    return _part("disks")


def clock_library() -> Path:
    """Return the LD_PRELOAD library that makes ``linux.uml``'s clock run slower or faster than the host's."""
    return _part("clock.so")


def idle_library() -> Path:
    """Return the LD_PRELOAD library that keeps an idle ``linux.uml`` from missing events and timers."""
    return _part("idle.so")


def _part(name: str) -> Path:
    return compiled_before(name) or compiled(name, *_PARTS[name])


def compile_into(folder: Path) -> None:
    """Compile all parts into ``folder``, for a package: its users need no compiler. Raises MachineError."""
    folder.mkdir(parents=True)
    for name, arguments in _PARTS.items():
        _compile([_compiler(), *_OPTIONS, "-o", str(folder / name), *map(str, arguments)])


def compiled(name: str, *arguments: str | Path) -> Path:
    """Return the output ``name`` of the compiler for ``arguments``; raises MachineError.

    Arguments that are paths are sources, and part of the key together with all headers beside them.
    """
    compiler = (_compiler(), *_OPTIONS)
    sources = [argument for argument in arguments if isinstance(argument, Path)]
    headers = sorted({header for source in sources for header in source.parent.glob("*.h")})
    digest = hashlib.sha256("\0".join([*compiler, *map(str, arguments)]).encode())
    for path in (*sources, *headers):
        digest.update(path.read_bytes())
    stem, dot, ending = name.partition(".")
    target = cache_root() / f"{stem}-{digest.hexdigest()[:16]}{dot}{ending}"
    if not target.exists():
        made_cache()
        with tempfile.TemporaryDirectory(prefix="compile-", dir=target.parent) as directory:
            unfinished = Path(directory) / name
            _compile([*compiler, "-o", str(unfinished), *map(str, arguments)])
            unfinished.rename(target)  # atomic, should another process compile it at the same time
    return target


def _compiler() -> str:
    if found := next(filter(shutil.which, _COMPILERS), None):
        return found
    otherwise = say("The practice machine needs a C compiler, and none of {names:or} is installed.", names=_COMPILERS)
    raise MachineError(debian.why("compiler", otherwise), code="not-installed")


def _compile(argv: list[str]) -> None:
    done = subprocess.run(argv, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode:
        said = say("A part of the practice machine can't be compiled: {said}", said=done.stderr.strip())
        raise MachineError(debian.why("compiler", said), code="compile")


if __name__ == "__main__":
    try:
        for part in _PARTS:
            _part(part)
    except MachineError as error:
        sys.exit(f"raidwright: {error.sentence}")
