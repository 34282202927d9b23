"""Uses of a disk, from UDisks2's data on it, its partitions, and everything stacked on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from raidwright.core.model.disk import Use, UseKind
from raidwright.core.protocol.facts import DiskFacts

from .objects import BLOCK, MDRAID, NO_OBJECT, PARTITION, PREFIX, Objects

# UDisks2's HintSystem is true of every built-in disk; these mount points mean that the running system is on it.
_SYSTEM_MOUNTS = frozenset({"/", "/boot", "/boot/efi", "/boot/firmware", "/efi", "/usr", "/var", "/etc"})


def array_name(array: Mapping[str, Any]) -> str:
    """Return an MDRaid's name without its homehost (``home:tank`` is ``tank``); its UUID if it has no name."""
    name: str = array.get("Name", "").rpartition(":")[2]
    return name or array.get("UUID", "")


class BlockMap:
    """The block devices among UDisks2's objects, and their stacking."""

    def __init__(self, objects: Objects) -> None:
        self.objects = objects
        self._partitions: dict[str, list[str]] = defaultdict(list)
        self._clear: dict[str, list[str]] = defaultdict(list)  # cleartext devices by LUKS device
        self._arrays: dict[str, str] = {}
        self._by_device: dict[str, str] = {}
        for path, block in self.all():
            self._by_device[block.get("Device", "")] = path
            if PARTITION in objects[path]:
                self._partitions[objects[path][PARTITION].get("Table", NO_OBJECT)].append(path)
            elif block.get("MDRaid", NO_OBJECT) != NO_OBJECT:
                self._arrays[block["MDRaid"]] = path
            self._clear[block.get("CryptoBackingDevice", NO_OBJECT)].append(path)
        self._clear.pop(NO_OBJECT, None)

    def all(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Path and Block properties of every block device."""
        return ((path, interfaces[BLOCK]) for path, interfaces in self.objects.items() if BLOCK in interfaces)

    def whole(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Path and Block properties of every block device that isn't a partition."""
        return ((path, block) for path, block in self.all() if PARTITION not in self.objects[path])

    def partitions(self, path: str) -> list[tuple[int, str]]:
        """Number and path of each partition of ``path``, by number."""
        found = self._partitions.get(path, ())
        return sorted((self.objects[part][PARTITION].get("Number", 0), part) for part in found)

    def device(self, path: str) -> str:
        """The device node of the block at ``path`` ("" if it is gone)."""
        device: str = self.objects.get(path, {}).get(BLOCK, {}).get("Device", "")
        return device

    def array_device(self, array: str) -> str:
        """The device node of the array at ``array`` ("" while it isn't running)."""
        return self.device(self._arrays.get(array, ""))

    def array_mounts(self, array: str) -> tuple[str, ...]:
        """The mount points of the file system directly on the array at ``array``."""
        return tuple(
            self.objects.get(self._arrays.get(array, ""), {}).get(f"{PREFIX}Filesystem", {}).get("MountPoints", ())
        )

    def above(self, path: str, holders: tuple[str, ...] = ()) -> Iterator[str]:
        """The blocks directly on ``path``: its array, its cleartext device, and ``holders`` by kernel name."""
        array = self.objects[path][BLOCK].get("MDRaidMember", NO_OBJECT)
        found = [self._arrays.get(array, ""), *self._clear.get(path, ())]
        found += [self._by_device.get(f"/dev/{name}", "") for name in holders]
        return (block for block in found if block)


def disk_uses(path: str, blocks: BlockMap, facts: DiskFacts) -> tuple[Use, ...]:
    """Return all uses of the whole disk at ``path``, the disk itself before its partitions."""
    block = blocks.objects[path][BLOCK]
    uses = []
    if block.get("ReadOnly") or facts.read_only:
        uses.append(Use(UseKind.READ_ONLY))
    uses += _block_uses(path, 0, blocks, facts.holders)
    for number, partition in blocks.partitions(path):
        uses += _block_uses(partition, number, blocks, ())
    is_member = any(use.kind is UseKind.ARRAY_MEMBER for use in uses)
    uses += [Use(UseKind.HELD, name) for name in facts.holders if not (is_member and name.startswith("md"))]
    return tuple(dict.fromkeys(uses))


def _block_uses(path: str, partition: int, blocks: BlockMap, holders: tuple[str, ...]) -> Iterator[Use]:
    """Yield the uses of one disk or partition, and then those of everything stacked on it."""
    yield from _activity(path, partition, blocks)
    yield from _content(path, partition, blocks)
    seen, ahead = {path}, list(blocks.above(path, holders))
    while ahead:
        higher = ahead.pop()
        if higher not in seen:
            seen.add(higher)
            yield from _activity(higher, partition, blocks)
            ahead += [*blocks.above(higher), *(part for _, part in blocks.partitions(higher))]


def _activity(path: str, partition: int, blocks: BlockMap) -> Iterator[Use]:
    """Yield the current mounts and swap of the block at ``path``."""
    interfaces = blocks.objects[path]
    for mount in interfaces.get(f"{PREFIX}Filesystem", {}).get("MountPoints", ()):
        yield Use(UseKind.SYSTEM if mount in _SYSTEM_MOUNTS else UseKind.MOUNTED, mount, partition)
    if interfaces.get(f"{PREFIX}Swapspace", {}).get("Active"):
        yield Use(UseKind.SWAP, blocks.device(path), partition)


def _content(path: str, partition: int, blocks: BlockMap) -> Iterator[Use]:
    """Yield the content of the block at ``path`` according to its signatures."""
    interfaces = blocks.objects[path]
    block = interfaces[BLOCK]
    if f"{PREFIX}PartitionTable" in interfaces:
        yield Use(UseKind.PARTITION_TABLE, interfaces[f"{PREFIX}PartitionTable"].get("Type", ""), partition)
    kind, label = block.get("IdType", ""), block.get("IdLabel", "")
    array = block.get("MDRaidMember", NO_OBJECT)
    if array != NO_OBJECT or kind == "linux_raid_member":
        yield _membership(path, blocks.objects.get(array, {}).get(MDRAID, {}), label, partition)
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


def _membership(path: str, array: Mapping[str, Any], label: str, partition: int) -> Use:
    active = {entry[0] for entry in array.get("ActiveDevices", ())}
    # A disk removed from its running array is as stale as one whose array doesn't run.
    runs = bool(array.get("Running")) and (not active or path in active)
    name = array_name(array) or label.rpartition(":")[2]
    return Use(UseKind.ARRAY_MEMBER if runs else UseKind.STALE_ARRAY_MEMBER, name, partition)
