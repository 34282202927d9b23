"""UDisks2's objects → disks and arrays: identity, and each disk's uses."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from raidwright.cli.printing.uses import describe_use
from raidwright.core.errors import InputError
from raidwright.core.md.member_superblock import MemberSuperblock
from raidwright.core.model.disk import ArrayHere, Disk, Health, HealthSign, Use, UseKind
from raidwright.core.protocol.facts import ArrayFacts, DiskFacts
from raidwright.machine.array_json import array_as_json
from raidwright.machine.array_plan import plan_of
from raidwright.machine.bus import plain
from raidwright.machine.helper.facts import DiskFactsByDevice, HelperFacts
from raidwright.machine.late_members import has_late_members
from raidwright.machine.udisks.inventory import arrays_from, disks_from, snapshot_from
from raidwright.machine.udisks.objects import Objects
from raidwright.machine.values import Array, JoinedVolume, members_of_arrays
from raidwright.text.disk.facts import holds, holds_beside, standing

from .fake_udisks import BLOCKS, DRIVES, NAME, ROOT, disk

_MD = f"{ROOT}/mdraid/one"
_WWN = "0x5000c500a0b1c2d3"
_UUID = "0a1b2c3d:00000001:00000002:00000003"


def _objects(*letters: str) -> Objects:
    return {path: plain(each) for letter in letters for path, each in disk(letter, wwn=f"{_WWN}{letter}").items()}


def _block(name: str, **properties: Any) -> Objects:
    none = dict.fromkeys(("Drive", "MDRaid", "MDRaidMember", "CryptoBackingDevice"), "/")
    return {f"{BLOCKS}/{name}": {f"{NAME}.Block": {"Device": f"/dev/{name}", "Size": 10**9, **none, **properties}}}


def _partition(name: str, of: str, number: int, **properties: Any) -> Objects:
    objects = _block(name, Drive=f"{DRIVES}/WDC_DISK_SERIAL{of[-1].upper()}", **properties)
    objects[f"{BLOCKS}/{name}"][f"{NAME}.Partition"] = {"Number": number, "Table": f"{BLOCKS}/{of}"}
    return objects


def _set(objects: Objects, name: str, **properties: Any) -> None:
    objects[f"{BLOCKS}/{name}"][f"{NAME}.Block"] |= properties


def _mount(objects: Objects, name: str, *points: str) -> None:
    objects[f"{BLOCKS}/{name}"][f"{NAME}.Filesystem"] = {"MountPoints": list(points)}


def _array(*, running: bool = True, active: tuple[str, ...] = ("sda",)) -> Objects:
    slots = [[f"{BLOCKS}/{name}", slot, ["in_sync"], 0, {}] for slot, name in enumerate(active)]
    array = {"UUID": "a:b:c:d", "Name": "home:tank", "Level": "raid1", "Running": running, "ActiveDevices": slots}
    return {_MD: {f"{NAME}.MDRaid": array}}


def _only(objects: Objects, facts: DiskFactsByDevice | None = None) -> Disk:
    (found,) = disks_from(objects, facts or {})
    return found


def test_identity() -> None:
    found = _only(_objects("a"))
    assert found == Disk(
        id=f"wwn-{_WWN}a",
        device="/dev/sda",
        model="WDC WD80EFZX",
        serial="SERIALA",
        wwn=f"{_WWN}a",
        size_bytes=8 * 10**12,
        by_id=("scsi-SWDC_DISK_SERIALA", f"wwn-{_WWN}a"),
        rotation_rpm=7200,
        bus="scsi",
    )


def test_without_a_wwn_the_longest_name_serves() -> None:
    objects = _objects("a")
    names = ["ata-X_1", "ata-LONGER_1", "lvm-pv-uuid-abcdefghijklmnopqrstuv", "md-uuid-abcdefghijklmnopqrst"]
    _set(objects, "sda", Symlinks=[f"/dev/disk/by-id/{name}" for name in names] + ["/dev/disk/by-path/pci-0"])
    found = _only(objects)
    assert (found.id, found.bus, found.by_id) == ("ata-LONGER_1", "ata", ("ata-LONGER_1", "ata-X_1"))


def test_two_disks_with_the_same_names_are_never_free() -> None:
    """Two paths to one disk, or cheap bridges that all have one serial number."""
    objects = _objects("a", "b")
    _set(objects, "sdb", Symlinks=objects[f"{BLOCKS}/sda"][f"{NAME}.Block"]["Symlinks"])
    for found in disks_from(objects, {}):
        assert found.id == found.device
        assert found.uses == (Use(UseKind.NAMELESS),)
        assert not found.is_free


def test_only_hardware_is_a_disk() -> None:
    objects = _objects("a")
    for name in ("loop0", "ram0", "zram0", "sr0", "fd0", "dm-0", "md127", "bcache0", "mmcblk0boot0"):
        objects |= _block(name, Drive=f"{DRIVES}/WDC_DISK_SERIALA")
    objects |= _block("nbd0") | _block("sdr", Drive=f"{DRIVES}/reader", Size=0)
    objects |= _block("ubda", Drive=f"{DRIVES}/x", HintIgnore=True)
    objects |= _partition("sda1", "sda", 1)
    assert [found.device for found in disks_from(objects, {})] == ["/dev/sda"]


def test_disks_stand_in_the_kernels_order() -> None:
    objects = _objects("b", "a") | {path: plain(each) for path, each in disk("aa", wwn=_WWN).items()}
    assert [found.device for found in disks_from(objects, {})] == ["/dev/sda", "/dev/sdb", "/dev/sdaa"]


@pytest.mark.parametrize(
    ("signature", "use"),
    [
        ({"IdUsage": "filesystem", "IdType": "ext4"}, Use(UseKind.FILESYSTEM, "ext4")),
        ({"IdUsage": "filesystem", "IdType": "xfs", "IdLabel": "photos"}, Use(UseKind.FILESYSTEM, "xfs “photos”")),
        ({"IdUsage": "raid", "IdType": "LVM2_member"}, Use(UseKind.LVM)),
        ({"IdUsage": "crypto", "IdType": "crypto_LUKS"}, Use(UseKind.ENCRYPTED, "crypto_LUKS")),
        (
            {"IdUsage": "raid", "IdType": "linux_raid_member", "IdLabel": "home:old"},
            Use(UseKind.STALE_ARRAY_MEMBER, "old"),
        ),
        ({"IdUsage": "raid", "IdType": "isw_raid_member"}, Use(UseKind.SIGNATURE, "isw_raid_member")),
        ({"IdUsage": "other", "IdType": "swap"}, Use(UseKind.SIGNATURE, "swap")),
        ({"IdUsage": "other", "IdType": "bcache"}, Use(UseKind.SIGNATURE, "bcache")),
        ({"IdUsage": "newfangled"}, Use(UseKind.SIGNATURE, "newfangled")),
        ({"ReadOnly": True}, Use(UseKind.READ_ONLY)),
    ],
)
def test_a_signature_is_a_use(signature: dict[str, Any], use: Use) -> None:
    objects = _objects("a")
    _set(objects, "sda", **signature)
    assert _only(objects).uses == (use,)
    objects = _objects("a") | _partition("sda2", "sda", 2, **signature)
    if use.kind is not UseKind.READ_ONLY:  # a partition can't be taken without its disk
        assert _only(objects).uses == (Use(use.kind, use.detail, 2),)


def test_every_partition_is_looked_at() -> None:
    objects = _objects("a")
    objects[f"{BLOCKS}/sda"][f"{NAME}.PartitionTable"] = {"Type": "gpt"}
    objects |= _partition("sda2", "sda", 2, IdUsage="other", IdType="swap")
    objects |= _partition("sda1", "sda", 1, IdUsage="filesystem", IdType="vfat")
    _mount(objects, "sda1", "/boot/efi")
    objects[f"{BLOCKS}/sda2"][f"{NAME}.Swapspace"] = {"Active": True}
    assert _only(objects).uses == (
        Use(UseKind.PARTITION_TABLE, "gpt"),
        Use(UseKind.SYSTEM, "/boot/efi", 1),
        Use(UseKind.FILESYSTEM, "vfat", 1),
        Use(UseKind.SWAP, "/dev/sda2", 2),
        Use(UseKind.SIGNATURE, "swap", 2),
    )


def test_a_running_array_and_what_is_on_it() -> None:
    objects = _objects("a") | _array() | _block("md127", MDRaid=_MD, IdUsage="filesystem", IdType="ext4")
    _set(objects, "sda", MDRaidMember=_MD, IdUsage="raid", IdType="linux_raid_member")
    _mount(objects, "md127", "/srv/tank")
    facts = {"/dev/sda": DiskFacts(holders=("md127",))}
    found = _only(objects, facts)
    assert found.uses == (Use(UseKind.ARRAY_MEMBER, "tank"), Use(UseKind.MOUNTED, "/srv/tank"))
    assert found.is_live


@pytest.mark.parametrize(("running", "active"), [(False, ()), (False, ("sda",)), (True, ("sdb",))])
def test_a_stopped_array_or_one_that_threw_it_out(running: bool, active: tuple[str, ...]) -> None:
    objects = _objects("a") | _array(running=running, active=active)
    _set(objects, "sda", MDRaidMember=_MD, IdUsage="raid", IdType="linux_raid_member")
    found = _only(objects)
    assert found.uses == (Use(UseKind.STALE_ARRAY_MEMBER, "tank"),)
    assert not found.is_live
    assert not found.is_free


def _members(*letters: str, running: bool = False, **properties: Any) -> Objects:
    objects = _objects(*letters) | _array(running=running, active=())
    objects[_MD][f"{NAME}.MDRaid"] |= {"UUID": _UUID, "NumDevices": 3, **properties}
    for letter in letters:
        _set(objects, f"sd{letter}", MDRaidMember=_MD, IdUsage="raid", IdType="linux_raid_member")
    return objects


def _superblocks(*letters: str, **changes: Any) -> dict[str, MemberSuperblock]:
    slots = {"a": 0, "b": 1, "c": 2}
    newest = MemberSuperblock(_UUID, "1.2", "raid5", 3, 7, 1795622400, name="tank", homehost="nas", working=(0, 1, 2))
    return {f"wwn-{_WWN}{letter}": replace(newest, slot=slots[letter], **changes) for letter in letters}


def test_a_whole_array_that_is_stopped_is_no_leftover() -> None:
    known = HelperFacts({}, {}, {}, _superblocks("a", "b", "c"))
    seen = snapshot_from(_members("a", "b", "c"), known)
    belongs = Use(UseKind.STOPPED_ARRAY_MEMBER, "tank", array=ArrayHere(3, 3, 1795622400))
    assert [one.uses for one in seen.disks] == [(belongs,)] * 3
    assert all(one.is_takeable and not one.is_free for one in seen.disks)
    assert standing(seen.disks[0]) == "stopped array"
    expected = "belongs to the stopped array “tank” (3 of 3 disks here, last written 2026-11-25)"
    assert holds(seen.disks[0]) == describe_use(belongs) == expected
    assert holds_beside(seen.disks[0]) == "“tank” · 3 of 3 disks here · last written 2026-11-25"
    [array] = seen.arrays
    plain_array = array_as_json(array)
    told = {key: plain_array[key] for key in ("name", "uuid", "state", "members_here", "members_missing", "events")}
    assert told == {
        "name": "tank", "uuid": _UUID, "state": "stopped", "members_here": 3, "members_missing": 0, "events": 7
    }  # fmt: skip
    assert plain_array["starts_on"] == {"linux": "2.6", "needs": (), "mdadm": "2.0"}
    assert json.loads(json.dumps(plain_array))["homehost"] == "nas"
    assert members_of_arrays(seen) == tuple(known.superblocks)


def test_too_few_members_are_told_as_what_they_are() -> None:
    seen = snapshot_from(_members("a"), HelperFacts({}, {}, {}, _superblocks("a")))
    assert seen.disks[0].uses == (Use(UseKind.STALE_ARRAY_MEMBER, "tank", array=ArrayHere(1, 3, 1795622400)),)
    assert holds(seen.disks[0]) == "member of the array “tank” (1 of 3 disks here)"
    assert (seen.arrays[0].state, seen.arrays[0].members_missing) == ("short", 2)


def test_without_superblocks_their_number_decides() -> None:
    """Without the helper; UDisks2 knows the number of members."""
    whole, short = snapshot_from(_members("a", "b", "c")), snapshot_from(_members("a", "b"))
    assert {one.uses[0].kind for one in whole.disks} == {UseKind.STOPPED_ARRAY_MEMBER}
    assert whole.arrays[0].state == "stopped"
    assert {one.uses[0].kind for one in short.disks} == {UseKind.STALE_ARRAY_MEMBER}
    assert (short.arrays[0].state, array_as_json(short.arrays[0])["starts_on"]) == ("short", None)


def test_an_array_that_md_has_half_assembled_does_not_run() -> None:
    """As udev leaves it when too few members appeared; UDisks2 reports it as running."""
    objects = _members("a", "b", "c", running=True, ActiveDevices=[[f"{BLOCKS}/sda", -1, ["spare"], 0, {}]])
    objects |= _block("md127", MDRaid=_MD, Size=0)
    seen = snapshot_from(objects, HelperFacts({}, {}, {}, _superblocks("a", "b", "c")))
    assert {one.uses[0].kind for one in seen.disks} == {UseKind.STOPPED_ARRAY_MEMBER}
    assert seen.disks[0].uses[1] == Use(UseKind.HELD, "md127")
    assert [one.is_takeable for one in seen.disks] == [False, True, True]
    assert seen.arrays[0].state == "inactive"


def test_a_running_array_says_so() -> None:
    whole = [[f"{BLOCKS}/sd{letter}", slot, ["in_sync"], 0, {}] for slot, letter in enumerate("abc")]
    seen = snapshot_from(_members("a", "b", "c", running=True, ActiveDevices=whole))
    assert (seen.arrays[0].state, seen.arrays[0].members_here) == ("running", 3)
    seen = snapshot_from(_members("a", "b", running=True, ActiveDevices=whole[:2], Degraded=1))
    assert (seen.arrays[0].state, seen.arrays[0].members_missing) == ("degraded", 1)


def test_members_that_are_not_listed_yet_are_not_lost() -> None:
    """UDisks2 lists a new array's members one after the other; md's own count says how many are missing."""
    listed = [[f"{BLOCKS}/sd{letter}", slot, ["in_sync"], 0, {}] for slot, letter in enumerate("ab")]
    (array,) = snapshot_from(_members("a", "b", "c", running=True, ActiveDevices=listed[:1], Degraded=1)).arrays
    assert (array.lacks, array.former, array.degraded) == ((), (), 1)
    (array,) = snapshot_from(_members("a", "b", "c", running=True, ActiveDevices=listed, Degraded=1)).arrays
    assert [lack.slot for lack in array.lacks] == [2]


def test_members_that_are_listed_before_their_devices_are_waited_for_unless_they_are_gone() -> None:
    listed = [[f"{BLOCKS}/sd{letter}", slot, ["in_sync"], 0, {}] for slot, letter in enumerate("abc")]
    objects = _members("a", "b", running=True, ActiveDevices=listed) | _block("md127", MDRaid=_MD)
    (array,) = snapshot_from(objects).arrays
    assert has_late_members([array])
    told = replace(array, facts=ArrayFacts(device="/dev/md127", level="raid1", metadata="1.2", slots=3))
    with pytest.raises(InputError, match="UDisks2 doesn't tell yet which device is in slot 2"):
        plan_of(told)
    gone = ArrayFacts(device="/dev/md127", level="raid1", slots=3, vanished=("sdc",))
    (array,) = snapshot_from(objects, HelperFacts({}, {"/dev/md127": gone}, {}, {})).arrays
    assert not has_late_members([array])
    listed = [*listed[:2], [f"{BLOCKS}/sdc", -1, ["faulty"], 0, {}]]
    (array,) = snapshot_from(_members("a", "b", running=True, ActiveDevices=listed)).arrays
    assert not has_late_members([array])
    (array,) = snapshot_from(_members("a", "b", "c", running=True, ActiveDevices=listed)).arrays
    assert not has_late_members([array])


def test_members_are_the_kernels_where_udisks_keeps_a_removed_one() -> None:
    """After mdadm --fail and --remove UDisks2 lists the member as faulty until the array's next uevent."""
    listed = [[f"{BLOCKS}/sd{letter}", slot, ["in_sync"], 0, {}] for slot, letter in enumerate("ab")]
    listed = [*listed, [f"{BLOCKS}/sdc", -1, ["faulty"], 0, {}]]
    objects = _members("a", "b", "c", running=True, ActiveDevices=listed, Degraded=0)
    objects |= _block("md127", MDRaid=_MD)
    facts = ArrayFacts(
        device="/dev/md127",
        level="raid5",
        slots=3,
        uuid=_UUID,
        array_state="clean",
        sync_action="idle",
        degraded=1,
        members=("sda 0 in_sync none", "sdb 1 in_sync none"),
    )
    seen = snapshot_from(objects, HelperFacts({}, {"/dev/md127": facts}, {}))
    (array,) = seen.arrays
    assert ([place.slot for place in array.places], array.degraded) == ([0, 1], 1)
    assert ([lack.slot for lack in array.lacks], [one.device for one in array.former]) == ([2], ["/dev/sdc"])
    assert seen.disks[2].uses[0].kind is UseKind.STALE_ARRAY_MEMBER
    other = snapshot_from(objects, HelperFacts({}, {"/dev/md127": replace(facts, uuid="1" + _UUID[1:])}, {}))
    assert len(other.arrays[0].places) == 3  # the facts are those of an array that had the node before


