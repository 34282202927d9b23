"""A requested change of an array, the array's running state, and the ways to make the change."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeVar

from raidwright.core.md.layouts import Level
from raidwright.core.md.mdadm_versions import MDADM_4_4, MdadmVersion
from raidwright.core.md.reshape.possibility import Condition, Possibility
from raidwright.core.messages import Message
from raidwright.core.model.plan import Consistency, Layer, LinearVolume, MdArray, Member


class ChangeKind(StrEnum):
    """Kinds of step, in the order in which a change has them."""

    CONFIGURE = "configure"  # mdadm.conf: words that would be outdated, with which mdadm would start nothing
    ADD = "add"  # disks are added; until the next step they are spares
    DROP_LOG = "drop-log"  # the partial parity log, with which the kernel reshapes nothing
    DROP_BITMAP = "drop-bitmap"
    TRUNCATE = "truncate"  # --array-size: the array's end is hidden, which can be reverted
    TAKEOVER = "takeover"  # md changes the level at once; no data moves
    RESHAPE = "reshape"  # md lays all data out anew
    EXCHANGE = "exchange"  # a larger disk takes a member's place: md copies, then the member leaves
    RESIZE = "resize"  # --size=max: the component size
    PUT_LOG_BACK = "put-log-back"
    PUT_BITMAP = "put-bitmap"
    GROW_CONTENT = "grow-content"  # the file system or LVM's physical volume is grown to the array's new end
    CHECK = "check"  # md compares all copies or parity; it continues by itself
    PARTITION = "partition"  # of a joined volume: a disk's new slices are made
    CREATE = "create"  # a new array of the volume
    EXTEND = "extend"  # LVM's group takes new arrays, and its volume all that is free


@dataclass(frozen=True, slots=True)
class ArrayContent:
    """Content of an array: libblkid's type ("" for none), where it is mounted, and the sectors that it uses.

    ``sectors`` is None if unknown; then no change may cut anything off.
    """

    kind: str = ""
    mounted_at: str = ""
    sectors: int | None = None


@dataclass(frozen=True, slots=True)
class FormerMember:
    """A device with an array's superblock and no place in it, by its node and its names below /dev/disk/by-id.

    ``freed_slot`` is the slot that it had, None for none, and for one that may hold what the array lacks.
    """

    node: str
    freed_slot: int | None = None
    ids: tuple[str, ...] = ()

    def line(self) -> str:
        """Return it as one line: ``/dev/sdb 1 wwn-0x5000``."""
        return " ".join((self.node, "-" if self.freed_slot is None else str(self.freed_slot), *self.ids))

    def is_of(self, disk: Member) -> bool:
        """True if it is ``disk``, or a partition of it."""
        return any(one == disk.id or one.startswith(f"{disk.failure_unit}-part") for one in self.ids)


def former_of_line(line: str) -> FormerMember:
    """Return the device of ``FormerMember.line``."""
    node, slot, *ids = line.split(" ")
    return FormerMember(node, int(slot) if slot.isdecimal() else None, tuple(ids))


@dataclass(frozen=True, slots=True)
class ArrayStanding:
    """Running state of an array, which its plan doesn't contain. ``busy`` is md's sync_action unless that is idle.

    ``size_sectors`` is the array's present size, 0 if unknown: --array-size may have hidden its end. ``content`` is
    None if nobody has looked. ``shares_backup``: the folder of backup files lies on the array itself.
    ``log_room_sectors`` is the members' room for a partial parity log; None: what mdadm leaves. ``conf_words`` are
    those of the array's lines in mdadm.conf that name its shape. ``former`` are the devices that carry its superblock
    and aren't in it.
    """

    missing: int = 0
    busy: str = ""
    reshapes: bool = False
    content: ArrayContent | None = None
    mdadm: MdadmVersion = MDADM_4_4
    shares_backup: bool = False
    size_sectors: int = 0
    log_room_sectors: int | None = None
    conf_words: tuple[str, ...] = ()
    former: tuple[FormerMember, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangeWish:
    """Requested change; None leaves a property as it is. ``slots`` None: as many as the added disks make.

    ``layout`` is a plan's. ``larger``: the component size becomes as large as the members allow. ``consistency``:
    the policy at the end; None keeps a bitmap and, on raid5, a partial parity log. ``exchange`` are larger disks that
    take the places of members, one after the other.
    """

    add: tuple[Member, ...] = ()
    level: Level | None = None
    layout: str | None = None
    chunk_kib: int | None = None
    slots: int | None = None
    larger: bool = False
    consistency: Consistency | None = None
    exchange: tuple[Member, ...] = ()

    @property
    def new(self) -> tuple[Member, ...]:
        """The disks that come into the array: added, or in members' places."""
        return (*self.add, *self.exchange)


L = TypeVar("L", bound=Layer)


@dataclass(frozen=True, slots=True)
class Step(Generic[L]):
    """One step: the array before and after it, and its consequences.

    ``options`` follow ``mdadm --grow NODE``, or are the words taken out of mdadm.conf; ``disks`` are those that it
    adds. ``survives`` is the number of disks of which any may fail while it runs without loss of data. ``member_bytes``
    are read and written along each member. ``bands`` are the places of the arrays that a joined volume's group takes.
    ``slot`` is the one whose member a disk takes the place of.
    """

    kind: ChangeKind
    before: L
    after: L
    options: tuple[str, ...] = ()
    disks: tuple[Member, ...] = ()
    survives: int = 0
    needs: tuple[Condition, ...] = ()
    power_cut: Message = field(default_factory=lambda: Message(""))
    way_back: Message = field(default_factory=lambda: Message(""))
    forecloses: tuple[Possibility, ...] = ()
    read_bytes: int = 0
    written_bytes: int = 0
    member_bytes: int = 0
    takes_backup: bool = False
    bands: tuple[int, ...] = ()
    slot: int | None = None

    @property
    def moves_data(self) -> bool:
        """True if md works on all data, which takes hours."""
        return self.member_bytes > 0


@dataclass(frozen=True, slots=True)
class ChangeStep(Step[MdArray]):
    """A step of an array."""


S = TypeVar("S", bound=Step[MdArray] | Step[LinearVolume])


@dataclass(frozen=True, slots=True)
class Way(Generic[L, S]):
    """A way to a change, or, with ``refusals``, the reasons why there is none (``steps`` then lead nowhere).

    ``left_out`` are sentences on what doesn't grow, and why.
    """

    wish: ChangeWish
    before: L
    after: L
    steps: tuple[S, ...] = ()
    refusals: tuple[Message, ...] = ()
    left_out: tuple[Message, ...] = ()

    @property
    def possible(self) -> bool:
        """True if every step can be made."""
        return not self.refusals

    @property
    def takes_backup(self) -> bool:
        """True if a step requires a backup file."""
        return any(step.takes_backup for step in self.steps)

    @property
    def survives(self) -> int:
        """The number of disks of which any may fail at any time during the change."""
        return min((step.survives for step in self.steps), default=0)


@dataclass(frozen=True, slots=True)
class ChangeWay(Way[MdArray, ChangeStep]):
    """A way of an array."""
