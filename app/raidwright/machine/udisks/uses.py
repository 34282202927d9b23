"""Uses of a disk, from UDisks2's data on it, its partitions, and everything stacked on them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from raidwright.core.lvm.joined import volume_path
from raidwright.core.md.assembly import Assembly
from raidwright.core.model.disk import ArrayHere, Use, UseKind
from raidwright.core.model.names import array_uuid
from raidwright.core.protocol.device_users import DeviceUser, UserKind
from raidwright.core.protocol.facts import DiskFacts
from raidwright.machine.values import JoinedVolume

from .objects import BLOCK, MDRAID, NO_OBJECT, PARTITION, PREFIX, Objects

_ON_SEVERAL = frozenset({"btrfs", "bcachefs"})  # file systems on several devices, which share a UUID
_UNSEEN_KINDS = frozenset({"jbd", "zfs_member"})  # nothing but a claim shows that these are in use
# UDisks2's HintSystem is true of every built-in disk; these are the mount points of a running system.
_SYSTEM_MOUNTS = frozenset({"/", "/boot", "/boot/efi", "/boot/firmware", "/efi", "/usr", "/var", "/etc"})


def array_name(array: Mapping[str, Any]) -> str:
    """Return an MDRaid's name without its homehost (``home:tank`` is ``tank``); its UUID if it has no name."""
    name: str = array.get("Name", "").rpartition(":")[2]
    return name or array.get("UUID", "")