def test_what_is_stacked_is_followed_to_the_mount() -> None:
    """A LUKS partition, unlocked, with LVM on it, holding the running system."""
    objects = _objects("a") | _partition("sda1", "sda", 1, IdUsage="crypto", IdType="crypto_LUKS")
    objects |= _block("dm-0", CryptoBackingDevice=f"{BLOCKS}/sda1", IdUsage="filesystem", IdType="btrfs")
    _mount(objects, "dm-0", "/", "/home")
    assert _only(objects).uses == (
        Use(UseKind.ENCRYPTED, "crypto_LUKS", 1),
        Use(UseKind.HELD, "unlocked", 1),
        Use(UseKind.SYSTEM, "/", 1),
        Use(UseKind.MOUNTED, "/home", 1),
    )


def test_holders_that_only_the_helper_sees() -> None:
    objects = _objects("a") | _block("dm-3")
    _set(objects, "sda", IdUsage="raid", IdType="LVM2_member")
    _mount(objects, "dm-3", "/")
    facts = {"/dev/sda": DiskFacts(holders=("dm-3", "bcache0"), logical_sector_bytes=512, physical_sector_bytes=4096)}
    found = _only(objects, facts)
    assert found.uses == (
        Use(UseKind.LVM),
        Use(UseKind.SYSTEM, "/"),
        Use(UseKind.HELD, "dm-3"),
        Use(UseKind.HELD, "bcache0"),
    )
    assert (found.logical_sector_bytes, found.physical_sector_bytes) == (512, 4096)


