"""Each finding appears where it should, and an ordinary plan on good disks has none that is grave."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from raidwright.analysis.advice.ranking import Wishes, candidates_for
from raidwright.analysis.findings.collect import Severity, Stake, findings_of
from raidwright.analysis.findings.of_disks import DISK_CHECKS
from raidwright.analysis.findings.of_plans import PLAN_CHECKS
from raidwright.analysis.findings.of_speed import SPEED_CHECKS
from raidwright.analysis.performance.prediction import predict
from raidwright.core.errors import PlanRefused
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.layouts import Level
from raidwright.core.model.disk import Disk, Health, Use, UseKind
from raidwright.core.model.plan import Baseline, Bitmap, MdArray, Member, Metadata, Plan
from raidwright.core.system.workload import Workload
from raidwright.reading.pool import imagined_members, parse_pool

from .making_plans import equal, grouped, member, plan, slice_of

EIGHT_TB = 15628053168
GOOD = replace(equal("raid6", 4, None, EIGHT_TB), bitmap=Bitmap.INTERNAL)


def disk(number: int, model: str = "WDC WD80EFZX-68UW8N0", **known: object) -> Disk:
    base = Disk(
        id=f"disk-{number}",
        device=f"/dev/sd{'abcdef'[number]}",
        model=model,
        serial=["VK0QX1", "R6GT7Y", "7SJ2PA", "2YHD88", "JEK1ZM", "VLG9QC"][number],
        wwn="",
        size_bytes=EIGHT_TB * 512,
        logical_sector_bytes=512,
        physical_sector_bytes=4096,
        rotation_rpm=5400,
        bus="ata",
        link=f"ata{number}",
    )
    return replace(base, **known)  # type: ignore[arg-type]


def codes(made: Plan, *disks: Disk) -> set[str]:
    return {finding.code for finding in findings_of(made, {known.id: known for known in disks})}


def rated(made: Plan, *rates_mb_s: float, link: str | None = None, ceiling_mb_s: float = 0) -> Plan:
    """Return the plan with these streaming rates of its disks."""
    rates = iter(rates_mb_s)
    known = made.each_disk(
        lambda disk: replace(disk, baseline=Baseline(kind="hdd", sequential_read_mb_s=next(rates), link=link))
    )
    return replace(known, links=((link, ceiling_mb_s),)) if link else known


PLANS: list[tuple[str, Plan]] = [
    ("no-redundancy", Plan(equal("raid0", 2))),
    ("members-share-disk", Plan(MdArray(Level.RAID1, (slice_of("a", 1), slice_of("a", 2))))),
    ("degraded-start", Plan(MdArray(Level.RAID1, (member("a"), None)))),
    ("linear-kernels", Plan(equal("linear", 2))),
    ("linear-kernels", Plan(grouped("linear", "raid1", 2, 2))),
    ("one-member", Plan(MdArray(Level.RAID1, (member("a"),)))),
    ("no-bitmap", Plan(equal("raid1", 2, None, EIGHT_TB))),
    ("assume-clean", Plan(replace(GOOD, assume_clean=True))),
    ("chunk-small", Plan(replace(GOOD, chunk_kib=16))),
    ("chunk-large", Plan(replace(GOOD, chunk_kib=4096))),
    ("chunk-odd", Plan(plan("raid0", 2**24, 2**24, chunk_kib=100))),
    ("odd-count", Plan(equal("raid10", 5, "n2"))),
    ("single-parity", Plan(equal("raid5", 3, None, EIGHT_TB))),
    (
        "single-parity",
        Plan(grouped("raid0", "raid5", 2, 3).each_disk(lambda disk: replace(disk, size_bytes=8 * 10**12))),
    ),
    ("wide-parity", Plan(equal("raid6", 13))),
    ("wide-parity", Plan(grouped("raid0", "raid6", 2, 13))),
    ("parity-disk", Plan(equal("raid4", 3))),
    ("boot-metadata", Plan(equal("raid1", 2))),
    ("final", Plan(equal("raid10", 4, "f2"))),
    ("no-slack", Plan(equal("raid1", 2))),
    ("data-offset-overlap", Plan(replace(equal("raid0", 2), metadata=Metadata.V1_0, data_offset_kib=1024))),
    ("journal-metadata", Plan(replace(equal("raid5", 3), journal=member("journal"), metadata=Metadata.V0_90))),
    ("one-journal", Plan(replace(equal("raid5", 3), journal=member("journal")))),
    ("unequal-sizes", Plan(plan("raid1", 2**24, 2**25))),
    ("whole-disk", Plan(GOOD)),
    ("slow-member", rated(Plan(GOOD), 200, 90, 210, 205)),
    ("narrow-link", rated(Plan(GOOD), 200, 200, 200, 200, link="usb1", ceiling_mb_s=420)),
    ("wide-stripe", Plan(equal("raid6", 24))),
    ("smr", Plan(GOOD.each_disk(lambda disk: replace(disk, baseline=Baseline(kind="smr"))))),
]


@pytest.mark.parametrize(
    ("code", "made"),
    [
        ("slow-member", rated(Plan(GOOD), 200, 190, 210, 205)),
        ("slow-member", rated(Plan(equal("linear", 2)), 200, 90)),
        ("narrow-link", rated(Plan(GOOD), 100, 100, 100, 100, link="usb1", ceiling_mb_s=420)),
        ("narrow-link", rated(Plan(GOOD), 200, 200, 200, 200)),
        ("wide-stripe", replace(equal("raid6", 24), chunk_kib=64)),
        ("wide-stripe", equal("raid0", 24)),
    ],
)
def test_findings_on_speed_stay_away_where_nothing_is_slow(code: str, made: Plan | MdArray) -> None:
    assert code not in codes(made if isinstance(made, Plan) else Plan(made))


@pytest.mark.parametrize(("code", "made"), PLANS)
def test_findings_on_plans(code: str, made: Plan) -> None:
    assert code in codes(made)


def test_as_wide_as_advised_is_not_too_wide() -> None:
    assert "wide-parity" not in codes(Plan(equal("raid6", 12)))
    assert "wide-parity" not in codes(Plan(grouped("raid0", "raid6", 2, 12)))
    assert "wide-parity" not in codes(Plan(equal("raid10", 24, "n2")))


DISKS = [
    ("disk-live", disk(1, uses=(Use(UseKind.MOUNTED, "/srv"),))),
    ("disk-not-empty", disk(1, uses=(Use(UseKind.FILESYSTEM, "ext4"),))),
    ("disk-of-stopped-array", disk(1, uses=(Use(UseKind.STOPPED_ARRAY_MEMBER, "tank"),))),
    ("disk-failing", disk(1, health=Health(failing=True))),
    ("bad-sectors", disk(1, health=Health(bad_sectors=8))),
    ("old-disk", disk(1, health=Health(power_on_hours=70_000))),
    ("old-disk", disk(1, health=Health(power_on_hours=45_000))),
    ("hot-disk", disk(1, health=Health(temperature_celsius=58.0))),
    ("worn-out", disk(1, health=Health(wear_percent=112))),
    ("sector-mix", disk(1, logical_sector_bytes=4096)),
    ("physical-sector-mix", disk(1, physical_sector_bytes=512)),
    ("rotation-mix", disk(1, rotation_rpm=0)),
    ("rpm-mix", disk(1, rotation_rpm=7200)),
    ("same-batch", disk(1, serial="VK0QX2")),
    ("shared-link", disk(1, link="ata0")),
    ("usb", disk(1, bus="usb")),
    ("smr", disk(1, model="WDC WD60EFAX-68SHWN0")),
    ("no-erc", disk(1, model="ST4000DM000-1F2168")),
    ("no-erc", disk(1, health=Health(has_error_recovery=False))),
    ("no-erc", disk(1, health=Health(has_error_recovery=True, error_recovery_read_s=0.0))),
]


@pytest.mark.parametrize(("code", "odd"), DISKS)
def test_findings_on_disks(code: str, odd: Disk) -> None:
    good = [disk(0), disk(2), disk(3)]
    assert code in codes(Plan(GOOD), odd, *good)
    assert code not in codes(Plan(GOOD), disk(1), *good)


def test_a_virtual_machines_disks_share_no_port_and_no_batch() -> None:
    virtual = [disk(place, link="virtio0", serial=f"VK0QX{place}") for place in range(4)]
    assert not {"shared-link", "same-batch"} & codes(Plan(GOOD), *virtual)


def test_what_a_disk_says_of_its_error_recovery_counts_more_than_its_model() -> None:
    health = Health(has_error_recovery=True, error_recovery_read_s=7.0)
    assert "no-erc" not in codes(
        Plan(GOOD), disk(1, model="ST4000DM000-1F2168", health=health), disk(0), disk(2), disk(3)
    )


def test_a_good_plan_on_good_disks_has_only_notes() -> None:
    found = findings_of(Plan(GOOD), {known.id: known for known in map(disk, range(4))})
    assert {finding.severity for finding in found} == {Severity.NOTE}


def test_the_gravest_come_first() -> None:
    found = findings_of(Plan(replace(GOOD, assume_clean=True, bitmap=Bitmap.NONE)))
    order = [list(Severity).index(finding.severity) for finding in found]
    assert order == sorted(order)
    assert {finding.at_stake for finding in found} > {Stake.DATA}


def test_of_one_severity_what_costs_most_comes_first() -> None:
    notes = findings_of(
        Plan(GOOD), {known.id: known for known in (disk(0), disk(1, serial="VK0QX2"), disk(2), disk(3))}
    )
    assert [finding.code for finding in notes] == ["same-batch", "write-hole", "whole-disk", "bitmap-cost", "no-slack"]


@pytest.mark.parametrize(
    ("larger_tb", "severity"),
    [(8.2, None), (8.8, Severity.NOTE), (16, Severity.WARNING)],
    ids=["1%", "3%", "a quarter"],
)
def test_space_left_over_weighs_by_how_much_it_is(larger_tb: float, severity: Severity | None) -> None:
    sizes = (EIGHT_TB, EIGHT_TB, int(larger_tb * 10**12 / 512))
    found = findings_of(Plan(plan("raid5", *sizes)))
    weights = {finding.code: finding.severity for finding in found}
    assert weights.get("unequal-sizes") is severity
    order = [finding.code for finding in found]
    if severity is not None:
        assert order.index("unequal-sizes") < order.index("no-slack")  # 8 TB before 352 kB


def test_every_finding_says_what_why_and_what_to_do() -> None:
    seen = [finding for _, made in PLANS for finding in findings_of(made)]
    seen += [finding for _, odd in DISKS for finding in findings_of(Plan(GOOD), {odd.id: odd, "disk-0": disk(0)})]
    for finding in seen:
        assert all(text.endswith(".") for text in (finding.sentence, finding.reason, finding.remedy)), finding
    assert len({finding.code for finding in seen}) >= len(PLAN_CHECKS) + len(DISK_CHECKS) + len(SPEED_CHECKS)


def test_what_the_plan_says_of_its_members_counts_too() -> None:
    kinds = (Baseline(kind="ssd", link="ata1"), Baseline(kind="hdd", rpm=7200, link="ata1"))
    members = tuple(replace(member(f"disk-{slot}"), baseline=kind) for slot, kind in enumerate(kinds))
    assert {"rotation-mix", "shared-link"} <= codes(Plan(MdArray(Level.RAID1, members)))


def test_models_known_from_the_plan_alone_are_judged_too() -> None:
    shingled = replace(GOOD.members[0], model="WDC WD60EFAX-68SHWN0")  # type: ignore[type-var]
    made = replace(GOOD, members=(shingled, *GOOD.members[1:]))
    assert "smr" in codes(Plan(made))


def _deep(made: Plan, **change: object) -> Plan:
    """Return the plan with each of its inner arrays changed."""
    inner = (replace(one, **change) for one in made.array.members if isinstance(one, MdArray))  # type: ignore[arg-type]
    return made.on(replace(made.array, members=tuple(inner)))


def _of_8_tb(made: Plan) -> Plan:
    return made.each_disk(lambda disk: replace(disk, size_bytes=EIGHT_TB * 512))


RAID60 = _deep(_of_8_tb(Plan(grouped("raid0", "raid6", 2, 4))), bitmap=Bitmap.INTERNAL)
RAID6 = replace(equal("raid6", 8, None, EIGHT_TB), bitmap=Bitmap.INTERNAL)


def _with_model(made: Plan, model: str) -> Plan:
    return made.each_disk(lambda disk: replace(disk, model=model))


def _without_first(made: Plan) -> Plan:
    return made.on(replace(made.array, members=(None, *made.array.members[1:])))


SMALL, SMALL_RAID60 = equal("raid6", 4), grouped("raid0", "raid6", 2, 4)
SHORT_RAID60 = replace(
    SMALL_RAID60, members=(replace(SMALL, members=(None, *SMALL.members[1:])), SMALL_RAID60.members[1])
)
MIRROR_OF_SLICES = Plan(
    MdArray(
        Level.RAID1,
        (
            MdArray(Level.RAID0, (slice_of("a", 1), member("b"))),
            MdArray(Level.RAID0, (slice_of("a", 2), member("c"))),
        ),
    )
)
MIRRORED = Plan(grouped("raid1", "raid0", 2, 2))
FLAT_AND_NESTED = [
    ("assume-clean", replace(RAID6, assume_clean=True), _deep(RAID60, assume_clean=True)),
    ("no-bitmap", replace(RAID6, bitmap=Bitmap.NONE), _deep(RAID60, bitmap=Bitmap.NONE)),
    ("old-metadata", replace(SMALL, metadata=Metadata.V0_90), _deep(Plan(SMALL_RAID60), metadata=Metadata.V0_90)),
    ("chunk-small", replace(RAID6, chunk_kib=4), _deep(RAID60, chunk_kib=4)),
    ("chunk-odd", plan("raid0", 2**24, 2**24, chunk_kib=100), _deep(MIRRORED, chunk_kib=100)),
    ("stripe-cache", replace(RAID6, chunk_kib=1024), _deep(RAID60, chunk_kib=1024)),
    ("smr", _with_model(Plan(RAID6), "ST8000DM004-2CX188"), _with_model(RAID60, "ST8000DM004-2CX188")),
    ("no-erc", _with_model(Plan(RAID6), "ST4000DM000-1F2168"), _with_model(RAID60, "ST4000DM000-1F2168")),
    ("no-slack", RAID6, RAID60),
    ("write-hole", RAID6, RAID60),
    ("wide-stripe", replace(equal("raid6", 24), chunk_kib=512), grouped("raid0", "raid6", 2, 24)),
    ("final", equal("raid10", 4, "f2"), _deep(Plan(grouped("raid0", "raid10", 2, 4)), layout="f2")),
    ("odd-count", equal("raid10", 5, "n2"), grouped("raid0", "raid10", 2, 5)),
    ("parity-disk", equal("raid4", 4), grouped("raid0", "raid4", 2, 4)),
    ("one-member", Plan(MdArray(Level.RAID1, (member("a"),))), grouped("raid0", "raid1", 2, 1)),
    ("degraded-start", _without_first(Plan(RAID6)), SHORT_RAID60),
    ("no-redundancy", equal("raid0", 4), grouped("raid0", "raid0", 2, 2)),
    ("members-share-disk", Plan(MdArray(Level.RAID1, (slice_of("a", 1), slice_of("a", 2)))), MIRROR_OF_SLICES),
]  # fmt: skip


@pytest.mark.parametrize(("code", "flat", "nested"), FLAT_AND_NESTED, ids=[row[0] for row in FLAT_AND_NESTED])
def test_arrays_in_arrays_are_told_of_as_flat_ones_are(code: str, flat: Plan | MdArray, nested: Plan | MdArray) -> None:
    """A check once covered the outermost array only, so that nested plans had none of its warnings."""
    of_flat, of_nested = (
        [(finding.code, finding.severity) for finding in findings_of(one if isinstance(one, Plan) else Plan(one))]
        for one in (flat, nested)
    )
    assert of_nested.count((code, dict(of_flat)[code])) >= 1


def test_arrays_in_arrays_without_faults_have_none() -> None:
    assert {finding.severity for finding in findings_of(RAID60)} == {Severity.NOTE}
    assert "no-redundancy" not in codes(Plan(grouped("raid1", "raid0", 2, 2)))
    assert "smr" not in codes(_with_model(Plan(grouped("raid0", "linear", 2, 2)), "ST8000DM004-2CX188"))


def _typical(level: str, count: int, kind: str, **shape: Any) -> Plan:
    disks = tuple(Member(f"disk-{n}", 10**12, baseline=Baseline(kind=kind)) for n in range(count))
    return Plan(MdArray(Level(level), disks, "tank", bitmap=Bitmap.INTERNAL, **shape))


def test_a_bitmap_s_cost_is_told_with_the_change_that_cures_it() -> None:
    plan = _typical("raid1", 2, "ssd")
    [told] = [one for one in findings_of(plan) if one.code == "bitmap-cost"]
    assert told.severity is Severity.NOTE
    assert told.change is not None
    cured = told.change.of(plan)
    assert cured.array.bitmap_chunk_kib == told.change.value
    assert not [one for one in findings_of(cured) if one.code == "bitmap-cost" and one.change]
    assert not [
        one for one in findings_of(plan.on(replace(plan.array, bitmap=Bitmap.NONE))) if one.code == "bitmap-cost"
    ]
    ways = [plan.on(replace(plan.array, bitmap_chunk_kib=chunk)) for chunk in (None, cured.array.bitmap_chunk_kib)]
    before, after = (predict(way, Workload.RANDOM_WRITE_4K_Q32) for way in ways)
    assert before is not None
    assert after is not None
    assert after.iops > 10 * before.iops


def test_a_chunk_that_hardly_gains_is_no_cure() -> None:
    disks = tuple(Member(f"disk-{n}", EIGHT_TB * 512, baseline=Baseline(kind="hdd")) for n in range(4))
    [told] = [
        one
        for one in findings_of(Plan(MdArray(Level.RAID6, disks, "t", bitmap=Bitmap.INTERNAL)))
        if one.code == "bitmap-cost"
    ]
    assert "52%" in told.sentence
    assert told.change is None


@pytest.mark.parametrize("kind", ["hdd", "ssd", "nvme"])
@pytest.mark.parametrize(("level", "count"), [("raid1", 2), ("raid5", 4), ("raid6", 8), ("raid10", 6)])
def test_what_a_change_cures_is_a_plan_that_can_be(level: str, count: int, kind: str) -> None:
    plan = _typical(level, count, kind)
    for found in findings_of(plan):
        if found.change is not None:
            assert capacity_of(found.change.of(plan).top).array_sectors > 0


def test_no_plan_that_is_ranked_warns_of_what_one_change_of_it_removes() -> None:
    for pool in ("2x1TB:ssd", "4x4TB", "8x20TB", "5x16TB", "12x8TB", "4x4TB:nvme"):
        for one in candidates_for(imagined_members(parse_pool(pool)), Wishes()).candidates:
            assert not [found.code for found in one.prepared.warnings if found.change is not None]


def test_a_bitmap_s_chunk_is_2_gib_at_most() -> None:
    plan = _typical("raid1", 2, "hdd", bitmap_chunk_kib=2**21)
    assert capacity_of(plan.top).array_sectors > 0
    with pytest.raises(PlanRefused, match="2 GiB"):
        capacity_of(plan.on(replace(plan.array, bitmap_chunk_kib=2**22)).top)
