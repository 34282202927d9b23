"""Refusals of a plan's shape by mdadm or md, whatever is on its disks: small rules, each with its own sentence.

Sources: mdadm ``mdadm.c`` main, ``Create.c``, ``super0.c``, ``super1.c``; kernel ``raid5.c`` (``setup_conf``,
``raid5_run``), ``raid10.c`` (``setup_geo``), ``raid5-ppl.c`` (``ppl_init_log``). Tried on mdadm 4.2 and 4.4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from raidwright.core.errors import PlanRefused
from raidwright.core.model.plan import Bitmap, Consistency, MdArray, Member, Metadata

from .array_survival import array_survives
from .layouts import Level
from .mdadm_versions import MdadmVersion
from .superblock import MAX_MEMBERS, PPL_SECTORS, SUPERBLOCK_AT, least_data_offset

_MIN_MEMBERS = {Level.RAID4: 2, Level.RAID5: 2, Level.RAID6: 4, Level.RAID10: 2}
_NAME_BYTES = 32  # of a superblock's set_name, with the zero at its end
_MAX_CHUNK_KIB = 2**20


def refuse_shape(plan: MdArray, mdadm: MdadmVersion) -> None:
    """Raise PlanRefused for the first rule that the plan itself (not its inner arrays) breaks."""
    for rule in _RULES:
        rule(plan, mdadm)


def refuse_double_use(disks: Iterable[Member]) -> None:
    """Raise PlanRefused if a disk is named twice, or both whole and in slices."""
    members = tuple(disks)
    doubled = [name for name, count in Counter(member.id for member in members).items() if count > 1]
    sliced = {member.disk for member in members if member.disk is not None}
    doubled += [member.id for member in members if member.disk is None and member.id in sliced]
    if doubled:
        raise PlanRefused(
            "{disk} is in the plan twice; each disk, or slice of one, can have one place.",
            code="disk-twice",
            disk=doubled[0],
        )


_MIN_BITMAP_CHUNK_KIB = 4  # super1.c add_internal_bitmap1
_MAX_BITMAP_CHUNK_KIB = 2**21  # mdadm 4.2 to 4.4: “Given bitmap chunk size not supported” beyond


def _members(plan: MdArray, _: MdadmVersion) -> None:
    count, least = len(plan.members), _MIN_MEMBERS.get(plan.level, 1)
    if count < least:
        raise PlanRefused(
            "{level} needs at least {least} members; this plan has {count}.",
            code="too-few-members",
            level=str(plan.level),
            least=least,
            count=count,
        )
    if plan.level is Level.RAID6 and count > 256:
        raise PlanRefused("raid6 takes at most 256 members.", code="too-many-members", most=256)
    most = MAX_MEMBERS[plan.metadata]
    if count + len(plan.spares) > most:
        raise PlanRefused(
            "Metadata {metadata} knows at most {most} members and spares; take fewer, or metadata 1.2.",
            code="too-many-members",
            most=most,
            metadata=plan.metadata,
        )


def _spares(plan: MdArray, _: MdadmVersion) -> None:
    if plan.spares and not plan.level.is_redundant:
        raise PlanRefused("{level} has nothing to rebuild, so it takes no spares.", code="spares", level=plan.level)


def _missing(plan: MdArray, _: MdadmVersion) -> None:
    slots = [slot for slot, member in enumerate(plan.members) if member is None]
    if not slots:
        return
    if not plan.level.is_redundant:
        raise PlanRefused("{level} can't start with a member missing.", code="missing-member", level=plan.level)
    if len(slots) == len(plan.members):
        raise PlanRefused("All members are missing; at least one disk must be there.", code="all-missing")
    if not array_survives(plan, slots):
        raise PlanRefused(
            "With {missing} of its {members} members missing this {level} can't start; give it more of its disks.",
            code="missing-member",
            missing=len(slots),
            members=len(plan.members),
            level=plan.level,
        )


def _chunk(plan: MdArray, _: MdadmVersion) -> None:
    chunk_kib = plan.chunk_kib
    if chunk_kib is None:
        return
    if plan.level is Level.RAID1:
        raise PlanRefused("raid1 has no chunks, and mdadm refuses to be told one; leave it out.", code="chunk")
    if not 4 <= chunk_kib <= _MAX_CHUNK_KIB:
        raise PlanRefused(
            "A chunk of {chunk_kib} KiB is out of range; take 4 KiB to 4 MiB.", code="chunk", chunk_kib=chunk_kib
        )
    if plan.level.is_chunked and plan.level is not Level.RAID0 and chunk_kib & (chunk_kib - 1):
        below = 1 << chunk_kib.bit_length() - 1
        raise PlanRefused(
            "{level} needs a chunk that is a power of two; take {below_kib} or {above_kib} KiB.",
            code="chunk",
            level=plan.level,
            below_kib=below,
            above_kib=2 * below,
        )


def _layout(plan: MdArray, mdadm: MdadmVersion) -> None:
    if plan.level is Level.RAID0 and plan.metadata is Metadata.V0_90 and mdadm < MdadmVersion(4, 5):
        raise PlanRefused(
            "mdadm {mdadm} makes no raid0 with metadata 0.90, which has no room for raid0's layout; take 1.2.",
            code="raid0-metadata",
            mdadm=str(mdadm),
        )
    if plan.level is not Level.RAID10:
        return
    layout, copies, members = plan.effective_layout, plan.copies, len(plan.members)
    if copies.total < 2:
        raise PlanRefused("raid10 keeps at least two copies; “{layout}” is one.", code="layout-copies", layout=layout)
    if max(copies.near, copies.far) > 200 or copies.total > members:
        raise PlanRefused(
            "“{layout}” keeps {total} copies, which needs at least as many members; there are {members}.",
            code="layout-copies",
            layout=layout,
            total=copies.total,
            members=members,
        )


def _bitmap(plan: MdArray, _: MdadmVersion) -> None:
    chunk_kib = plan.bitmap_chunk_kib
    if chunk_kib is not None and (chunk_kib < _MIN_BITMAP_CHUNK_KIB or chunk_kib & (chunk_kib - 1)):
        raise PlanRefused(
            "A bitmap's chunk is a power of two, {least} KiB or more.",
            code="bitmap-chunk",
            least=_MIN_BITMAP_CHUNK_KIB,
        )
    if chunk_kib is not None and chunk_kib > _MAX_BITMAP_CHUNK_KIB:
        raise PlanRefused(
            "A bitmap's chunk is 2 GiB at most ({most} KiB); mdadm takes none that is larger.",
            code="bitmap-chunk",
            most=_MAX_BITMAP_CHUNK_KIB,
        )
    if plan.bitmap is Bitmap.NONE:
        return
    if not plan.level.is_redundant:
        raise PlanRefused("A bitmap means nothing on {level}, which never resyncs.", code="bitmap", level=plan.level)
    if plan.bitmap is Bitmap.LOCKLESS:
        _lockless(plan)
    if plan.journal or plan.consistency in (Consistency.JOURNAL, Consistency.PPL, Consistency.RESYNC):
        other = "journal" if plan.journal else f"consistency policy “{plan.consistency}”"
        raise PlanRefused("A bitmap and a {other} exclude each other; take one of the two.", code="bitmap", other=other)


def _lockless(plan: MdArray) -> None:
    """``super1.c`` ``add_internal_bitmap1``, since 4.6."""
    if plan.metadata is not Metadata.V1_2:
        raise PlanRefused("A lockless bitmap goes with metadata 1.2 alone; take that.", code="bitmap-lockless")
    if plan.bitmap_chunk_kib is not None:
        raise PlanRefused("mdadm chooses a lockless bitmap's chunk by itself; leave it out.", code="bitmap-lockless")


def _journal(plan: MdArray, _: MdadmVersion) -> None:
    if plan.journal is None:
        return
    if not plan.level.parity_disks:
        raise PlanRefused(
            "A write journal is for raid4, raid5 and raid6; {level} has none.", code="journal", level=plan.level
        )
    if plan.consistency not in (None, Consistency.JOURNAL):
        raise PlanRefused(
            "A write journal and the consistency policy “{consistency}” exclude each other.",
            code="journal",
            consistency=plan.consistency,
        )


def _consistency(plan: MdArray, _: MdadmVersion) -> None:
    policy = plan.consistency
    if policy is None:
        return
    if not plan.level.is_redundant:
        raise PlanRefused(
            "{level} keeps no redundancy, so it has no consistency policy.", code="consistency", level=plan.level
        )
    if policy is Consistency.BITMAP and plan.bitmap is Bitmap.NONE:
        raise PlanRefused("The consistency policy “bitmap” needs a bitmap; set it to internal.", code="consistency")
    if policy is Consistency.JOURNAL and plan.journal is None:
        raise PlanRefused("The consistency policy “journal” needs a device for the journal.", code="consistency")
    if policy is Consistency.PPL:
        _ppl(plan)


def _ppl(plan: MdArray) -> None:
    if plan.level is not Level.RAID5:
        raise PlanRefused(
            "A partial parity log is for raid5 alone; {level} can't have one.", code="ppl", level=plan.level
        )
    if plan.metadata is Metadata.V0_90:
        raise PlanRefused("Metadata 0.90 has no room for a partial parity log; take 1.2.", code="ppl")
    if len(plan.members) > 64:
        raise PlanRefused("A partial parity log works for at most 64 members.", code="ppl")
    offset = (plan.data_offset_kib or 0) * 2
    start = SUPERBLOCK_AT.get(plan.metadata)
    overlaps = offset > 0 and (start is None or offset < start + 8 + PPL_SECTORS)
    if overlaps:
        raise PlanRefused(
            "With this data offset the partial parity log would lie in the data; leave the data offset out.",
            code="data-offset",
        )


def _data_offset(plan: MdArray, _: MdadmVersion) -> None:
    if plan.data_offset_kib is None:
        return
    if plan.metadata is Metadata.V0_90:
        raise PlanRefused("Metadata 0.90 knows no data offset; leave it out, or take 1.2.", code="data-offset")
    least = least_data_offset(plan.metadata, len(plan.members) + len(plan.spares))
    if plan.data_offset_kib * 2 < least:
        raise PlanRefused(
            "A data offset of {data_offset_kib} KiB would put data on the superblock; it needs "
            "at least {least_kib} KiB.",
            code="data-offset",
            data_offset_kib=plan.data_offset_kib,
            least_kib=-(-least // 2),
        )


def _homehost(plan: MdArray, _: MdadmVersion) -> None:
    """``super1.c`` ``init_super1``: only the name is stored if home host and name don't both fit."""
    longest = f"{plan.name}-{len(plan.members) - 1}" if plan.is_nested else plan.name
    if plan.homehost and len(plan.homehost) + 1 + len(longest) >= _NAME_BYTES:
        raise PlanRefused(
            "The home host “{homehost}” and the array's name are too long together, and mdadm would leave the host "
            "out; take a shorter name.",
            code="homehost-long",
            homehost=plan.homehost,
        )


def _size(plan: MdArray, _: MdadmVersion) -> None:
    size_kib, chunk_kib = plan.component_size_kib, plan.effective_chunk_kib
    if size_kib is not None and chunk_kib and size_kib & ~(chunk_kib - 1) == 0:
        raise PlanRefused(
            "A size of {size_kib} KiB is less than one chunk of {chunk_kib} KiB.",
            code="size",
            size_kib=size_kib,
            chunk_kib=chunk_kib,
        )


_RULES = (_members, _spares, _missing, _chunk, _layout, _bitmap, _journal, _consistency, _data_offset, _size, _homehost)
