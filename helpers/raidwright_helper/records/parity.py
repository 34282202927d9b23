"""The state of an array's parity: from the kernel, from the record of its build, and from its checks.

md computes parity of raid4, raid5 and raid6 only during a resync, a repair, or full-stripe writes; a small write on
raid5 updates the old parity, so wrong parity stays wrong (kernel ``raid5.c``, ``handle_stripe_dirtying``:
read-modify-write). It doesn't start an array that lacks a member before its resync is done (``raid5_run``: dirty
degraded). No superblock records whether ``--assume-clean`` skipped the first resync. ``md/resync_start`` (``md.c``,
``resync_start_show``) is the position of an unfinished resync.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidwright.core.errors import DiskRefused
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Consistency
from raidwright.core.protocol.facts import BuildStep, CheckState, ParityState

from raidwright_helper.host.host import Host
from raidwright_helper.host.members import HeldMember, place_of
from raidwright_helper.host.seen import uuid_of

from .build import Build
from .checks import KeptCheck
from .copies import Copies


def parity_state(
    host: Host, number: int, builds: Sequence[Build], checks: Sequence[KeptCheck], copies: Copies
) -> ParityState | None:
    """Return the parity state of a running array; None without parity. Builds and checks: the latest first."""
    level = host.attribute(number, "md/level")
    if level not in set(Level) or not Level(level).parity_disks:
        return None
    if host.attribute(number, "md/resync_start") not in ("", "none"):
        return ParityState.COMPUTING
    uuid = uuid_of(host, number)
    build = next((one for one in builds if _has_built(one, uuid)), None)
    cut_off_s = copies.cut_off_s(uuid) if _may_spoil_parity(host, number, level) else None
    began_s = max(build.began_s if build else 0, cut_off_s or 0)
    done = [one for one in checks if one.uuid == uuid and one.state is CheckState.DONE and one.began_s >= began_s]
    if done:
        return ParityState.DIFFERS if done[0].mismatch_sectors else ParityState.SOUND
    if cut_off_s is not None:
        return ParityState.COPY_CUT_OFF
    if build is None:
        return ParityState.UNTOLD
    return ParityState.SOUND if build.synchronises else ParityState.NEVER


def _may_spoil_parity(host: Host, number: int, level: str) -> bool:
    """Return whether a copy that is cut off can leave wrong parity behind (``known.COPY_CUT_OFF``)."""
    has_bitmap = host.attribute(number, "md/consistency_policy") == Consistency.BITMAP
    return has_bitmap and level in (Level.RAID4, Level.RAID5)


def _has_built(build: Build, uuid: str) -> bool:
    """Return True if ``build`` made that array, or is making it: md begins the first resync before the build ends."""
    if uuid not in build.own_uuids:
        return False
    return build.last(BuildStep.DONE) is not None or build.notes[-1].step in (BuildStep.CREATE, BuildStep.VOLUME)


def verify_parity_is_known(
    host: Host, held: HeldMember, builds: Sequence[Build], checks: Sequence[KeptCheck], copies: Copies
) -> None:
    """Raise DiskRefused if a working member's data would have to be rebuilt from parity that may be wrong."""
    number = held.array.array.number
    if not place_of(host, held).works:
        return
    state = parity_state(host, number, builds, checks, copies)
    if state is ParityState.COMPUTING:
        raise DiskRefused(
            "md is still computing the parity of {array}; without {who} it might not start after a reboot. Wait until "
            "the synchronisation has ended.",
            code="parity-computing",
            disk=held.member.id,
            array=held.array.label,
            who=held.who,
        )
    if state is ParityState.NEVER:
        raise DiskRefused(
            "The parity of {array} was never computed, since it was built with --assume-clean, so what is on {who} "
            "might come back wrong. Have the array checked first. If the check finds differences, let md repair them "
            "(echo repair > /sys/block/{kernel}/md/sync_action) and check again. To be rid of the disk, replace it.",
            code="parity-never",
            disk=held.member.id,
            array=held.array.label,
            who=held.who,
            kernel=host.kernel_name(number),
        )
    if state is ParityState.COPY_CUT_OFF:
        raise DiskRefused(
            "This computer stopped while a member of {array} was copied onto another disk, and Linux can have left "
            "wrong parity there: what is on {who} might come back wrong. Have the array checked first. If the check "
            "finds differences, let md repair them (echo repair > /sys/block/{kernel}/md/sync_action) and check again.",
            code="parity-copy-cut-off",
            disk=held.member.id,
            array=held.array.label,
            who=held.who,
            kernel=host.kernel_name(number),
        )
    if state is ParityState.DIFFERS:
        raise DiskRefused(
            "The last check of {array} found parity that differs from the data, so what is on {who} might come back "
            "wrong. Let md repair that (echo repair > /sys/block/{kernel}/md/sync_action) and check again. To be rid "
            "of the disk, replace it.",
            code="parity-differs",
            disk=held.member.id,
            array=held.array.label,
            who=held.who,
            kernel=host.kernel_name(number),
        )
