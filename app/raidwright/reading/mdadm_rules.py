"""mdadm's own rules by version: which options there are, which names it takes, what it refuses, its default chunks.

Sources: mdadm's ``ReadMe.c`` (long_options), ``config.c`` (ident_check_name), ``mdadm.c``, ``Create.c`` and ``Build.c``
of the tags mdadm-4.2 to mdadm-4.6. What a plan of Raidwright can't have is no rule of mdadm's, and isn't here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from raidwright.core.errors import PlanRefused
from raidwright.core.md.mdadm_versions import KNOWN, MDADM_4_2, MDADM_4_3, MDADM_4_4, MDADM_4_5, MdadmVersion
from raidwright.core.messages import Message, say

MAX_NAME_BYTES = 32  # MD_NAME_MAX
CREATE_CHUNK_KIB = 512  # DEFAULT_CHUNK
BUILD_CHUNK_KIB = 64
LINEAR_ROUNDING_KIB = 0
_POSIX = re.compile(r"[A-Za-z0-9._][A-Za-z0-9._-]*")  # of the portable file name character set
_POSIX_ALONE = (MDADM_4_3, MDADM_4_4)
_WITHOUT_LEADING_DOT = (MDADM_4_4,)


@dataclass(frozen=True, slots=True)
class OptionSpan:
    """The versions that have an option; None for no limit among those known here."""

    since: MdadmVersion | None = None
    until: MdadmVersion | None = None

    def has(self, mdadm: MdadmVersion) -> bool:
        """True if ``mdadm`` has the option."""
        return (self.since is None or mdadm >= self.since) and (self.until is None or mdadm <= self.until)


OPTION_SPANS = {
    "write-zeroes": OptionSpan(since=MDADM_4_3),
    "logical-block-size": OptionSpan(since=MDADM_4_5),
    "freeze-reshape": OptionSpan(until=MDADM_4_4),
    "symlinks": OptionSpan(until=MDADM_4_2),
}


def refuse_missing_option(name: str, mdadm: MdadmVersion) -> None:
    """Raise PlanRefused if ``mdadm`` doesn't have the option ``name``."""
    span = OPTION_SPANS.get(name, OptionSpan())
    if span.has(mdadm):
        return
    if span.since is not None and mdadm < span.since:
        raise PlanRefused(
            "{what}: that needs mdadm {least} or later, and this is {mdadm}.",
            code="mdadm-needed",
            what=f"--{name}",
            least=str(span.since),
            mdadm=str(mdadm),
        )
    raise PlanRefused(
        "{what}: mdadm {last} was the last to have it, and this is {mdadm}.",
        code="mdadm-needed",
        what=f"--{name}",
        last=str(span.until),
        mdadm=str(mdadm),
    )


def why_no_name(name: str, mdadm: MdadmVersion) -> Message | None:
    """Return why ``mdadm`` refuses ``name``, as --name gives it or a node has it; None if it takes it."""
    length = len(name.encode())
    if length > MAX_NAME_BYTES:
        return say("it is {count} letters long, and mdadm takes {most}", count=length, most=MAX_NAME_BYTES)
    if mdadm in _WITHOUT_LEADING_DOT and name.startswith("."):
        return say("it begins with a full stop")
    if mdadm in _POSIX_ALONE and not _POSIX.fullmatch(name):
        return say("it isn't POSIX compatible: letters, digits, “.”, “-” and “_” alone")
    return None


def refusing_versions(name: str) -> tuple[MdadmVersion, ...]:
    """Return the versions known here that refuse ``name``."""
    return tuple(version for version in KNOWN if why_no_name(name, version) is not None)


def needs_said_bitmap(mdadm: MdadmVersion) -> bool:
    """True if --write-behind needs --bitmap in the command; later versions ask for one first."""
    return mdadm < MDADM_4_4