@pytest.mark.parametrize(
    ("udisks", "helper", "rpm"),
    [(7200, None, 7200), (-1, 5400, 5400), (-1, None, -1), (0, None, 0), (7200, 5400, 7200)],
)
def test_the_helper_knows_how_fast_disks_turn_that_are_not_ata(udisks: int, helper: int | None, rpm: int) -> None:
    objects = _objects("a")
    for interfaces in objects.values():
        if f"{NAME}.Drive" in interfaces:
            interfaces[f"{NAME}.Drive"]["RotationRate"] = udisks
    assert _only(objects, {"/dev/sda": DiskFacts(rotation_rpm=helper)}).rotation_rpm == rpm


def test_a_circle_of_devices_ends() -> None:
    objects = _objects("a") | _block("dm-0", CryptoBackingDevice=f"{BLOCKS}/dm-0")
    _mount(objects, "dm-0", "/srv")
    assert _only(objects, {"/dev/sda": DiskFacts(holders=("dm-0",))}).uses[0] == Use(UseKind.MOUNTED, "/srv")


def test_health_where_it_is_known() -> None:
    objects = _objects("a")
    drive = objects[f"{DRIVES}/WDC_DISK_SERIALA"]
    drive[f"{NAME}.Drive.Ata"] = {"SmartUpdated": 0, "SmartFailing": False, "SmartTemperature": 0.0}
    assert _only(objects).health == Health()
    drive[f"{NAME}.Drive.Ata"] = {
        "SmartUpdated": 1,
        "SmartFailing": True,
        "SmartTemperature": 310.15,
        "SmartPowerOnSeconds": 7200,
        "SmartNumBadSectors": -1,
    }
    assert _only(objects).health == Health(failing=True, temperature_celsius=37.0, power_on_hours=2)
    del drive[f"{NAME}.Drive.Ata"]
    drive[f"{NAME}.NVMe.Controller"] = {"SmartUpdated": 1, "SmartCriticalWarning": [], "SmartTemperature": 300}
    assert _only(objects).health == Health(failing=False, temperature_celsius=26.9)
    for words, failing, signs in (
        (["temperature"], False, (HealthSign.TEMPERATURE,)),
        (["spare", "temperature"], True, (HealthSign.SPARE, HealthSign.TEMPERATURE)),
        (["of a later version"], True, ()),
    ):
        drive[f"{NAME}.NVMe.Controller"] = {"SmartUpdated": 1, "SmartCriticalWarning": words}
        assert _only(objects).health == Health(failing=failing, signs=signs)


