"""Installation of the root helper below a folder: the list of files, and their copy as by the Debian package.

Of Raidwright it includes only the core, which needs Python alone, as does this module. The helper's dependencies are
listed in ``resources/packages/helper.txt``.
"""

from __future__ import annotations

import os
import shlex
import stat
import sys
from collections.abc import Callable
from pathlib import Path

from raidwright.core.errors import RaidwrightError
from raidwright.core.messages import say

from .resources import HELPER, PACKAGE, resource

_PROGRAM_OF_DEBIAN = Path("/usr/lib/raidwright-program")  # installed there by packaging/deb
_CODE = "usr/lib/raidwright"
_PROGRAMS = "usr/libexec"
_FILES = {
    "raidwright-helper": _PROGRAMS,
    "raidwright-etc": _PROGRAMS,
    "raidwright-event": _PROGRAMS,
    "raidwright-go-on": _PROGRAMS,
    "raidwright-helper.service": "usr/lib/systemd/system",
    "raidwright.conf": "usr/lib/modules-load.d",
    "11-raidwright-trial.rules": "usr/lib/udev/rules.d",
    "60-raidwright-reshape.rules": "usr/lib/udev/rules.d",
    "org.raidwright.Helper1.conf": "usr/share/dbus-1/system.d",
    "org.raidwright.Helper1.service": "usr/share/dbus-1/system-services",
    "org.raidwright.helper1.policy": "usr/share/polkit-1/actions",
}


def install_command() -> str:
    """Return root's command to install the helper, by the program's origin: Debian package, wheel, or checkout."""
    if PACKAGE.is_relative_to(_PROGRAM_OF_DEBIAN):
        return "apt-get install raidwright-helper"
    if (in_checkout := PACKAGE.parents[1] / "packaging/install-helper").exists():
        return shlex.join((str(in_checkout), "/"))
    return shlex.join((str(Path(sys.prefix) / "bin/raidwright"), "install-helper", "/"))


def install(destination: Path) -> None:
    """Install everything below ``destination``, and remove files of an earlier version that this one lacks.

    Raises RaidwrightError if something is in the way, or another user could write to it.
    """
    destination.mkdir(mode=0o755, parents=True, exist_ok=True)
    wanted = _wanted(destination)
    for target, source in wanted.items():
        _put(source, destination, target)
    for path in sorted((destination / _CODE).rglob("*"), reverse=True):  # a folder's content before the folder
        if path.is_symlink() or not path.is_dir():
            if path not in wanted:
                path.unlink()
        elif not any(path.iterdir()):
            path.rmdir()


def _wanted(destination: Path) -> dict[Path, Path]:
    """Return for each file below ``destination`` its source."""
    files = {destination / folder / name: resource(f"helper/{name}") for name, folder in _FILES.items()}
    modules = (*HELPER.rglob("*.py"), PACKAGE / "__init__.py", *(PACKAGE / "core").rglob("*.py"))
    for path in modules:
        above = HELPER.parent if path.is_relative_to(HELPER) else PACKAGE.parent
        files[destination / _CODE / path.relative_to(above)] = path
    return files


def _put(source: Path, destination: Path, target: Path) -> None:
    """Copy ``source`` to ``target``, atomically."""
    _have_folder(destination, target.parent)
    _verify_ours(target, stat.S_ISREG)
    new = target.with_name(f".{target.name}.new")
    new.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with os.fdopen(os.open(new, flags, 0o600), "wb") as file:
        file.write(source.read_bytes())
        os.fchmod(file.fileno(), 0o755 if target.parent == destination / _PROGRAMS else 0o644)
        os.fsync(file.fileno())
    new.rename(target)


def _have_folder(destination: Path, folder: Path) -> None:
    """Create the folder below ``destination``, with its parents; existing ones must be ours."""
    for part in (*reversed(folder.relative_to(destination).parents), folder.relative_to(destination)):
        whole = destination / part
        if not _verify_ours(whole, stat.S_ISDIR):
            whole.mkdir(mode=0o755)
            whole.chmod(0o755)  # whatever the umask


def _verify_ours(path: Path, kind: Callable[[int], bool]) -> bool:
    """Return True if ``path`` exists; raise unless it is of this ``kind`` and writable only by us."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return False
    if not kind(status.st_mode):
        raise _refused(path, "is a link, or not what belongs there")
    if status.st_uid == 0 and os.geteuid():
        raise RaidwrightError(
            "The helper is not installed: {path} belongs to root. Run this as root, such as with sudo.",
            code="not-root",
            path=str(path),
        )
    if status.st_uid != os.geteuid():
        raise _refused(path, f"belongs to the user {status.st_uid}")
    if status.st_mode & 0o022:
        raise _refused(path, "can be written to by others")
    return True


def _refused(path: Path, why: str) -> RaidwrightError:
    sentence = say(
        "The helper is not installed: {path} {why}; remove it, or put that right, and try again.", path=path, why=why
    )
    return RaidwrightError(sentence, code="in-the-way", path=str(path))
