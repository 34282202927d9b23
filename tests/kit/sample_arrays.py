"""Arrays in every state, as fixed values: for pictures and tests of the Arrays station."""

from __future__ import annotations

from dataclasses import replace

from raidwright.core.md.assembly import Assembly, AssemblyState, MemberHere, MemberState, StartsOn
from raidwright.core.md.histories import Branch
from raidwright.core.model.disk import Disk
from raidwright.core.protocol.facts import ArrayFacts, HostFacts
from raidwright.machine.values import Array, ArrayDevice, Lack, LastSeen, Snapshot

from . import sample

HOST = HostFacts("homeserver", "6.1.0-28-amd64", "4.2")
_WRITTEN_S = 1_793_654_040
_AGREES, _BEHIND = MemberState.AGREES, MemberState.BEHIND


def running(name: str, first: int, count: int, **more: object) -> Array:
    """Return a running array of ``count`` disks from the ``first`` on, in sync and mounted."""
    disks = [_disk(first + at) for at in range(count)]
    places = tuple(
        ArrayDevice(slot, disk.device, ("in_sync",), disk.as_member(), disk.link) for slot, disk in enumerate(disks)
    )
    facts = ArrayFacts(level="raid6", slots=count, used_bytes=9_760_000_000_000, file_system_bytes=16_000_000_000_000)
    whole = Array(
        uuid=f"5d1f2a30:7c9e44b1:a0c6d2e8:{first:08x}",
        name=name,
        level="raid6",
        device=f"/dev/md{100 + first}",
        size_bytes=16_000_900_661_248,
        chunk_kib=512,
        running=True,
        degraded=0,
        member_devices=tuple(disk.device for disk in disks),
        members=tuple(disk.as_member() for disk in disks),
        slots=count,
        places=places,
        mounted_at=f"/srv/{name}",
        facts=facts,
        host=HOST,
        homehost="homeserver",
    )
    return replace(whole, **more)  # type: ignore[arg-type]


def stopped(
    name: str,
    first: int,
    states: tuple[MemberState, ...],
    *,
    slots: int,
    level: str = "raid5",
    state: AssemblyState = AssemblyState.STOPPED,
    **more: object,
) -> Array:
    """Return a stopped array of ``slots`` whose first members are here in ``states``; ``more`` goes to Assembly."""
    disks = [_disk(first + at) for at in range(len(states))]
    here = tuple(
        MemberHere(disk.id, told, slot, 700 - 22 * (told is _BEHIND), _WRITTEN_S - 1320 * (told is _BEHIND))
        for slot, (disk, told) in enumerate(zip(disks, states, strict=True))
    )
    present = tuple(one.slot for one in here if one.state is _AGREES and one.slot is not None)
    known: dict[str, object] = {"is_clean": True, "starts_on": StartsOn(), "here_in_detail": here, "homehost": ""}
    uuid = f"0a1b2c3d:7c9e44b1:a0c6d2e8:{first:08x}"
    fields = known | more
    members = tuple((one.id, one.state) for one in here)
    return Array(
        uuid=uuid,
        name=name,
        level=level,
        device="",
        size_bytes=3_000_592_982_016 * (slots - 1),
        chunk_kib=512,
        running=False,
        degraded=0,
        member_devices=tuple(disk.device for disk in disks),
        members=tuple(disk.as_member() for disk in disks),
        slots=slots,
        homehost=str(fields["homehost"]),
        host=HOST,
        assembly=Assembly(
            uuid=uuid, name=name, level=level, slots=slots, metadata="1.2", state=state, present=present,
            members=members, events=700, updated_s=_WRITTEN_S, **fields,  # type: ignore[arg-type]
        ),
    )  # fmt: skip