def test_flash_has_no_bad_sectors_by_the_numbers_of_its_attributes() -> None:
    objects = _objects("a")
    drive = objects[f"{DRIVES}/WDC_DISK_SERIALA"]
    drive[f"{NAME}.Drive"]["RotationRate"] = 0
    drive[f"{NAME}.Drive.Ata"] = {"SmartUpdated": 1, "SmartFailing": False, "SmartNumBadSectors": 3}
    assert _only(objects).health == Health(failing=False)


@pytest.mark.parametrize(
    ("told", "health"),
    [
        ({"SmartNumBadSectors": 458768, "SmartPowerOnSeconds": 3600}, Health(failing=False, power_on_hours=1)),
        ({"SmartNumBadSectors": 65535}, Health(failing=False, bad_sectors=65535)),
        ({"SmartPowerOnSeconds": 351261 * 3600, "SmartTemperature": 0.15}, Health(failing=False)),
        ({"SmartPowerOnSeconds": 0, "SmartTemperature": 528.15}, Health(failing=False)),
    ],
)
def test_raw_values_that_are_no_count_are_left_out(told: dict[str, float], health: Health) -> None:
    """UDisks2's are libatasmart's, which knows no maker's packing and no disk that counts its minutes."""
    objects = _objects("a")
    drive = objects[f"{DRIVES}/WDC_DISK_SERIALA"]
    drive[f"{NAME}.Drive.Ata"] = {"SmartUpdated": 1, "SmartFailing": False, "SmartTemperature": 0.0, **told}
    assert _only(objects).health == health


