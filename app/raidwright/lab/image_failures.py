"""Diagnosis of failed image builds: cause and remedy, from the output of the build's programs."""

from __future__ import annotations

import getpass
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from raidwright.core.messages import say

_MAX_CHARACTERS = 300


def why_not_built(program: str, heard: Sequence[str]) -> str:
    """Return a sentence for the output lines ``heard`` from ``program`` before it failed."""
    text = "\n".join(heard)
    for marks, explain in _CAUSES:
        if line := next((line for line in heard if any(mark in line for mark in marks)), None):
            return explain(line)
    errors = [line for line in heard if line.startswith("E: ")] or text.splitlines()[-3:] or [say("nothing")]
    return say("{program} says: {said}", program=program, said=_short(" / ".join(errors)))


def _no_user_namespace(_line: str) -> str:
    user = getpass.getuser()
    if not any(line.startswith((f"{user}:", f"{os.getuid()}:")) for line in _lines("/etc/subuid")):
        return say(
            "as an ordinary user it is built in a user namespace, and {user} has no subordinate ids for one. As root, "
            "run: usermod --add-subuids 100000-165535 --add-subgids 100000-165535 {user}",
            user=user,
        )
    return say(
        "as an ordinary user it is built in a user namespace, and this computer or container allows none "
        "(kernel.unprivileged_userns_clone, or the container's seccomp profile). Allow them, or start the practice "
        "machine once as root, with XDG_CACHE_HOME set to a folder that both of you can use."
    )


def _no_chroot(_line: str) -> str:
    return say(
        "this container doesn't let even root change the root directory (CAP_SYS_CHROOT). Start the container with "
        "that capability, or build on the computer itself."
    )


def _no_packages(line: str) -> str:
    return say(
        "Debian's packages can't be fetched; is there a network, and a mirror for apt? {said}", said=_short(line)
    )


def _no_room(line: str) -> str:
    return say(
        "there is no room left. Set TMPDIR and XDG_CACHE_HOME to folders with 2 GiB free. {said}", said=_short(line)
    )


_CAUSES: tuple[tuple[tuple[str, ...], Callable[[str], str]], ...] = (
    (("No space left on device", "not enough free space", "couldn't allocate a block"), _no_room),
    (("cannot change root directory",), _no_chroot),
    (("unable to pick chroot mode",), _no_user_namespace),
    (
        (
            "Temporary failure resolving",
            "Could not resolve",
            "Could not connect",
            "Failed to fetch",
            "Unable to locate",
        ),
        _no_packages,
    ),
)


def _lines(path: str) -> list[str]:
    file = Path(path)
    return file.read_text().splitlines() if file.exists() else []


def _short(text: str) -> str:
    return text if len(text) <= _MAX_CHARACTERS else text[: _MAX_CHARACTERS - 1] + "…"
