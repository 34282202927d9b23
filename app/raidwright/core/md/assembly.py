"""Arrays assembled from their members' superblocks: members present, stale members, and whether md would start them.

Sources: kernel ``md.c`` (``analyze_sbs``, ``super_1_validate``: a member that is more than one event behind is left
out, "kicking non-fresh"), ``raid5.c`` ("cannot start dirty degraded array"); mdadm ``Assemble.c``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from raidwright.core.model.plan import MdArray, Metadata

from .array_survival import array_survives
from .histories import EVENT_MARGIN, Branch, branches, parted_from
from .layouts import Level, copies_layout
from .mdadm_versions import MDADM_3_3, MDADM_3_4, MDADM_4_1, MDADM_4_2, MDADM_4_6, MdadmVersion
from .member_superblock import (
    CLUSTERED,
    HAS_BAD_BLOCKS,
    HAS_JOURNAL,
    HAS_MANY_PPLS,
    HAS_PPL,
    MOVES_DATA,
    RAID0_LAYOUT,
    RECOVERING,
    REPLACES,
    RESHAPES,
    MemberSuperblock,
    has_moved_in_part,
    is_misread,
    lacks_raid0_layout,
    newest_superblock,
    raid0_layouts_agree,
)

_PARITY = frozenset({Level.RAID4, Level.RAID5, Level.RAID6})
_MAX_SLOTS = 1920
_LAYOUT_BITS = 19  # of raid10: near and far copies, offset, and two bits of far sets
_FIRST_LINUX = (2, 6)
_CHECKED_LINUX = 6
_FIRST_MDADM = MdadmVersion(2, 0)  # the first with metadata 1.x
_FIRST_MDADM_0_90: Mapping[str, MdadmVersion] = {Level.RAID6: MdadmVersion(1, 5), Level.RAID10: MdadmVersion(1, 7)}
_FEATURES = (  # bit of the feature map, its name, the first Linux that starts such an array, and the first mdadm
    (HAS_BAD_BLOCKS, "bad-block-log", (3, 1), MDADM_3_3),
    (REPLACES, "replacement", (3, 3), MDADM_3_3),
    (MOVES_DATA, "moving-data-offset", (3, 5), MDADM_3_3),
    (CLUSTERED, "clustered-bitmap", (4, 1), MDADM_3_4),
    (HAS_JOURNAL, "journal", (4, 4), MDADM_3_4),
    (HAS_PPL, "ppl", (4, 12), MDADM_4_1),
    (HAS_MANY_PPLS, "multiple-ppls", (4, 14), MDADM_4_1),
    (RAID0_LAYOUT, "raid0-layout", (5, 4), MDADM_4_2),
)
_LOCKLESS = ("lockless-bitmap", (6, 18), MDADM_4_6)  # since 4.6 mdadm names the kind of bitmap to the kernel
# older kernels require zero in this field, which mdadm itself doesn't look at
_LOGICAL_BLOCK_SIZE = ("logical-block-size", (6, 19), _FIRST_MDADM)


class AssemblyState(StrEnum):
    """State of an array that isn't running. The values are part of ``raidwright array list --json``."""

    STOPPED = "stopped"  # enough up-to-date members are present; it can be started
    COPIED = "copied"  # all data are here, but several disks say that they are one slot: md could take any of them
    PARTED = "parted"  # several sets of members could each be started, and each was written to without the others
    DIRTY = "dirty"  # degraded and not clean, so parity may be stale: the kernel starts it only if forced
    BEHIND = "behind"  # enough members are present only if stale ones count
    SHORT = "short"  # too few members are present
    UNKNOWN = "foreign-make"  # unknown level


class MemberState(StrEnum):
    """A member's state in its array."""

    AGREES = "agrees"
    BEHIND = "behind"  # stale: it was dropped before the others were last written to
    PARTED = "parted"  # it was written to without the others, and they without it
    REBUILDING = "rebuilding"  # its recovery is incomplete
    SPARE = "spare"
    JOURNAL = "journal"