def test_an_array_as_udisks_tells_it() -> None:
    objects = _objects("a", "b") | _array(active=("sdb", "sda")) | _block("md127", MDRaid=_MD)
    objects[_MD][f"{NAME}.MDRaid"] |= {
        "Size": 8 * 10**12,
        "ChunkSize": 262144,
        "Degraded": 1,
        "SyncAction": "resync",
        "SyncCompleted": 0.25,
        "SyncRate": 10**8,
        "SyncRemainingTime": 60_000_000,
    }
    (array,) = arrays_from(objects, disks_from(objects, {}))
    assert [(one.serial, one.size_bytes) for one in array.members] == [("SERIALB", 8 * 10**12), ("SERIALA", 8 * 10**12)]
    assert (array.name, array.level, array.device, array.chunk_kib) == ("tank", "raid1", "/dev/md127", 256)
    assert (array.running, array.degraded, array.member_devices) == (True, 1, ("/dev/sdb", "/dev/sda"))
    assert (array.sync_action, array.sync_fraction, array.sync_seconds_left) == ("resync", 0.25, 60)


def test_half_of_an_object_is_no_crash() -> None:
    """Interfaces appear one by one, and a drive may be announced after its block device."""
    objects = _objects("a")
    del objects[f"{DRIVES}/WDC_DISK_SERIALA"]
    _set(objects, "sda", MDRaidMember="/gone")
    objects |= {_MD: {f"{NAME}.MDRaid": {}}, "/odd": {}}
    objects[f"{BLOCKS}/sdz"] = {f"{NAME}.Block": {}}
    assert _only(objects).model == ""
    assert arrays_from(objects)[0].sync_action == "idle"


