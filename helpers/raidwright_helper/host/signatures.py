"""A disk's signatures: all that libblkid knows, on the disk itself and inside its partitions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace

from raidwright.core.json_fields import printable
from raidwright.core.protocol.facts import UNKNOWN
from raidwright.core.protocol.signature_names import ARRAY, HALF

from .host import Host
from .runner import run

WIPEFS = "/usr/sbin/wipefs"
_PROBE_SECONDS = 60.0  # a disk that has to spin up first takes ten
_WIPE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Signature:
    """A magic string. ``offset_bytes`` counts from the start of the examined device."""

    kind: str  # libblkid's type: ext4, gpt, PMBR, linux_raid_member …; else UNKNOWN, or a word for an array's part
    offset_bytes: int
    length_bytes: int
    label: str = ""
    partition: int | None = None
    uuid: str = ""

    @property
    def is_magic(self) -> bool:
        """True for a magic string, which can be erased; else it is other content lost with the disk."""
        return self.kind != UNKNOWN and not self.kind.startswith((ARRAY, HALF))

    @property
    def name(self) -> str:
        """Name to confirm: ``ext4``, or ``1:ext4`` inside the first partition."""
        return self.kind if self.partition is None else f"{self.partition}:{self.kind}"


async def found_on(node: str) -> tuple[Signature, ...]:
    """Return the signatures on ``node`` itself, by libblkid, in the order of their offsets."""
    argv = (WIPEFS, "--no-act", "--json", "--output=OFFSET,LENGTH,TYPE,LABEL,UUID", "--", node)
    output = (await run(argv, limit_s=_PROBE_SECONDS)).output.strip()
    found = json.loads(output)["signatures"] if output else []
    return tuple(
        Signature(
            str(one["type"]),
            int(one["offset"], 16),
            int(one["length"]),
            label=printable(one["label"] or ""),
            uuid=printable(one["uuid"] or ""),
        )
        for one in found
    )


async def found_within(host: Host, number: int) -> tuple[Signature, ...]:
    """Return the signatures on the device and, with offsets from its own start, inside its partitions."""
    found = list(await found_on(host.node(number)))
    for part in host.partitions(number):
        start_bytes = host.start_bytes(part)
        found += [
            replace(one, offset_bytes=start_bytes + one.offset_bytes, partition=host.partition(part))
            for one in await found_on(host.node(part))
        ]
    return tuple(found)


async def wipe(host: Host, number: int, found: Iterable[Signature], log: list[str]) -> None:
    """Erase the signatures ``found`` on the device, its partitions' first; ``log`` gets each command that ran.

    Only magic strings (``is_magic``) are erased; the next write overwrites the rest. Only the types found are given to
    wipefs, so that newer ones stay and are noticed. Raises JobFailed.
    """
    parts = {host.partition(part): part for part in host.partitions(number)}
    for partition, part in [*parts.items(), (None, number)]:
        kinds = sorted({one.kind for one in found if one.partition == partition and one.is_magic})
        if kinds:
            argv = (WIPEFS, "--all", "--quiet", f"--types={','.join(kinds)}", "--", host.node(part))
            log.append((await run(argv, limit_s=_WIPE_SECONDS)).command)
