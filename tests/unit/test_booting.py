"""An array that holds the system's root, and which of its disks can start the computer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from raidwright.analysis.assessment import assess
from raidwright.analysis.booting import BootRisk, boot_risk, lone_esp
from raidwright.core.md.layouts import Level
from raidwright.core.model.disk import Disk, Use, UseKind
from raidwright.core.model.plan import MdArray, Plan
from raidwright.text.array.cards import boot_words

from tests.kit import sample, sample_arrays

_ROOT = (Use(UseKind.ARRAY_MEMBER, "root", 2), Use(UseKind.SYSTEM, "/", 2))


def _disks(*esp: bool, uses: tuple[Use, ...] = _ROOT) -> tuple[Disk, ...]:
    return tuple(sample.disk(number, has_esp=has, uses=uses) for number, has in enumerate(esp))


@pytest.mark.parametrize(("esp", "lone"), [((True, False), 0), ((True, True), None), ((False, False), None)])
def test_one_disk_alone_carries_it(esp: tuple[bool, ...], lone: int | None) -> None:
    disks = _disks(*esp)
    assert lone_esp(disks) == (None if lone is None else disks[lone])


_EFI = Use(UseKind.SYSTEM, "/boot/efi", 1)


def test_a_disk_outside_of_the_array_that_alone_starts_the_computer_counts_too() -> None:
    members = _disks(False, False)
    stick = replace(sample.disk(5), has_esp=True, uses=(_EFI,))
    assert boot_risk(members, (*members, stick), is_efi=True) == BootRisk(stick)
    unused = replace(stick, uses=())  # as on a disk that came from another computer
    assert boot_risk(members, (*members, unused), is_efi=True) is None
    assert boot_risk(_disks(True, True), (*members, stick), is_efi=True) is None
    lone = _disks(True, False)
    assert boot_risk(lone, (*lone, stick), is_efi=True) == BootRisk(lone[0], is_member=True)


@pytest.mark.parametrize(("is_efi", "risk"), [(True, BootRisk(None)), (False, None), (None, None)])
def test_where_the_last_such_disk_is_lost_the_computer_does_not_start_again(
    is_efi: bool | None, risk: BootRisk | None
) -> None:
    members = _disks(False, False)
    assert boot_risk(members, members, is_efi=is_efi) == risk
    others = _disks(False, False, uses=())
    assert boot_risk(others, others, is_efi=is_efi) is None


def test_root_must_be_on_the_array_itself() -> None:
    assert (
        lone_esp(_disks(True, False, uses=(Use(UseKind.ARRAY_MEMBER, "tank", 3), Use(UseKind.SYSTEM, "/", 2)))) is None
    )
    assert lone_esp(_disks(True, False, uses=(Use(UseKind.ARRAY_MEMBER, "tank", 2),))) is None
    assert lone_esp(_disks(True)) is None


def test_it_is_a_finding_with_what_keeps_each_disk_able_to_boot() -> None:
    disks = _disks(True, False)
    plan = Plan(MdArray(Level.RAID1, tuple(disk.as_member() for disk in disks), "root"))
    [found] = [
        one for one in assess(plan, {disk.id: disk for disk in disks}).findings if one.code == "one-efi-partition"
    ]
    assert disks[0].serial in found.sentence
    assert disks[1].serial in found.remedy
    assert found.disks == (disks[0].id,)


def test_the_arrays_card_says_it() -> None:
    array = sample_arrays.running("root", 0, 2)
    disks = [replace(sample.disk(0), id=member.id, serial=member.serial, uses=_ROOT) for member in array.members]
    disks[1] = replace(disks[1], has_esp=True)
    said = boot_words(array, {disk.id: disk for disk in disks})
    assert "copy it again after each update" in said
    lost = {disk.id: replace(disk, has_esp=False) for disk in disks}
    booted = replace(array, host=replace(sample_arrays.HOST, efi=True))
    assert "doesn't start again" in boot_words(booted, lost)
    assert boot_words(replace(array, host=sample_arrays.HOST), lost) == ""
    assert f"only {disks[1].model} {disks[1].serial} has an EFI system partition" in said
    assert boot_words(replace(array, running=False), {disk.id: disk for disk in disks}) == ""