@dataclass(frozen=True, slots=True)
class StartsOn:
    """Requirements for starting an array: the oldest Linux and mdadm that can, and the features that require them.

    ``mdadm`` is the first release that knows all of the features; an older one may still start the array, without
    knowing about them.
    """

    linux: str = "2.6"
    needs: tuple[str, ...] = ()
    mdadm: str = "2.0"

    def is_met_by(self, release: str, mdadm: str = "") -> bool:
        """True if a kernel of ``release`` ("6.12.9-amd64") and this ``mdadm`` start it; also where these are unknown.

        Features older than Linux 6 don't count: distributions have backported them.
        """
        running, needed = linux_version(release), linux_version(self.linux)
        is_met = running == (0, 0) or needed[0] < _CHECKED_LINUX or running >= needed
        return is_met and not self.needs_newer_mdadm(mdadm)

    def needs_newer_mdadm(self, mdadm: str) -> bool:
        """True if ``mdadm`` ("4.2"; "" if unknown) is too old to start it."""
        found = linux_version(mdadm)
        return found != (0, 0) and found < linux_version(self.mdadm)


@dataclass(frozen=True, slots=True)
class MemberHere:
    """A member that is here: its slot (None for a spare or a journal), events, last update (Unix time), data offset."""

    id: str
    state: MemberState
    slot: int | None
    events: int
    updated_s: int
    data_offset_sectors: int = 0
    device_uuid: str = ""


@dataclass(frozen=True, slots=True)
class ArrayGeometry:
    """An array's geometry in its superblocks. ``layout`` is md's number, ``features`` the feature map's bits."""

    layout: int = 0
    chunk_kib: int = 0
    component_sectors: int = 0
    features: int = 0
    is_lockless: bool = False


@dataclass(frozen=True, slots=True)
class Assembly:
    """An array as described by the superblocks of the members present.

    ``members`` have the caller's names. ``present`` are the slots, out of ``slots``, whose member is as recent as the
    newest; ``events`` and ``updated_s`` (Unix time) are the newest's. ``here_in_detail`` are the members, by slot.
    ``dropped`` are the slots that had a member when the array was last written to and have none here.
    ``lacks_journal``: its write journal isn't here, or is an old one (mdadm ``Assemble.c``: "missing or stale").
    ``halves`` are the sets of members that could each be started and have parted, the one written to last first, which
    is then the one described; empty if they haven't.
    ``lacks_layout``: as ``member_superblock.lacks_raid0_layout``; ``layouts_agree``: it makes no difference
    here. ``created_s`` is Unix time.
    """

    uuid: str
    name: str
    homehost: str
    level: str
    slots: int
    metadata: str
    state: AssemblyState
    present: tuple[int, ...]
    members: tuple[tuple[str, MemberState], ...]
    events: int
    updated_s: int
    is_clean: bool
    starts_on: StartsOn
    dropped: tuple[int, ...] = ()
    reshapes: bool = False
    lacks_journal: bool = False
    here_in_detail: tuple[MemberHere, ...] = ()
    geometry: ArrayGeometry = ArrayGeometry()
    halves: tuple[Branch, ...] = ()
    lacks_layout: bool = False
    layouts_agree: bool = False
    created_s: int = 0

    @property
    def label(self) -> str:
        """The array's name, or its UUID if it has none."""
        return self.name or self.uuid

    @property
    def is_sound(self) -> bool:
        """True if the members present hold all of its data."""
        return self.state in (
            AssemblyState.STOPPED,
            AssemblyState.COPIED,
            AssemblyState.DIRTY,
            AssemblyState.PARTED,
        )

    @property
    def twice(self) -> tuple[tuple[MemberHere, ...], ...]:
        """The members that agree and say that they are one slot, for each slot with more than one."""
        slots: dict[int, list[MemberHere]] = defaultdict(list)
        for member in self.here_in_detail:
            if member.state is MemberState.AGREES and member.slot is not None:
                slots[member.slot].append(member)
        return tuple(tuple(slots[slot]) for slot in sorted(slots) if len(slots[slot]) > 1)

    @property
    def coming(self) -> tuple[MemberHere, ...]:
        """The members that were being rebuilt, or reshaped onto, when it stopped; md goes on with them."""
        fresh = (one for one in self.here_in_detail if one.events + EVENT_MARGIN >= self.events)
        return tuple(one for one in fresh if one.state is MemberState.REBUILDING)

    @property
    def has_twin(self) -> bool:
        """True if disks of two arrays with one UUID are here: of copies the members' own UUIDs are the same as well."""
        return any(len({member.device_uuid for member in members}) > 1 for members in self.twice)

    @property
    def lacks_only_journal(self) -> bool:
        """True if the members present would do, and only the write journal is missing."""
        is_known = _is_known_shape(self.level, self.slots, self.geometry.layout)
        return self.lacks_journal and is_known and _holds(self.level, self.slots, self.geometry.layout, self.present)

    @property
    def here(self) -> int:
        """Number of slots whose member is present."""
        return len(self.present)

    @property
    def missing(self) -> int:
        """Number of slots whose member isn't present."""
        return self.slots - self.here

    @property
    def is_misread(self) -> bool:
        """As ``member_superblock.is_misread``."""
        return is_misread(self.level, self.geometry.features)

    @property
    def may_be_looked_into(self) -> bool:
        """True if it can be started only to be read."""
        return not (self.is_misread or has_moved_in_part(self.level, self.geometry.features))

    def holds(self, member: str) -> bool:
        """True if the array needs the data on ``member``, or might: stale members and spares hold none of its data.

        Each of its ``halves`` may be the one that is wanted.
        """
        if any(member in half.members for half in self.halves):
            return True
        state = dict(self.members).get(member)
        return state in (MemberState.AGREES, MemberState.JOURNAL)


