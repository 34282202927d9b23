"""Arrays put together from their members' superblocks: who is here, who fell behind, and whether md would start them.

Sources: kernel ``md.c`` (``analyze_sbs``, ``super_1_validate``: a member that is more than one event behind is left
out, "kicking non-fresh"), ``raid5.c`` ("cannot start dirty degraded array"); mdadm ``Assemble.c``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from raidwright.core.model.plan import Plan

from .layouts import Level, copies_layout
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
    MemberSuperblock,
)
from .survival import array_survives

_EVENT_MARGIN = 1
_PARITY = frozenset({Level.RAID4, Level.RAID5, Level.RAID6})
_MOST_SLOTS = 1920
_FIRST_LINUX = (2, 6)
_FEATURES = (  # bit of the feature map, its name, the first Linux that starts such an array
    (HAS_BAD_BLOCKS, "bad-block-log", (3, 1)),
    (REPLACES, "replacement", (3, 3)),
    (MOVES_DATA, "moving-data-offset", (3, 5)),
    (CLUSTERED, "clustered-bitmap", (4, 1)),
    (HAS_JOURNAL, "journal", (4, 4)),
    (HAS_PPL, "ppl", (4, 12)),
    (HAS_MANY_PPLS, "multiple-ppls", (4, 14)),
    (RAID0_LAYOUT, "raid0-layout", (5, 4)),
)
_LOCKLESS = ("lockless-bitmap", (6, 18))
_LOGICAL_BLOCK_SIZE = ("logical-block-size", (6, 19))  # the kernels before demand zero in its place


class AssemblyState(StrEnum):
    """How an array that doesn't run is. The values are part of ``raidwright array list --json``."""

    STOPPED = "stopped"  # enough members that agree are here; it can be started
    DIRTY = "dirty"  # enough are here, but one is missing and parity may not fit: the kernel starts it only by force
    BEHIND = "behind"  # enough are here only with members that fell behind
    SHORT = "short"  # too few members are here
    UNKNOWN = "foreign-make"  # of a level that isn't known


class MemberState(StrEnum):
    """What a member is to its array."""

    AGREES = "agrees"
    BEHIND = "behind"  # it was dropped before the others were last written to
    REBUILDING = "rebuilding"  # it isn't whole
    SPARE = "spare"
    JOURNAL = "journal"


@dataclass(frozen=True, slots=True)
class StartsOn:
    """What an array asks of whoever starts it: the first Linux that can, and the features because of which."""

    linux: str = "2.6"
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Assembly:
    """An array as the superblocks of those members tell it that are here.

    ``members`` are named as the caller names them. ``present`` are the slots that have a member which agrees with the
    newest, out of ``slots``; ``events`` and ``updated_s`` (Unix time) are the newest's. ``dropped`` are the slots that
    had a member when the array was last written to and have none here.
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

    @property
    def label(self) -> str:
        """What the array is called: its name, or its UUID where it has none."""
        return self.name or self.uuid

    @property
    def is_sound(self) -> bool:
        """Whether the members that are here hold all of its data."""
        return self.state in (AssemblyState.STOPPED, AssemblyState.DIRTY)

    @property
    def here(self) -> int:
        """How many of its slots have their member here."""
        return len(self.present)

    @property
    def missing(self) -> int:
        """How many haven't."""
        return self.slots - self.here

    def holds(self, member: str) -> bool:
        """Whether it needs what is on ``member``, or might: only what fell behind and spares hold none of its data."""
        state = dict(self.members).get(member)
        return state in (MemberState.AGREES, MemberState.JOURNAL)


def assemblies(found: Mapping[str, MemberSuperblock]) -> tuple[Assembly, ...]:
    """The arrays of which ``found`` are the members' superblocks, by the members' names; in the order of their UUIDs.

    Those of different layouts of superblock are put together all the same: one array has one UUID.
    """
    by_uuid: dict[str, dict[str, MemberSuperblock]] = defaultdict(dict)
    for member, superblock in found.items():
        by_uuid[superblock.uuid][member] = superblock
    return tuple(_assembly(by_uuid[uuid]) for uuid in sorted(by_uuid))


def _assembly(found: Mapping[str, MemberSuperblock]) -> Assembly:
    newest = max(found.values(), key=lambda one: (one.events, one.updated_s))
    states = {member: _state(one, newest) for member, one in found.items()}
    present = _slots_of(found[member] for member, state in states.items() if state is MemberState.AGREES)
    reachable = present | _slots_of(found[member] for member, state in states.items() if state is MemberState.BEHIND)
    return Assembly(
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
        dropped=tuple(sorted(set(newest.working) - present)),
    )


def _slots_of(superblocks: Iterable[MemberSuperblock]) -> frozenset[int]:
    return frozenset(one.slot for one in superblocks if one.slot is not None)


def _state(one: MemberSuperblock, newest: MemberSuperblock) -> MemberState:
    if one.is_journal:
        return MemberState.JOURNAL
    if one.slot is None or one.slot >= newest.slots:
        return MemberState.SPARE
    if one.feature_map & (RECOVERING | REPLACES):
        return MemberState.REBUILDING
    is_fresh = one.events + _EVENT_MARGIN >= newest.events
    return MemberState.AGREES if is_fresh and one.slot in newest.working else MemberState.BEHIND


def _array_state(
    newest: MemberSuperblock, present: frozenset[int], reachable: frozenset[int], *, has_journal: bool
) -> AssemblyState:
    if newest.level not in set(Level) or not 0 < newest.slots <= _MOST_SLOTS:
        return AssemblyState.UNKNOWN
    needs_journal = bool(newest.feature_map & HAS_JOURNAL)
    if needs_journal and not has_journal:
        return AssemblyState.SHORT
    if _survives(newest, present):
        is_whole = len(present) == newest.slots
        is_safe = is_whole or newest.is_clean or newest.level not in _PARITY or needs_journal
        return AssemblyState.STOPPED if is_safe else AssemblyState.DIRTY
    return AssemblyState.BEHIND if _survives(newest, reachable) else AssemblyState.SHORT


def _survives(newest: MemberSuperblock, present: frozenset[int]) -> bool:
    level, slots = Level(newest.level), newest.slots
    layout = copies_layout(newest.layout) if level is Level.RAID10 else None
    return array_survives(Plan(level, (None,) * slots, layout=layout), set(range(slots)) - present)


def starts_on(superblocks: Iterable[MemberSuperblock]) -> StartsOn:
    """What the members' superblocks ask of a kernel."""
    members = tuple(superblocks)
    features = 0
    for one in members:
        features |= one.feature_map
    needs = [(name, linux) for bit, name, linux in _FEATURES if features & bit]
    if any(one.is_lockless for one in members):
        needs.append(_LOCKLESS)
    if any(one.logical_block_bytes for one in members):
        needs.append(_LOGICAL_BLOCK_SIZE)
    least = max((linux for _, linux in needs), default=_FIRST_LINUX)
    return StartsOn(".".join(map(str, least)), tuple(name for name, _ in needs))
