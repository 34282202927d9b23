"""File systems on arrays: their stripes against the geometry, their commands, and valid labels."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.analysis.geometry.access import Touch, touched
from raidwright.analysis.geometry.of_plan import geometry_of
from raidwright.core.errors import InputError, JobFailed
from raidwright.core.layers.capacity import stripe_of_layer
from raidwright.core.md.layouts import Level
from raidwright.core.md.stripe import Stripe, stripe_of
from raidwright.core.model.plan import MdArray, Plan
from raidwright.core.system.file_acts import FileAct, act_argv
from raidwright.core.system.filesystem import (
    Alignment,
    FileSystemKind,
    checked_kind,
    checked_label,
    checked_place,
    folder_called,
    mkfs_argv,
    read_alignment,
)

from .making_plans import equal, grouped

UUID = "0a1b2c3d-0a1b-4c3d-8a1b-0a1b2c3d0a1b"
STRIPES = [
    (equal("raid5", 4, "left-symmetric"), 3),
    (equal("raid4", 3), 2),
    (equal("raid6", 6, "left-symmetric"), 4),
    (equal("raid6", 5, "left-symmetric-6"), 3),
    (equal("raid0", 3), 3),
    (equal("raid10", 4, "n2"), 2),
    (equal("raid10", 3, "n2"), 3),
    (equal("raid10", 4, "f2"), 4),
    (equal("raid10", 4, "o2"), 4),
    (grouped("raid0", "raid1", 2, 2), 2),
    (replace(grouped("raid0", "raid5", 2, 3), chunk_kib=1024), 4),
]


@pytest.mark.parametrize(("plan", "units"), STRIPES)
def test_a_whole_stripe_fills_every_member_alike_and_reads_nothing(plan: MdArray, units: int) -> None:
    stripe, geometry = stripe_of_layer(plan), geometry_of(Plan(plan))
    assert stripe is not None
    assert (stripe.unit_kib, stripe.units) == (512, units)
    width_bytes = stripe.width_kib * 1024
    for number in (0, 1, 7):
        cells = touched(geometry, number * width_bytes, width_bytes, write=True)
        assert not {cell.touch for cell in cells} & {Touch.READ_OLD, Touch.READ_REST}
        written = Counter[int]()
        for cell in cells:
            written[cell.member] += cell.size_bytes
        assert len(set(written.values())) == 1


@pytest.mark.parametrize("plan", [equal("raid5", 4, "left-symmetric"), equal("raid6", 6)])
def test_less_than_a_stripe_reads_first(plan: MdArray) -> None:
    stripe = stripe_of_layer(plan)
    assert stripe is not None
    cells = touched(geometry_of(Plan(plan)), 0, stripe.unit_kib * 1024, write=True)
    assert {cell.touch for cell in cells} & {Touch.READ_OLD, Touch.READ_REST}


def test_what_has_no_stripe_gets_none() -> None:
    assert stripe_of(Level.RAID1, 2, 0) is None
    assert stripe_of(Level.LINEAR, 3, 64) is None
    assert stripe_of(Level.RAID1, 2, 0, inner=[Stripe(64, 3), Stripe(64, 3)]) == Stripe(64, 3)
    assert stripe_of(Level.RAID0, 2, 128, inner=[Stripe(64, 3), Stripe(64, 2)]) == Stripe(128, 2)


@given(st.integers(2, 10), st.integers(2, 10), st.integers(0, 8), st.integers(0, 8))
def test_an_outer_stripe_is_made_of_whole_inner_ones(
    outer: int, inner: int, outer_power: int, inner_power: int
) -> None:
    below = Stripe(4 << inner_power, inner)
    stripe = stripe_of(Level.RAID0, outer, 4 << outer_power, inner=[below] * outer)
    assert stripe is not None
    assert stripe.width_kib % (below.width_kib * outer) == 0
    assert stripe.width_kib % (4 << outer_power) == 0
    assert below.unit_kib % stripe.unit_kib == 0


def test_what_a_file_system_says_of_its_stripe_is_read() -> None:
    ext4 = "Block size:               4096\nRAID stride:              16\nRAID stripe width:        48\n"
    assert read_alignment(FileSystemKind.EXT4, ext4) == Alignment(64, 192)
    assert read_alignment(FileSystemKind.EXT4, "Block size:               4096\n") == Alignment()
    one = "Block size:               4096\nRAID stride:              1\nRAID stripe width:        1\n"
    assert read_alignment(FileSystemKind.EXT4, one) == Alignment()  # of a block: what isn't to be aligned
    for kind in (FileSystemKind.EXT4, FileSystemKind.XFS):
        with pytest.raises(JobFailed):
            read_alignment(kind, "something else")


@given(st.integers(2, 13), st.integers(1, 20))
def test_xfs_s_log_is_aligned_as_far_as_xfs_lets_it(power: int, units: int) -> None:
    argv = mkfs_argv(FileSystemKind.XFS, "/dev/md0", uuid=UUID, stripe=Stripe(1 << power, units))
    log_kib = int(argv[argv.index("-l") + 1].removeprefix("su=").removesuffix("k"))
    assert log_kib == min(1 << power, 256)


def test_each_command_says_the_stripe_in_its_own_words() -> None:
    stripe = Stripe(64, 3)
    ext4 = mkfs_argv(FileSystemKind.EXT4, "/dev/md0", uuid=UUID, label="tank", stripe=stripe)
    assert "nodiscard,stride=16,stripe_width=48" in ext4
    assert ext4[-3:] == ("-L", "tank", "/dev/md0")
    assert "su=64k,sw=3" in mkfs_argv(FileSystemKind.XFS, "/dev/md0", uuid=UUID, stripe=stripe)
    assert "-d" not in mkfs_argv(FileSystemKind.XFS, "/dev/md0", uuid=UUID)
    assert "stride" not in " ".join(mkfs_argv(FileSystemKind.EXT4, "/dev/md0", uuid=UUID))


@pytest.mark.parametrize("kind", FileSystemKind)
def test_no_command_forces(kind: FileSystemKind) -> None:
    words = mkfs_argv(kind, "/dev/md0", uuid=UUID, label="tank", stripe=Stripe(64, 3))
    assert not {"-f", "-F", "--force"} & set(words)
    assert UUID in words[-1] + " ".join(words)


@pytest.mark.parametrize(
    ("label", "kind"), [("a" * 17, "ext4"), ("a" * 13, "xfs"), ("a" * 33, "btrfs"), ("-L x", "ext4"), ("ä", "ext4")]
)
def test_a_label_that_does_not_fit_is_refused(label: str, kind: str) -> None:
    with pytest.raises(InputError, match="at most"):
        checked_label(label, checked_kind(kind))


def test_labels_that_fit_and_kinds_that_are_none() -> None:
    assert [checked_label("a" * kind.longest_label, kind) for kind in FileSystemKind]
    assert checked_label("", FileSystemKind.XFS) == ""
    with pytest.raises(InputError, match="ext4, xfs, btrfs"):
        checked_kind("vfat")


@pytest.mark.parametrize(
    "place",
    [
        "/", "/srv", "/srv/", "/mnt/a/b", "/srv/../etc", "/srv/..", "/srv/.x", "/etc/x", "/srv/a b", "srv/a", "/srv/-o",
        "/srv/a\n", "/srv/ä", "/srv/" + "a" * 33, "", "/srv//a", "/media/x",
    ],
)  # fmt: skip
def test_places_outside_are_refused(place: str) -> None:
    with pytest.raises(InputError, match="right below /srv or /mnt"):
        checked_place(place)


def test_places_that_are_taken() -> None:
    assert [checked_place(place) for place in ("/srv/tank", "/mnt/Tank_2-b")]


@given(st.text(max_size=60), st.sampled_from([24, 32]))
def test_an_array_of_any_name_has_a_folder_to_be_mounted_in(name: str, most: int) -> None:
    """Metadata 0.90 has no names, so such an array goes by its UUID, and other makers' have blanks and dots."""
    folder = folder_called(name, most=most)
    assert checked_place(f"/mnt/{folder}")
    assert len(folder) <= most


def test_a_plain_name_is_its_own_folder() -> None:
    names = ("tank", "Tank_2-b", "my.array 3", "fae3c47a:8696fc67:f77476e1:9510c462", "ü")
    assert [folder_called(name) for name in names] == [
        "tank",
        "Tank_2-b",
        "my-array-3",
        "fae3c47a-8696fc67-f77476e1-9510c",
        "array",
    ]


def test_the_acts_on_many_files_find_the_same_files_and_lay_none_out() -> None:
    """fio names files after the job, and fills what isn't there: stat and delete measured files of their own."""
    counted = [act_argv(act, "/mnt", size_mib=1, files=1000) for act in FileAct if act.counts_files]
    assert len(counted) == 3
    assert len({next(word for word in argv if word.startswith("--name=")) for argv in counted}) == 1
    assert all("--create_on_open=1" in argv for argv in counted)