RAID0_CHANGED_S = 1396224000  # Linux 3.14, 30 March 2014, lays the zones of a raid0 out otherwise


def assemblies(found: Mapping[str, MemberSuperblock]) -> tuple[Assembly, ...]:
    """Return the arrays described by ``found``, superblocks by their members' names; in the order of their UUIDs.

    Superblocks of different formats are combined all the same: an array has one UUID.
    """
    by_uuid: dict[str, dict[str, MemberSuperblock]] = defaultdict(dict)
    for member, superblock in found.items():
        by_uuid[superblock.uuid][member] = superblock
    return tuple(_assembly(by_uuid[uuid]) for uuid in sorted(by_uuid))


def _assembly(found: Mapping[str, MemberSuperblock]) -> Assembly:
    parts = branches(found)
    enough = tuple(one for one in parts if _is_enough(found, one))
    own = next(iter(enough), None) if len(parts) > 1 else None
    newest = newest_superblock([found[name] for name in own.members] if own else found.values())
    gone = parted_from(found, own) if own else frozenset()
    states = {
        member: MemberState.PARTED if member in gone and one.slot is not None else _state(one, newest)
        for member, one in found.items()
    }
    present = _slots_of(found[member] for member, state in states.items() if state is MemberState.AGREES)
    reachable = present | _slots_of(found[member] for member, state in states.items() if state is MemberState.BEHIND)
    assembly = Assembly(
        uuid=newest.uuid,
        name=newest.name,
        homehost=newest.homehost,
        level=newest.level,
        slots=newest.slots,
        metadata=newest.metadata,
        state=_array_state(newest, present, reachable, has_journal=MemberState.JOURNAL in states.values()),
        present=tuple(sorted(present)),
        members=tuple(sorted(states.items())),
        events=newest.events,
        updated_s=newest.updated_s,
        is_clean=newest.is_clean,
        starts_on=starts_on(found.values()),
        reshapes=bool(newest.feature_map & RESHAPES),
        lacks_journal=_needs_journal(newest) and MemberState.JOURNAL not in states.values(),
        here_in_detail=tuple(sorted((_here(name, one, states[name]) for name, one in found.items()), key=_by_slot)),
        geometry=ArrayGeometry(
            newest.layout, newest.chunk_sectors // 2, newest.component_sectors, newest.feature_map, newest.is_lockless
        ),
        halves=enough if len(enough) > 1 else (),
        lacks_layout=(lacks_layout := lacks_raid0_layout(found.values())),
        layouts_agree=lacks_layout and raid0_layouts_agree(found.values()),
        created_s=newest.created_s,
    )
    assembly = replace(assembly, dropped=tuple(sorted({*newest.working} - {*present} - _slots_of(assembly.coming))))
    if assembly.halves:
        return replace(assembly, state=AssemblyState.PARTED)
    return replace(assembly, state=AssemblyState.COPIED) if assembly.is_sound and assembly.twice else assembly


def _is_enough(found: Mapping[str, MemberSuperblock], branch: Branch) -> bool:
    newest = found[branch.members[0]]
    return is_known_shape(newest) and holds_all_data(newest, branch.slots)


def _here(name: str, found: MemberSuperblock, state: MemberState) -> MemberHere:
    return MemberHere(
        name, state, found.slot, found.events, found.updated_s, found.data_offset_sectors, found.device_uuid
    )