def test_a_disk_that_names_an_array_which_is_gone_holds_nothing_of_it() -> None:
    objects = _objects("a")
    _set(objects, "sda", MDRaidMember="/gone", IdUsage="raid", IdType="linux_raid_member")
    assert [use.kind for use in _only(objects).uses] == [UseKind.STALE_ARRAY_MEMBER]
    _set(objects, "sda", IdUsage="", IdType="")
    assert not _only(objects).uses


def test_24_disks_with_partitions_are_24_disks() -> None:
    objects = _objects(*"abcdefghijklmnopqrstuvwx")
    for letter in "abcdefghijklmnopqrstuvwx":
        for number in range(1, 9):
            objects |= _partition(f"sd{letter}{number}", f"sd{letter}", number, IdUsage="filesystem", IdType="ext4")
    assert [len(disk.uses) for disk in disks_from(objects, {})] == [8] * 24


def test_an_array_says_where_it_is_mounted() -> None:
    objects = _objects("a") | _array() | _block("md127", MDRaid=_MD)
    assert arrays_from(objects)[0].mounted_at == ""
    _mount(objects, "md127", "/srv/tank")
    assert arrays_from(objects)[0].mounted_at == "/srv/tank"


def test_slots_are_the_kernels_where_udevs_are_stale() -> None:
    """UDisks2's NumDevices is udev's, which no event updates after a --grow; the kernel knows the slots."""
    objects = _objects("a", "b") | _array(active=("sda", "sdb")) | _block("md127", MDRaid=_MD)
    objects[_MD][f"{NAME}.MDRaid"] |= {"NumDevices": 1}
    [array] = arrays_from(objects)
    assert array.slots == 2
    known = HelperFacts({}, {"/dev/md127": ArrayFacts(slots=3, level="raid5", chunk_kib=64)}, {})
    [array] = arrays_from(objects, (), known)
    assert (array.slots, array.level, array.chunk_kib) == (3, "raid5", 64)


