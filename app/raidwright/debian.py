"""Debian packages needed by parts of the program (``resources/packages/``), and the missing ones among them."""

from __future__ import annotations

import subprocess

from raidwright.core.messages import Message, say

from .resources import resource

_PARTS = {"window": say("The window"), "lab": say("The practice machine"), "helper": say("The helper")}


def packages(part: str) -> tuple[str, ...]:
    """Return the packages listed for ``part``: ``window``, ``lab`` or ``helper``."""
    lines = resource(f"packages/{part}.txt").read_text(encoding="utf-8").splitlines()
    return tuple(name for line in lines for name in line.partition("#")[0].split())


def missing(part: str) -> tuple[str, ...]:
    """Return the packages that aren't installed; () without dpkg."""
    wanted = packages(part)
    query = ["dpkg-query", "--show", "--showformat=${Package} ${db:Status-Status}\n", *wanted]
    try:
        done = subprocess.run(query, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ()
    return tuple(name for name in wanted if f"{name} installed" not in done.stdout.splitlines())


def why(part: str, otherwise: Message) -> Message:
    """Return the error of a failed ``part``: missing packages and the command to install them, else ``otherwise``."""
    if not (names := " ".join(missing(part))):
        return otherwise
    return say(
        "{part} needs Debian packages that aren't installed: {names}. "
        "As root, run: apt-get install --no-install-recommends {names}",
        part=_PARTS[part],
        names=names,
    )
