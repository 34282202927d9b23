"""Known faults of kernels and mdadms: each told in findings and on cards where it concerns an array, nowhere else."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from raidwright.analysis.findings.of_host import findings_of_host
from raidwright.cli import main
from raidwright.core.md.known import TABLE, Kernel, Traits, faults_of
from raidwright.core.md.layouts import Level
from raidwright.core.md.mdadm_versions import MDADM_4_4, MDADM_4_5
from raidwright.core.model.disk import Disk, Health
from raidwright.core.model.plan import Member, Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.core.protocol.facts import ArrayFacts, HostFacts, ParityState
from raidwright.machine.array_json import array_as_json
from raidwright.machine.states.volume import Volume
from raidwright.machine.values import Array
from raidwright.text.array.cards import known_fault_words

from tests.kit.sample_arrays import running

from .making_plans import equal, grouped

_ISCSI = "ip-192.0.2.7:3260-iscsi-iqn.2003-01.org.example:san-lun-1"
_CONCERNED = {  # one array for each fault, the last version that has it and the first that hasn't
    "bad-blocks-refuse-newcomers": (Traits(Level.RAID5, has_bad_blocks=True), (6, 12), None),
    "write-mostly-out-of-order": (Traits(Level.RAID1, has_write_mostly=True), (7, 0), (7, 1)),
    "raid10-check-hangs": (Traits(Level.RAID10), (7, 0), (7, 1)),
    "read-recovery-hangs": (Traits(Level.RAID1, fails_to_read=True), (7, 1), (7, 2)),
    "reshape-reads-hang": (Traits(Level.RAID5, reshape_waits=True), (6, 12), (5, 19)),
    "copy-cut-off": (Traits(Level.RAID5, copies=True, has_bitmap=True), (6, 1), (3, 10)),
    "check-oops-iscsi": (Traits(Level.RAID6, is_over_iscsi=True), (7, 2), None),
}


def _codes(traits: Traits, kernel: Kernel) -> set[str]:
    return {fault.code for fault, source in faults_of(traits, kernel, MDADM_4_4) if source}


def test_every_fault_of_the_table_has_its_case() -> None:
    assert {row.fault.code for row in TABLE if row.fault} == _CONCERNED.keys()


@pytest.mark.parametrize("code", _CONCERNED)
def test_a_fault_is_told_of_the_arrays_and_versions_that_it_concerns(code: str) -> None:
    traits, has, has_not = _CONCERNED[code]
    assert code in _codes(traits, has)
    assert has_not is None or code not in _codes(traits, has_not)
    assert not _codes(Traits(Level.RAID0, has_write_mostly=True, is_over_iscsi=True, fails_to_read=True), has)
    assert code not in _codes(Traits(Level.RAID5), has)


def test_the_list_of_bad_blocks_is_told_by_mdadm_too() -> None:
    traits = Traits(Level.RAID1, has_bad_blocks=True)
    assert [fault.code for fault, _ in faults_of(traits, (6, 12), MDADM_4_4)] == ["bad-blocks-refuse-newcomers"]
    assert not list(faults_of(traits, (6, 12), MDADM_4_5))
    assert not list(faults_of(traits, (6, 1), MDADM_4_4))


def _told(plan: Plan, kernel: str, *disks: Disk) -> dict[str, str]:
    found = findings_of_host(plan, HostFacts("nas", kernel, "4.4"), disks)
    return {one.code: f"{one.sentence} {one.reason} {one.remedy}" for one in found}


def _disks(plan: Plan, path: str = "", health: Health = Health()) -> list[Disk]:  # noqa: B008  # frozen
    return [
        Disk(one.id, "/dev/sdx", one.model, one.serial, "", one.size_bytes, path=path, health=health)
        for one in plan.disks()
    ]


def test_a_plan_is_told_of_its_members_and_of_the_disks_below_them() -> None:
    mirror, parity = equal("raid1", 2), equal("raid5", 3)
    slow = replace(mirror.members[1], write_mostly=True) if isinstance(mirror.members[1], Member) else None
    marked = replace(mirror, members=(mirror.members[0], slow))
    told = _told(Plan(marked), "6.12.57+deb13-amd64")
    assert list(told) == ["write-mostly-out-of-order"]
    assert "808cec74601c" in told["write-mostly-out-of-order"]
    assert "6.12.57+deb13-amd64" in told["write-mostly-out-of-order"]
    assert not _told(Plan(mirror), "6.12.57")
    assert list(_told(Plan(parity), "6.12.57", *_disks(Plan(parity), _ISCSI))) == ["check-oops-iscsi"]
    assert not _told(Plan(parity), "6.12.57", *_disks(Plan(parity), "pci-0000:00:1f.2-ata-1"))
    assert list(_told(Plan(mirror), "6.12.57", *_disks(Plan(mirror), health=Health(bad_sectors=8)))) == [
        "read-recovery-hangs"
    ]
    assert not _told(Plan(mirror), "6.12.57", *_disks(Plan(mirror), health=Health(bad_sectors=0)))


def test_a_nested_plan_is_told_of_its_inner_arrays_once() -> None:
    assert list(_told(Plan(grouped("raid0", "raid10", 2, 4)), "6.1.0-28-amd64")) == ["raid10-check-hangs"]


def _array(level: str, **more: object) -> Array:
    host = HostFacts("homeserver", "6.12.57+deb13-amd64", "4.4")
    return running("tank", 0, 4, **{"level": level, "host": host, **more})


def test_a_card_and_the_list_name_what_concerns_the_array() -> None:
    array = _array("raid5")
    bad = array.places[0].device.removeprefix("/dev/")
    other = array.places[1].device.removeprefix("/dev/")
    assert (known_fault_words(array), array_as_json(array)["known_faults"]) == ("", [])
    array = replace(array, facts=ArrayFacts(bad_sectors=((bad, 8),)))
    assert array_as_json(array)["known_faults"] == ["bad-blocks-refuse-newcomers"]
    said = known_fault_words(array)
    assert said.startswith("Known of Linux 6.12.57+deb13-amd64: No new disk can join it")
    assert "--forget-bad-blocks" in said
    assert "4e2e208c" in said
    assert not known_fault_words(replace(array, facts=ArrayFacts(bad_sectors=((other, 8),))))
    assert not known_fault_words(replace(array, host=HostFacts("homeserver", "6.1.0-28-amd64", "4.2")))
    assert not known_fault_words(replace(array, host=None))


def test_a_cards_members_tell_of_write_mostly_and_iscsi() -> None:
    mirror = _array("raid1")
    slow = replace(mirror.places[-1], states=("in_sync", "write_mostly"))
    mirror = replace(mirror, places=(*mirror.places[:-1], slow))
    assert array_as_json(mirror)["known_faults"] == ["write-mostly-out-of-order"]
    far = _array("raid6")
    far = replace(far, places=tuple(replace(place, path=_ISCSI) for place in far.places))
    assert array_as_json(far)["known_faults"] == ["check-oops-iscsi"]
    volume = Volume("tank", (far, _array("raid10"), far))
    assert array_as_json(volume)["known_faults"] == ["check-oops-iscsi", "raid10-check-hangs"]


def test_assess_says_what_is_known_of_the_linux_that_is_asked_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "tank.json"
    file.write_text(json.dumps(dump_plan(Plan(equal("raid10", 4)))), encoding="utf-8")

    def told(*words: str) -> dict[str, str]:
        assert main(["assess", "--json", *words, str(file)]) == 0
        return {one["code"]: one["sentence"] for one in json.loads(capsys.readouterr().out)["findings"]}

    assert "raid10-check-hangs" in told("--kernel", "6.12")
    newest = told("--kernel", "7.3")
    assert "raid10-check-hangs" not in newest
    assert newest["made-by-new-kernel"] == "Linux 7.3 makes it so that it starts only on Linux 6.19 or later."
    assert not {"raid10-check-hangs", "made-by-new-kernel"} & told().keys()


def test_a_copy_that_was_cut_off_is_told_until_a_check() -> None:
    array = _array("raid5", facts=ArrayFacts(parity=ParityState.COPY_CUT_OFF))
    assert "have left wrong parity there" in known_fault_words(array)
    assert not known_fault_words(replace(array, facts=ArrayFacts(parity=ParityState.SOUND)))


def test_while_a_member_is_copied_a_card_says_what_a_power_cut_does() -> None:
    array = _array("raid5", facts=ArrayFacts(consistency="bitmap"))
    copy = replace(array.places[0], states=("spare", "replacement"))
    copied = replace(array, places=(*array.places, copy))
    assert array_as_json(copied)["known_faults"] == ["copy-cut-off"]
    assert "have it checked once the copy has ended" in known_fault_words(copied)
    assert array_as_json(replace(copied, facts=ArrayFacts(consistency="resync")))["known_faults"] == []
    waits = ArrayFacts(consistency="resync", reshapes=True, array_state="read-auto")
    assert array_as_json(replace(array, facts=waits))["known_faults"] == ["reshape-reads-hang"]