def test_what_is_of_foreign_make_goes_by_its_node_and_a_container_has_no_slots() -> None:
    objects = _objects("a", "b") | _array(active=("sda", "sdb"))
    objects |= _block("md127", MDRaid=_MD, Symlinks=["/dev/disk/by-id/md-uuid-a:b:c:d", "/dev/md/vol0"])
    objects[_MD][f"{NAME}.MDRaid"] |= {"Name": "", "NumDevices": 2}
    for name in ("sda", "sdb"):
        _set(objects, name, IdUsage="raid", IdType="isw_raid_member")
    (volume,) = arrays_from(objects, disks_from(objects, {}))
    assert (volume.name, volume.make, volume.slots) == ("vol0", "imsm", 2)
    slots = [[f"{BLOCKS}/{name}", -1, ["spare"], 0, {}] for name in ("sda", "sdb")]
    objects[_MD][f"{NAME}.MDRaid"] |= {"Level": "container", "ActiveDevices": slots}
    facts = ArrayFacts(level="container", make="imsm")
    (container,) = arrays_from(objects, disks_from(objects, {}), HelperFacts({}, {"/dev/md127": facts}, {}))
    assert (container.is_container, container.make, container.slots, container.lacks) == (True, "imsm", 0, ())


def test_an_old_array_without_a_name_goes_by_its_uuid() -> None:
    objects = _objects("a") | _array() | _block("md127", MDRaid=_MD, Symlinks=["/dev/md/tank"])
    objects[_MD][f"{NAME}.MDRaid"] |= {"Name": ""}
    _set(objects, "sda", MDRaidMember=_MD, IdUsage="raid", IdType="linux_raid_member")
    (array,) = arrays_from(objects, disks_from(objects, {}))
    assert (array.name, array.make) == ("a:b:c:d", "")


@pytest.mark.parametrize(
    ("links", "node"),
    [
        (["/dev/disk/by-id/md-uuid-a:b:c:d", "/dev/md/old", "/dev/md/tank"], "/dev/md/tank"),
        (["/dev/md/nas:tank"], "/dev/md/nas:tank"),  # another computer's
        (["/dev/disk/by-id/md-uuid-a:b:c:d"], "/dev/md127"),  # without a name, as of 0.90
    ],
)
def test_commands_are_given_a_path_that_is_there(links: list[str], node: str) -> None:
    objects = _objects("a") | _array() | _block("md127", MDRaid=_MD, Symlinks=links)
    objects[_MD][f"{NAME}.MDRaid"] |= {"Name": "nas:tank"}
    (array,) = arrays_from(objects, disks_from(objects, {}))
    assert array.node == node


def test_an_array_of_an_active_joined_volume_tells_its_volume() -> None:
    def seen(**volume: Any) -> Array:
        objects = _objects("a") | _array() | _block("md127", MDRaid=_MD, IdType="LVM2_member")
        objects[_MD][f"{NAME}.MDRaid"]["Name"] = "home:heap-0"
        objects |= _block("dm-0", Symlinks=["/dev/mapper/heap-data", "/dev/heap/data"])
        _set(objects, "dm-0", **volume)
        _mount(objects, "dm-0", "/srv/heap")
        (array,) = arrays_from(objects, disks_from(objects, {}))
        return array

    assert seen().volume == JoinedVolume("heap", "/dev/dm-0", 10**9, "/srv/heap")
    assert array_as_json(seen())["volume"]["name"] == "heap"
    assert seen(Symlinks=["/dev/other/data"]).volume == JoinedVolume("heap", "", 0)  # it isn't active
