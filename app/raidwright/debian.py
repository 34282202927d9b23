"""Debian packages needed by parts of the program (``resources/packages/``), and the missing ones among them."""

from __future__ import annotations

import subprocess
from itertools import chain

from raidwright.core.messages import Message, say

from .resources import resource

_PARTS = {
    "window": say("The window"),
    "lab": say("The practice machine"),
    "compiler": say("The practice machine of a checkout"),
    "helper": say("The helper"),
}


def packages(part: str) -> tuple[tuple[str, ...], ...]:
    """Return the packages listed for ``part``, one of ``_PARTS``, each by the names that will do."""
    lines = resource(f"packages/{part}.txt").read_text(encoding="utf-8").splitlines()
    return tuple(tuple(names.split("|")) for line in lines for names in line.partition("#")[0].split())


def missing(part: str) -> tuple[str, ...]:
    """Return the packages that aren't installed; () without dpkg."""
    wanted = packages(part)
    query = ["dpkg-query", "--show", "--showformat=${Package} ${db:Status-Status}\n", *chain(*wanted)]
    try:
        said = subprocess.run(query, capture_output=True, text=True, check=False).stdout.splitlines()
    except FileNotFoundError:
        return ()
    return tuple(_known(names) for names in wanted if not any(f"{name} installed" in said for name in names))


def _known(names: tuple[str, ...]) -> str:
    """Return the first of ``names`` that this computer's apt can install: Debian 14 has no tcc."""
    for name in names:
        command = ["apt-cache", "policy", name]
        asked = subprocess.run(command, capture_output=True, text=True, check=False)
        if asked.stdout and "Candidate: (none)" not in asked.stdout:
            return name
    return names[0]


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
