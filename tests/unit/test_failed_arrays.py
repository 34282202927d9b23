"""Arrays that failed while they run, and raid0 without a layout: what is said of them, and what is offered."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from raidwright.core.md.assembly import assemblies
from raidwright.core.md.member_superblock import RAID0_LAYOUT, MemberSuperblock, lacks_raid0_layout, raid0_layouts_agree
from raidwright.core.protocol.facts import ArrayFacts
from raidwright.machine.helper.facts import NOTHING_KNOWN
from raidwright.machine.udisks.inventory import arrays_from
from raidwright.machine.values import Array
from raidwright.text.array.condition import margin_words
from raidwright.text.array.repair import note
from raidwright.text.array.states import state_line
from raidwright.ui.stations.arrays.actions import ArrayAction, buttons_of

UUID = "0a1b2c3d:00000001:00000002:00000003"
FAILED = ArrayFacts(device="/dev/md127", level="raid5", slots=4, uuid=UUID, has_failed=True, mounted_at="/srv/tank")
RUNS = Array(UUID, "tank", "raid5", "/dev/md127", 10**12, 512, True, 0, facts=FAILED, mounted_at="/srv/tank", slots=4)
STRIPES = tuple(
    MemberSuperblock(
        *(UUID, "1.2", "raid0", 3, 0, 1_700_000_000, 1_300_000_000),
        name="old",
        slot=slot,
        working=(0, 1, 2),
        chunk_sectors=128,
        data_sectors=sectors,
    )
    for slot, sectors in enumerate((800_000, 800_000, 499_900))
)


def test_an_array_that_failed_while_it_runs_is_to_be_unmounted_and_stopped() -> None:
    line = state_line(RUNS)
    assert RUNS.state == "failed"
    assert "has failed" in line.sentence
    assert "Unmount it from /srv/tank, then stop it." in line.sentence
    assert "can be started" not in line.sentence
    assert buttons_of(RUNS).shown == (ArrayAction.UNMOUNT, ArrayAction.STOP)
    alone = replace(RUNS, mounted_at="")
    assert "Stop it." in state_line(alone).sentence
    assert buttons_of(alone).shown == (ArrayAction.STOP,)


def test_nothing_else_is_offered_for_a_failed_array() -> None:
    told = replace(RUNS, degraded=2, places=())
    assert "survives the failure" not in margin_words(told)
    bar = note(told, lambda: None)
    assert bar.tag == "Failed"
    assert not bar.offers


def test_udisks_loses_a_failed_array_and_the_kernel_has_it() -> None:
    objects = {"/array": {"org.freedesktop.UDisks2.MDRaid": {"UUID": UUID, "Name": "nas:tank", "Level": "raid5"}}}
    [lost] = arrays_from(objects)
    assert not lost.running
    [found] = arrays_from(objects, known=replace(NOTHING_KNOWN, arrays={"/dev/md127": FAILED}))
    assert (found.running, found.device, found.mounted_at, found.state) == (True, "/dev/md127", "/srv/tank", "failed")
    [other] = arrays_from(objects, known=replace(NOTHING_KNOWN, arrays={"/dev/md127": replace(FAILED, uuid="")}))
    assert not other.running


def test_a_raid0_of_unlike_disks_without_a_layout_is_not_said_to_start() -> None:
    found = {f"disk{slot}": one for slot, one in enumerate(STRIPES)}
    [assembly] = assemblies(found)
    assert assembly.lacks_layout
    stopped = Array(UUID, "old", "raid0", "", 0, 64, False, 0, assembly=assembly, slots=3)
    line = state_line(stopped)
    assert "start it" not in line.sentence
    assert "layout-original is likelier" in line.sentence
    assert buttons_of(stopped).shown == (ArrayAction.RESCUE,)
    half = replace(stopped, device="/dev/md127")
    assert "layout-original is likelier" in state_line(half).sentence
    alike = {disk: replace(one, data_sectors=one.data_sectors + 128) for disk, one in found.items()}
    assert "all ways are the same" in state_line(replace(stopped, assembly=assemblies(alike)[0])).sentence


def _places(chunks: list[int], *, by_zone: bool) -> list[tuple[int, int]]:
    """Return member and chunk on it of each chunk, as raid0.c's map_sector has them with one layout or the other."""
    places: list[tuple[int, int]] = []
    below = 0
    for size in sorted(set(chunks)):
        here = [slot for slot, own in enumerate(chunks) if own > below]
        begins = len(places)
        for at in range((size - below) * len(here)):
            number = at if by_zone else begins + at
            places.append((here[number % len(here)], below + at // len(here)))
        below = size
    return places


@given(st.lists(st.integers(1, 9), min_size=2, max_size=6))
def test_both_layouts_of_a_raid0_agree_if_each_chunk_is_in_the_same_place(chunks: list[int]) -> None:
    members = [replace(STRIPES[0], data_sectors=size * 128 + 5) for size in chunks]
    assert raid0_layouts_agree(members) is (_places(chunks, by_zone=True) == _places(chunks, by_zone=False))


def test_which_raid0_lacks_its_layout() -> None:
    assert lacks_raid0_layout(STRIPES)
    assert not lacks_raid0_layout([replace(one, feature_map=RAID0_LAYOUT) for one in STRIPES])
    assert not lacks_raid0_layout([replace(one, data_sectors=500_100) for one in STRIPES])  # alike, but for a chunk
    assert not lacks_raid0_layout([replace(one, level="raid5") for one in STRIPES])
    assert not lacks_raid0_layout(())