def links_of(block: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the links below /dev to a block device."""
    return tuple(block.get("Symlinks", ()))


class BlockMap:
    """The block devices among UDisks2's objects, and how they are stacked.

    ``assemblies`` are the arrays by UUID, from their members' superblocks.
    """

    def __init__(self, objects: Objects, assemblies: Iterable[Assembly] = ()) -> None:
        self.objects = objects
        self.assemblies = {one.uuid: one for one in assemblies}
        self._carriers: Counter[str] = Counter()  # number of blocks with an array's superblock, by array
        self._mounted: dict[tuple[str, str], list[str]] = defaultdict(list)  # by type and UUID of a file system
        self._partitions: dict[str, list[str]] = defaultdict(list)
        self._clear: dict[str, list[str]] = defaultdict(list)  # cleartext devices by LUKS device
        self._arrays: dict[str, str] = {}
        self._loops: dict[str, list[str]] = defaultdict(list)  # loop devices by the node below
        self._by_device: dict[str, str] = {}
        self._by_link: dict[str, str] = {}  # of device-mapper's devices, by their links below /dev
        for path, block in self.all():
            self._by_device[block.get("Device", "")] = path
            self._loops[objects[path].get(f"{PREFIX}Loop", {}).get("BackingFile", "")].append(path)
            if block.get("Device", "").startswith("/dev/dm-"):
                self._by_link |= dict.fromkeys(links_of(block), path)
            if PARTITION in objects[path]:
                self._partitions[objects[path][PARTITION].get("Table", NO_OBJECT)].append(path)
            elif block.get("MDRaid", NO_OBJECT) != NO_OBJECT:
                self._arrays[block["MDRaid"]] = path
            self._clear[block.get("CryptoBackingDevice", NO_OBJECT)].append(path)
            self._carriers[block.get("MDRaidMember", NO_OBJECT)] += 1
            if block.get("IdType") in _ON_SEVERAL and objects[path].get(f"{PREFIX}Filesystem", {}).get("MountPoints"):
                self._mounted[block["IdType"], block.get("IdUUID", "")].append(path)
        self._clear.pop(NO_OBJECT, None)
        self._loops.pop("", None)

    def all(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield path and Block properties of every block device."""
        return ((path, interfaces[BLOCK]) for path, interfaces in self.objects.items() if BLOCK in interfaces)

    def whole(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield path and Block properties of every block device that isn't a partition."""
        return ((path, block) for path, block in self.all() if PARTITION not in self.objects[path])

    def partitions(self, path: str) -> list[tuple[int, str]]:
        """Return number and path of each partition of ``path``, by number."""
        found = self._partitions.get(path, ())
        return sorted((self.objects[part][PARTITION].get("Number", 0), part) for part in found)

    def device(self, path: str) -> str:
        """Return the device node of the block at ``path`` ("" if it is gone)."""
        device: str = self.objects.get(path, {}).get(BLOCK, {}).get("Device", "")
        return device

    def is_running(self, array: str) -> bool:
        """Return True if the array at ``array`` is usable; UDisks2's Running is true of a half assembled one, too."""
        block = self.objects.get(self._arrays.get(array, ""), {}).get(BLOCK)
        runs = self.objects.get(array, {}).get(MDRAID, {}).get("Running", False)
        return bool(runs) and (block is None or block.get("Size", 0) > 0)

    def half_assembled(self, array: str) -> frozenset[str]:
        """Return the blocks of the array at ``array`` while md holds them without having started it."""
        if self.is_running(array) or array not in self._arrays:
            return frozenset()
        return frozenset(entry[0] for entry in self.objects.get(array, {}).get(MDRAID, {}).get("ActiveDevices", ()))

    def array_device(self, array: str) -> str:
        """Return the device node of the array at ``array`` ("" while it isn't running)."""
        return self.device(self._arrays.get(array, ""))

    def array_links(self, array: str) -> tuple[str, ...]:
        """Return the links below /dev to the array at ``array``."""
        return links_of(self.objects.get(self._arrays.get(array, ""), {}).get(BLOCK, {}))

    def array_mounts(self, array: str) -> tuple[str, ...]:
        """Return the mount points of the file system directly on the array at ``array``."""
        return tuple(
            self.objects.get(self._arrays.get(array, ""), {}).get(f"{PREFIX}Filesystem", {}).get("MountPoints", ())
        )

    def volume_over(self, array: str, name: str) -> JoinedVolume | None:
        """Return the joined volume that the array at ``array``, called ``name``, may be of; None for any other array.

        It has no device unless it is active.
        """
        block = self.objects.get(self._arrays.get(array, ""), {}).get(BLOCK, {})
        joined, _, slot = name.rpartition("-")
        if not (joined and slot.isdecimal() and block.get("IdType") == "LVM2_member"):
            return None
        path = self._by_link.get(volume_path(joined))
        if path is None:
            return JoinedVolume(joined, "", 0)
        mounts = self.objects[path].get(f"{PREFIX}Filesystem", {}).get("MountPoints", ())
        size_bytes: int = self.objects[path][BLOCK].get("Size", 0)
        return JoinedVolume(joined, self.device(path), size_bytes, next(iter(mounts), ""))

    def carriers(self, array: str) -> int:
        """Return the number of blocks with the superblock of the array at ``array``."""
        return self._carriers[array]

    def siblings(self, path: str) -> Iterator[str]:
        """Yield the other mounted blocks of the file system at ``path``: a btrfs can be on several disks."""
        block = self.objects[path][BLOCK]
        found = self._mounted.get((block.get("IdType", ""), block.get("IdUUID", "")), ())
        return (other for other in found if other != path)

    def loops(self, path: str) -> list[str]:
        """Return the loop devices over the block at ``path``."""
        block = self.objects[path][BLOCK]
        names = {block.get("Device", ""), *links_of(block)} if self._loops else set()
        return [loop for name in sorted(names) for loop in self._loops.get(name, ())]

    def above(self, path: str, holders: tuple[str, ...] = ()) -> Iterator[str]:
        """Yield the blocks directly on ``path``: its array, its cleartext device, its loop devices, and ``holders``.

        ``holders`` are kernel names.
        """
        array = self.objects[path][BLOCK].get("MDRaidMember", NO_OBJECT)
        found = [self._arrays.get(array, ""), *self._clear.get(path, ())]
        found += [self._by_device.get(f"/dev/{name}", "") for name in holders]
        found += self.loops(path)
        return (block for block in found if block)


def disk_uses(path: str, blocks: BlockMap, facts: DiskFacts, disk_id: str) -> tuple[Use, ...]:
    """Return every use of the whole disk at ``path``, the disk itself before its partitions."""
    block = blocks.objects[path][BLOCK]
    uses = []
    # UDisks2 hears of another write protection only by an event that the kernel doesn't send.
    if facts.read_only if facts.device else block.get("ReadOnly"):
        uses.append(Use(UseKind.READ_ONLY))
    uses += _block_uses(path, _Place(0, disk_id, facts), blocks, facts.holders)
    for number, partition in blocks.partitions(path):
        uses += _block_uses(partition, _Place(number, f"{disk_id}-part{number}", facts), blocks, ())
    is_member = any(use.kind is UseKind.ARRAY_MEMBER for use in uses)
    uses += [Use(UseKind.HELD, name) for name in facts.holders if not (is_member and name.startswith("md"))]
    uses += [use for user in facts.used_by if (use := _told_by_helper(user)) is not None]
    told: dict[tuple[object, ...], Use] = {}
    for use in uses:  # of what both tell, UDisks2's word: it names no array or the like in between
        told.setdefault((use.kind, use.detail, use.partition, use.pid), use)
    return tuple(told.values())


_HELPERS_WORD = {
    UserKind.LOG: UseKind.LOG,
    UserKind.LOOP: UseKind.LOOP,
    UserKind.SWAP: UseKind.SWAP,
    UserKind.EXPORT: UseKind.EXPORT,
}


def _told_by_helper(user: DeviceUser) -> Use | None:
    """Return the use that the helper told of; None for a holder, which is told as a disk's fact, and what is newer."""
    if user.kind == UserKind.PROCESS:
        kind = UseKind.PROCESS if user.writes else UseKind.READER
    elif user.kind == UserKind.MOUNT:
        kind = UseKind.SYSTEM if user.name in _SYSTEM_MOUNTS and not user.pid else UseKind.MOUNTED
    elif user.kind in _HELPERS_WORD:
        kind = _HELPERS_WORD[UserKind(user.kind)]
    else:
        return None
    name = f"/dev/{user.name}" if kind is UseKind.SWAP else user.name
    return Use(kind, name, user.partition, None, user.through, user.pid)


class _Place(NamedTuple):
    """A disk (``partition`` 0) or a partition of one: its by-id name, and the helper's facts on the disk."""

    partition: int
    member_id: str
    facts: DiskFacts


def _block_uses(path: str, place: _Place, blocks: BlockMap, holders: tuple[str, ...]) -> Iterator[Use]:
    """Yield the uses of one disk or partition, and then those of everything stacked on it."""
    partition = place.partition
    yield from _activity(path, partition, blocks)
    for sibling in blocks.siblings(path):
        yield from _activity(sibling, partition, blocks)
    yield from _claim(path, place, blocks)
    yield from _content(path, place, blocks)
    seen, ahead = {path}, [(higher, False) for higher in blocks.above(path, holders)]
    while ahead:
        higher, is_loops = ahead.pop()
        if higher in seen:
            continue
        seen.add(higher)
        name = blocks.device(higher).removeprefix("/dev/")
        if f"{PREFIX}Loop" in blocks.objects[higher]:
            yield Use(UseKind.LOOP, name, partition)
            is_loops = True
        yield from _activity(higher, partition, blocks, through=name if is_loops else "")
        ahead += [(one, is_loops) for one in blocks.above(higher)]
        ahead += [(part, is_loops) for _, part in blocks.partitions(higher)]


def _activity(path: str, partition: int, blocks: BlockMap, *, through: str = "") -> Iterator[Use]:
    """Yield the current mounts and swap of the block at ``path``."""
    interfaces = blocks.objects[path]
    for mount in interfaces.get(f"{PREFIX}Filesystem", {}).get("MountPoints", ()):
        kind = UseKind.SYSTEM if mount in _SYSTEM_MOUNTS else UseKind.MOUNTED
        yield Use(kind, mount, partition, through=through)
    if interfaces.get(f"{PREFIX}Swapspace", {}).get("Active"):
        yield Use(UseKind.SWAP, blocks.device(path), partition, through=through)


def _claim(path: str, place: _Place, blocks: BlockMap) -> Iterator[Use]:
    """Yield a use if the block at ``path`` is claimed exclusively and nothing shows another use.

    The kernel reports claims to the helper. Without the helper, kinds that only a claim would show count as in use.
    """
    block = blocks.objects[path][BLOCK]
    kind, label, claimed = block.get("IdType", ""), block.get("IdLabel", ""), place.facts.claimed
    if any(blocks.siblings(path)):
        return
    is_claimed = kind in _UNSEEN_KINDS if claimed is None else blocks.device(path) in claimed
    if is_claimed and not blocks.objects[path].get(f"{PREFIX}Filesystem", {}).get("MountPoints"):
        yield Use(UseKind.HELD, f"{kind} “{label}”" if label else kind, place.partition)


def _content(path: str, place: _Place, blocks: BlockMap) -> Iterator[Use]:
    """Yield the contents of the block at ``path`` by its signatures."""
    interfaces, partition = blocks.objects[path], place.partition
    block = interfaces[BLOCK]
    if f"{PREFIX}PartitionTable" in interfaces:
        yield Use(UseKind.PARTITION_TABLE, interfaces[f"{PREFIX}PartitionTable"].get("Type", ""), partition)
    kind, label = block.get("IdType", ""), block.get("IdLabel", "")
    array = block.get("MDRaidMember", NO_OBJECT)
    # UDisks2 goes on naming an array that is gone where it heard of the erased superblock first.
    if array in blocks.objects or kind == "linux_raid_member":
        yield _membership(path, array, place, blocks)
        if path in blocks.half_assembled(array):
            yield Use(UseKind.HELD, blocks.array_device(array).removeprefix("/dev/"), partition)
    elif kind == "LVM2_member":
        yield Use(UseKind.LVM, label, partition)
    elif block.get("IdUsage") == "crypto":
        yield Use(UseKind.ENCRYPTED, kind, partition)
        if any(blocks.above(path)):
            yield Use(UseKind.HELD, "unlocked", partition)
    elif block.get("IdUsage") == "filesystem":
        yield Use(UseKind.FILESYSTEM, f"{kind} “{label}”" if label else kind, partition)
    elif kind or block.get("IdUsage"):
        yield Use(UseKind.SIGNATURE, kind or block["IdUsage"], partition)


def _membership(path: str, array_path: str, place: _Place, blocks: BlockMap) -> Use:
    """Return the membership of a running array, of one that could be started, or of one with too few members."""
    array, block = blocks.objects.get(array_path, {}).get(MDRAID, {}), blocks.objects[path][BLOCK]
    active = {entry[0] for entry in array.get("ActiveDevices", ())}
    name = array_name(array) or block.get("IdLabel", "").rpartition(":")[2]
    if blocks.is_running(array_path):
        # A disk that its running array has failed is no use to it any more.
        is_in = not active or path in active
        return Use(UseKind.ARRAY_MEMBER if is_in else UseKind.STALE_ARRAY_MEMBER, name, place.partition)
    told: ArrayHere | None
    assembly = blocks.assemblies.get(array_uuid(array.get("UUID") or block.get("IdUUID", "")))
    if assembly is not None:
        is_needed = assembly.is_sound and assembly.holds(place.member_id)
        told = ArrayHere(assembly.here, assembly.slots, assembly.updated_s)
        name = name or assembly.label
    else:  # without superblocks only the number of members is known
        here, slots = blocks.carriers(array_path) if array else 1, array.get("NumDevices", 0)
        is_needed = 0 < slots <= here
        told = ArrayHere(here, slots) if slots else None
    kind = UseKind.STOPPED_ARRAY_MEMBER if is_needed else UseKind.STALE_ARRAY_MEMBER
    return Use(kind, name, place.partition, told)