def _by_slot(member: MemberHere) -> tuple[bool, int, str]:
    return (member.slot is None, member.slot or 0, member.id)


def linux_version(release: str) -> tuple[int, int]:
    """Return the version of a kernel's release or mdadm's ("6.12.9-amd64" is (6, 12)); (0, 0) if it can't be told."""
    found = re.match(r"(\d+)\.(\d+)", release)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _slots_of(superblocks: Iterable[MemberSuperblock | MemberHere]) -> frozenset[int]:
    return frozenset(one.slot for one in superblocks if one.slot is not None)


def _state(one: MemberSuperblock, newest: MemberSuperblock) -> MemberState:
    is_fresh = one.events + EVENT_MARGIN >= newest.events
    if one.is_journal:
        return MemberState.JOURNAL if is_fresh else MemberState.BEHIND
    if one.slot is None or one.slot >= newest.slots:
        return MemberState.SPARE
    if one.feature_map & (RECOVERING | REPLACES):
        return MemberState.REBUILDING
    return MemberState.AGREES if is_fresh and one.slot in newest.working else MemberState.BEHIND


def _array_state(
    newest: MemberSuperblock, present: frozenset[int], reachable: frozenset[int], *, has_journal: bool
) -> AssemblyState:
    if not is_known_shape(newest):
        return AssemblyState.UNKNOWN
    needs_journal = _needs_journal(newest)
    if needs_journal and not has_journal:
        return AssemblyState.SHORT
    if holds_all_data(newest, present):
        is_whole = len(present) == newest.slots
        is_safe = is_whole or newest.is_clean or newest.level not in _PARITY or needs_journal
        return AssemblyState.STOPPED if is_safe else AssemblyState.DIRTY
    return AssemblyState.BEHIND if holds_all_data(newest, reachable) else AssemblyState.SHORT


def _needs_journal(newest: MemberSuperblock) -> bool:
    return bool(newest.feature_map & HAS_JOURNAL)


def is_known_shape(superblock: MemberSuperblock) -> bool:
    """True if the level, number of slots and (raid10) layout can exist; kernel ``raid10.c setup_conf``."""
    return _is_known_shape(superblock.level, superblock.slots, superblock.layout)


def _is_known_shape(level: str, slots: int, layout: int) -> bool:
    if level not in set(Level) or not 0 < slots <= _MAX_SLOTS:
        return False
    copies = (layout & 255) * (layout >> 8 & 255)
    return level != Level.RAID10 or (2 <= copies <= slots and not layout >> _LAYOUT_BITS)


def holds_all_data(newest: MemberSuperblock, present: Collection[int]) -> bool:
    """True if the members in the slots ``present`` hold all data of the array, whose shape must be known."""
    return _holds(newest.level, newest.slots, newest.layout, present)


def _holds(level: str, slots: int, layout: int, present: Collection[int]) -> bool:
    copies = copies_layout(layout) if level == Level.RAID10 else None
    return array_survives(MdArray(Level(level), (None,) * slots, layout=copies), set(range(slots)) - set(present))


def starts_on(superblocks: Iterable[MemberSuperblock]) -> StartsOn:
    """Return what the members' superblocks require of the kernel and of mdadm."""
    members = tuple(superblocks)
    features = 0
    for one in members:
        features |= one.feature_map
    needs = [(name, linux, mdadm) for bit, name, linux, mdadm in _FEATURES if features & bit]
    if any(one.is_lockless for one in members):
        needs.append(_LOCKLESS)
    if any(one.logical_block_bytes for one in members):
        needs.append(_LOGICAL_BLOCK_SIZE)
    least = max((linux for _, linux, _ in needs), default=_FIRST_LINUX)
    mdadm = max((*(mdadm for _, _, mdadm in needs), *map(_first_mdadm, members)), default=_FIRST_MDADM)
    return StartsOn(".".join(map(str, least)), tuple(name for name, _, _ in needs), str(mdadm))


def _first_mdadm(superblock: MemberSuperblock) -> MdadmVersion:
    """Return the first mdadm that knows the superblock's format and, in 0.90, its level."""
    if superblock.metadata != Metadata.V0_90:
        return _FIRST_MDADM
    return _FIRST_MDADM_0_90.get(superblock.level, MdadmVersion(1, 0))
