"""Write-mostly, failfast and homehost: from the plan's file to mdadm's options, the exports, the speed and back."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from raidwright.analysis.assessment import assess
from raidwright.analysis.findings.collect import findings_of
from raidwright.analysis.performance.of_plan import performance_of
from raidwright.core.errors import InputError, PlanRefused
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.layers.commands import create_commands
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Baseline, Bitmap, MdArray, Member, Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.core.protocol.facts import ArrayFacts
from raidwright.core.system.workload import Workload
from raidwright.export.recovery_card import recovery_card
from raidwright.machine.array_plan import plan_of
from raidwright.machine.values import Array, ArrayDevice
from raidwright.reading.plans import loads_plan
from raidwright.text.plan.exports import FORMS, ExportRequest

from .making_plans import equal, grouped, marked_plans

SSD = Member("ata-SSD_1", 10**12, baseline=Baseline(kind="ssd", sequential_read_mb_s=500, random_read_4k_iops=9000))
HDD = Member("ata-HDD_1", 10**12, baseline=Baseline(kind="hdd", sequential_read_mb_s=180, random_read_4k_iops=90))
MIRROR = Plan(
    MdArray(Level.RAID1, (SSD, replace(HDD, write_mostly=True)), name="tank", bitmap=Bitmap.INTERNAL, homehost="nas")
)


def _codes(plan: Plan) -> set[str]:
    return {finding.code for finding in findings_of(plan)}


def test_a_flag_is_said_before_the_first_that_has_it() -> None:
    (command,) = create_commands(MIRROR.top)
    assert command.shell().endswith(
        "--homehost=nas --raid-devices=2 /dev/disk/by-id/ata-SSD_1 --write-mostly /dev/disk/by-id/ata-HDD_1"
    )


def test_a_mirror_whose_marked_disk_is_first_is_made_in_the_order_that_can_be_said() -> None:
    turned = MIRROR.on(replace(MIRROR.array, members=MIRROR.array.members[::-1]))
    assert create_commands(turned.top) == create_commands(MIRROR.top)
    assert assess(turned).capacity.array_sectors == assess(MIRROR).capacity.array_sectors


def test_what_mdadm_would_mark_besides_is_refused() -> None:
    with pytest.raises(PlanRefused, match=r"ata-SSD_2.*mark it as well"):
        create_commands(MIRROR.on(replace(MIRROR.array, spares=(Member("ata-SSD_2", 10**12),))).top)


def test_a_home_host_is_the_inner_arrays_too_and_who_builds_may_say_another() -> None:
    nested = replace(grouped("raid0", "raid1", 2, 2), name="tank", homehost="nas")
    assert all("--homehost=nas" in command.argv for command in create_commands(nested))
    assert all("--homehost=box" in command.argv for command in create_commands(nested, homehost="box"))


def test_a_home_host_that_mdadm_would_leave_out_is_refused() -> None:
    fits = MIRROR.on(replace(MIRROR.array, homehost="n" * 26))  # n…n:tank is 31 bytes
    assert capacity_of(fits.top).array_sectors
    with pytest.raises(PlanRefused, match="too long together"):
        capacity_of(fits.on(replace(fits.array, homehost="n" * 27)).top)


@given(marked_plans())
def test_a_file_keeps_flags_and_home_host(array: MdArray) -> None:
    assert loads_plan(json.dumps(dump_plan(Plan(array)))) == Plan(array)


@pytest.mark.parametrize("host", ["a b", "--force", "<ignore>", "n" * 65, "a/b"])
def test_a_home_host_is_a_computers_name(host: str) -> None:
    with pytest.raises(InputError, match="homehost"):
        loads_plan(json.dumps(dump_plan(MIRROR) | {"homehost": host}))


def test_what_a_flag_means_nothing_to_is_found() -> None:
    assert "write-mostly-unused" in _codes(_marked(Plan(equal("raid5", 3)), "write-mostly"))
    assert "write-mostly-all" in _codes(_marked(Plan(equal("raid1", 2)), "write-mostly"))
    assert "failfast-unused" in _codes(_marked(Plan(equal("raid6", 4)), "failfast"))
    assert "failfast" in _codes(_marked(Plan(equal("raid10", 4)), "failfast"))
    (failfast,) = [one for one in findings_of(_marked(Plan(equal("raid1", 2)), "failfast")) if one.code == "failfast"]
    assert "bitmap" in failfast.remedy
    assert "homehost" in _codes(MIRROR)
    assert "homehost" not in _codes(MIRROR.on(replace(MIRROR.array, homehost="any")))


def test_flash_beside_marked_disks_that_turn_is_what_is_advised() -> None:
    turning = replace(HDD, baseline=replace(HDD.baseline or Baseline(), rpm=7200))
    mixed = MIRROR.on(replace(MIRROR.array, members=(SSD, turning)))
    assert "rotation-mix" in _codes(mixed)
    assert "rotation-mix" not in _codes(
        mixed.on(replace(mixed.array, members=(SSD, replace(turning, write_mostly=True))))
    )


def _marked(plan: Plan, flag: str) -> Plan:
    return plan.each_disk(lambda disk: disk.flagged([flag]))


def test_reads_leave_write_mostly_members_alone() -> None:
    plain = performance_of(MIRROR.on(replace(MIRROR.array, members=(HDD, SSD))))  # a stream stays on one mirror
    marked, alone = performance_of(MIRROR), performance_of(MIRROR.on(replace(MIRROR.array, members=(SSD,))))

    def rate(performance: object, workload: Workload) -> float:
        speeds = performance.speeds[workload].normal  # type: ignore[attr-defined]
        return float(speeds.mb_s)

    for workload in (Workload.SEQUENTIAL_READ, Workload.RANDOM_READ_4K):
        assert rate(marked, workload) == pytest.approx(rate(alone, workload), rel=0.02)
        assert rate(marked, workload) > rate(plain, workload)
    for workload in (Workload.SEQUENTIAL_WRITE, Workload.RANDOM_WRITE_4K):
        assert rate(marked, workload) == pytest.approx(rate(plain, workload))
    assert any("write-mostly" in sentence for sentence in marked.assumes)
    lost = marked.speeds[Workload.SEQUENTIAL_READ].degraded  # the flash is lost: there is no other
    assert lost is not None
    assert lost.mb_s < 200


def test_every_export_says_them() -> None:
    for form in ("mdadm", "script", "ansible", "cloud-init"):
        text = FORMS[form].text(ExportRequest(MIRROR))
        assert "--write-mostly" in text, form
        assert "--homehost=nas" in text, form
    assert "name=nas:tank" in FORMS["mdadm.conf"].text(ExportRequest(MIRROR))
    assert "marked write-mostly" in FORMS["report"].text(ExportRequest(MIRROR))


def test_the_card_names_them_and_needs_no_order_to_find_data_again() -> None:
    card = recovery_card(MIRROR.on(replace(MIRROR.array, members=MIRROR.array.members[::-1])))
    assert "marked write-mostly" in card
    assert "Home host:" in card
    assert "--write-mostly" not in card
    assert "--homehost=nas" in card


def test_a_running_arrays_plan_has_them() -> None:
    size_kib = capacity_of(MIRROR.top).component_size_kib
    facts = ArrayFacts(metadata="1.2", bitmap="internal", component_size_kib=size_kib, level="raid1", slots=2)
    facts = replace(facts, data_offset_sectors=(("sda", 264192), ("sdb", 264192)))
    places = (
        ArrayDevice(0, "/dev/sda", ("in_sync", "failfast"), SSD),
        ArrayDevice(1, "/dev/sdb", ("in_sync", "write_mostly", "failfast"), HDD),
    )
    array = Array("0a1b2c3d:1:2:3", "tank", "raid1", "/dev/md127", (size_kib or 0) * 1024, 0, True, 0)
    array = replace(array, slots=2, places=places, facts=facts, homehost="nas")
    plan = plan_of(array)
    assert [disk.flags for disk in plan.disks()] == [("failfast",), ("write-mostly", "failfast")]
    assert plan.homehost == "nas"
    (command,) = create_commands(plan.top)
    words = ("--failfast", "/dev/disk/by-id/ata-SSD_1", "--write-mostly", "/dev/disk/by-id/ata-HDD_1")
    assert command.argv[-4:] == words
