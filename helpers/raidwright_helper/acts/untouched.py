"""Reasons against an undo that would overwrite anybody's bytes, for an array and for a joined volume."""

from __future__ import annotations

from raidwright.core.errors import DiskRefused, InputError
from raidwright.core.messages import say
from raidwright.core.model.names import array_uuid
from raidwright.core.protocol.errors import Code
from raidwright.core.protocol.facts import BuildStep, ClosedBy

from raidwright_helper.host import lvm, md
from raidwright_helper.host.guards import person_name
from raidwright_helper.host.host import Host
from raidwright_helper.host.signatures import Signature
from raidwright_helper.records.build import Build, SavedMember

NOT_TAKEN_BACK = say("nothing was taken back")

# They continue a sentence that begins “The array …”.
WORDS = {
    ClosedBy.MOUNTED: say("is mounted"),
    ClosedBy.IN_USE: say("is in use"),
    ClosedBy.WRITTEN: say("was written to"),
}


def closed_by(host: Host, build: Build) -> ClosedBy:
    """Return the reason why ``build`` can't be undone, as far as known without opening anything.

    Undo checks more: an array that reads otherwise than when it was created can't be undone either.
    """
    done = build.notes[-1] if build.notes and build.notes[-1].step is BuildStep.DONE else None
    if done is None:
        return ClosedBy.NOTHING
    number = host.number_of(md.uuid_path(str(done.fields["uuid"])))
    if number is None:
        return ClosedBy.NOT_RUNNING
    if build.tables:
        own = (host.number_of(md.uuid_path(uuid)) for uuid in build.own_uuids)
        volume = lvm.volume_on(host, build.name, [array for array in own if array is not None])
        return ClosedBy.NOTHING if volume is None else in_use_by(host, volume)
    return in_use_by(host, number)


def in_use_by(host: Host, number: int) -> ClosedBy:
    """Return the reason why the array can't be removed; unused partitions are none: an old table may show through."""
    parts = (number, *host.partitions(number))
    if any(host.mount_point(part) is not None for part in parts):
        return ClosedBy.MOUNTED
    if any(host.is_swap(part) or host.holders(part) for part in parts):
        return ClosedBy.IN_USE
    return ClosedBy.WRITTEN if host.written_sectors(number) else ClosedBy.NOTHING


def mounted_at(host: Host, number: int) -> str | None:
    """Return where the device, or a partition of it, is mounted; None if it isn't."""
    points = (host.mount_point(part) for part in (number, *host.partitions(number)))
    return next((point for point in points if point is not None), None)


def is_own_member(build: Build, signature: Signature) -> bool:
    """Return whether the signature is that of a member of the build's own arrays."""
    uuid = array_uuid(signature.uuid)
    return signature.kind == md.MEMBER_SIGNATURE and uuid in build.own_uuids


def other_array() -> InputError:
    """Return the refusal for disks that are in another array."""
    return InputError(
        "Its disks are in another array now; {not_taken_back}.", code="other-array", not_taken_back=NOT_TAKEN_BACK
    )


def changed(one: SavedMember, how: str) -> DiskRefused:
    """Return the refusal for a disk that isn't as it was left."""
    return DiskRefused(
        "{who} {how}; {not_taken_back}.",
        code="disk-signature-changed",
        disk=one.member.id,
        who=person_name(one.member),
        how=how,
        not_taken_back=NOT_TAKEN_BACK,
    )


def holds(what: str) -> DiskRefused:
    """Return the refusal for an array that ``what`` says something of."""
    return DiskRefused(
        "The array {what}, and what is on it may be wanted; {not_taken_back}. Without it, stop the array by hand.",
        code=Code.HOLDS,
        what=what,
        not_taken_back=NOT_TAKEN_BACK,
    )