def degraded() -> Array:
    """Return an array that has lost a disk, with a spare that takes over when the check ends."""
    whole = running("tank", 0, 4)
    lost, spare = whole.places[1], _disk(7)
    last = LastSeen(_disk(1).as_member(), "ata2", _WRITTEN_S)
    return replace(
        whole,
        degraded=1,
        lacks=(Lack(1, last),),
        places=(*(place for place in whole.places if place is not lost),
                ArrayDevice(None, spare.device, ("spare",), spare.as_member(), spare.link)),
        sync_action="check",
        sync_fraction=0.4,
        sync_seconds_left=7300,
    )  # fmt: skip


def rebuilding() -> Array:
    """Return an array whose new disk is being filled."""
    whole = running("media", 8, 4, sync_action="recover", sync_fraction=0.34, sync_seconds_left=43_200)
    coming = replace(whole.places[3], states=("spare",))
    return replace(whole, degraded=1, lacks=(Lack(3),), places=(*whole.places[:3], coming))


def parted() -> Array:
    """Return a stopped mirror of two disks, each of which was written to without the other."""
    states = (MemberState.AGREES, MemberState.PARTED)
    array = stopped("photos", 0, states, slots=2, level="raid1", state=AssemblyState.PARTED)
    assert array.assembly is not None
    halves = (Branch((member.id,), (slot,), 8, _WRITTEN_S - 60 * slot) for slot, member in enumerate(array.members))
    return replace(array, assembly=replace(array.assembly, halves=tuple(halves)))


def held_back() -> Snapshot:
    """Return a machine with arrays that can't go on as they are: parted, waiting, failed while mounted, no journal."""
    waits = ArrayFacts(level="raid6", slots=4, slots_before=3, starts_at_write=True, array_state="read-auto")
    fails = ArrayFacts(level="raid6", slots=4, has_failed=True, mounted_at="/srv/films", array_state="broken")
    journal = ArrayFacts(
        level="raid6", slots=4, consistency="journal", array_state="clean", members=("sdm 0 in_sync none",)
    )
    arrays = (
        parted(),
        running("media", 2, 4, mounted_at="", facts=replace(waits, reshapes=True)),
        running("films", 6, 4, degraded=3, mounted_at="/srv/films", facts=fails),
        running("mail", 12, 4, facts=journal),
    )
    return replace(sample.machine(), disks=tuple(_disk(number) for number in range(16)), arrays=arrays)


def every_state() -> Snapshot:
    """Return a machine with an array in each state that a card tells apart."""
    arrays = (
        degraded(),
        rebuilding(),
        running("backup", 12, 3, sync_action="reshape", sync_fraction=0.12, sync_seconds_left=90_000),
        running("attic", 15, 3, homehost="oldnas", mounted_at="", facts=ArrayFacts(level="raid6", slots=3)),
        running("vol0", 18, 2, level="raid1", make="imsm", mounted_at=""),
        stopped("photos", 20, (_AGREES, _AGREES), slots=2, level="raid1", homehost="oldnas"),
        stopped("films", 22, (_AGREES, _BEHIND), slots=3, state=AssemblyState.BEHIND, dropped=(1, 2)),
        stopped("music", 24, (_AGREES, _AGREES), slots=3, dropped=(2,)),
        stopped("mail", 26, (_AGREES, _AGREES), slots=3, state=AssemblyState.DIRTY, is_clean=False, dropped=(2,)),
        stopped("films2", 28, (_AGREES,), slots=3, state=AssemblyState.SHORT, dropped=(1, 2)),
        stopped("newk", 29, (_AGREES, _AGREES), slots=2, level="raid1",
                starts_on=StartsOn("6.19", ("logical-block-size",))),
        stopped("a-name-as-long-as-mdadm-lets-it-b", 31, (_AGREES,) * 3, slots=3, homehost="homeserver"),
    )  # fmt: skip
    return replace(sample.machine(), disks=tuple(_disk(number) for number in range(34)), arrays=arrays)


def _disk(number: int) -> Disk:
    letters = f"{'' if number < 26 else 'a'}{chr(ord('a') + number % 26)}"
    return sample.disk(
        number, id=f"wwn-0x5000c500a1b2c3{number:02x}", device=f"/dev/sd{letters}", serial=f"VK0ABC{number:02X}"
    )
