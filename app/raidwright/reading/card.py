"""An array's facts for a rescue, from what its owner has kept: a recovery card, a plan, a command, or mdadm's report.

A card's prose may be in any language: its command, the lines of its disks and its UUID are found by their form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from raidwright.core.errors import InputError
from raidwright.core.md.layouts import Level, canonical_layout
from raidwright.core.model.names import array_uuid
from raidwright.core.model.plan import MdArray, Member, Metadata
from raidwright.reading.plans import loads_plan

from .mdadm_reports import read_report
from .pasted import member_named, plan_of, read_paste

_COMMAND = re.compile(r"^[ \t]*(?:sudo )?mdadm (?:--create|-C)\b(?:.*\\\n)*.*$", re.MULTILINE)
_DISK = re.compile(r"^(?P<told>.*)\n[ \t]+/dev/disk/by-id/(?P<id>\S+)[ \t]*$", re.MULTILINE)
_SERIAL_AND_SIZE = re.compile(r"(?P<serial>[^\s,、，]+)[,、，]\s*(?P<bytes>\d{6,})")
_UUID = re.compile(r"\b[0-9a-f]{8}(?::[0-9a-f]{8}){3}\b")

SizeOf = Callable[[str], int | None]
_MIN_CHUNK_KIB = 4
_MIN_OFFSET_KIB = 4


@dataclass(frozen=True, slots=True)
class Kept:
    """The plan of an array that exists, and its UUID ("" if it isn't told)."""

    plan: MdArray
    uuid: str = ""


def kept_facts(
    level: Level, layout: str, chunk_kib: int | None, metadata: Metadata, *, data_offset_kib: int | None = None
) -> Kept:
    """Return what a person remembers of an array; ``layout`` "", no chunk and no data offset are mdadm's defaults.

    Raises InputError for a layout that the level lacks, or a chunk or data offset that can't be.
    """
    has_offset = metadata in (Metadata.V1_1, Metadata.V1_2)
    if data_offset_kib is not None and (not has_offset or data_offset_kib < _MIN_OFFSET_KIB):
        raise InputError("A data offset is 4 KiB or more, of metadata 1.1 and 1.2 alone.", code="data-offset")
    if chunk_kib is not None and chunk_kib < _MIN_CHUNK_KIB:
        raise InputError("A chunk has 4 KiB or more.", code="chunk")
    named = canonical_layout(level, layout) if layout else None
    array = MdArray(level, (), "rescued", named, chunk_kib, metadata, data_offset_kib=data_offset_kib)
    return Kept(replace(array, unknown=("members",)))


def read_kept(text: str, size_of: SizeOf) -> Kept:
    """Read a recovery card, a plan in JSON, an mdadm command or report; raises InputError that says what it isn't.

    ``size_of`` returns the size in bytes of a disk on this machine by its path; None if it isn't here.
    """
    uuid = array_uuid(found[0]) if (found := _UUID.search(text)) else ""
    if text.lstrip().startswith("{"):
        return Kept(loads_plan(text).array)
    if command := _COMMAND.search(text):
        disks = {member.id: member for member in _disks(text)}
        plan = plan_of(read_paste(command[0]), lambda path: _member(path, disks, size_of))
        return Kept(plan, uuid)
    return Kept(read_report(text, size_of).plan, uuid)


def _disks(text: str) -> Iterator[Member]:
    for found in _DISK.finditer(text):
        if told := _SERIAL_AND_SIZE.search(found["told"]):
            yield Member(found["id"], int(told["bytes"]), serial=told["serial"])


def _member(path: str, disks: Mapping[str, Member], size_of: SizeOf) -> Member:
    own_id = PurePosixPath(path).name
    size_bytes = size_of(path) or (disks[own_id].size_bytes if own_id in disks else None)
    if size_bytes is None:
        raise InputError(
            "The size of {path} is unknown: it isn't here, and what was kept doesn't tell it. Plug it in, or write "
            "the word missing in its place.",
            code="rescue-size",
            path=path,
        )
    member = member_named(path, size_bytes)
    return replace(member, serial=disks[own_id].serial) if own_id in disks else member
