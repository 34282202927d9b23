"""Taking over an array from another computer: what is written, and reasons for refusal."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace

import pytest
from raidwright.core.errors import InputError, RaidwrightError
from raidwright_helper.acts import start, take_over
from raidwright_helper.host import md

from .helper_house import put_array, put_disk, put_text
from .test_helper_start import SDA, SDC, SUPERBLOCK, UUID, Machine, machine

__all__ = ["machine"]


def _prepare(machine: Machine, new_name: str = "photos") -> start.Startable:
    put_text(machine.host.root / "proc/sys/kernel/hostname", "nas\n")
    with contextlib.ExitStack() as until:
        return asyncio.run(take_over.prepare(machine.host, machine.claims, (UUID, "tank"), new_name, until))


def _refused(machine: Machine, new_name: str = "photos") -> RaidwrightError:
    with pytest.raises(RaidwrightError) as refused:
        _prepare(machine, new_name)
    assert not machine.ran
    return refused.value


def test_name_and_home_host_are_written_as_it_is_assembled(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    async def read_array(*_: object) -> md.RunningArray:
        return md.RunningArray(9, "/dev/md3", UUID, 0, 0, "photos", "1.2", "nas:photos")

    monkeypatch.setattr(md, "read_array", read_array)
    held = _prepare(machine)
    asyncio.run(take_over.take_over(machine.host, held, []))
    assert list(machine.ran[-1]) == [
        md.MDADM, "--assemble", "--update=name", "--name=photos", "--homehost=nas", f"--uuid={UUID}",
        "/dev/md/photos", "/dev/sda", "/dev/sdb", "/dev/sdc",
    ]  # fmt: skip


def test_what_is_not_whole_keeps_its_name(machine: Machine) -> None:
    machine.superblocks[SDC] = replace(machine.superblocks[SDC], events=1)
    assert _refused(machine).code == "array-lacks"
    never = {number: replace(one, working=(0, 1)) for number, one in machine.superblocks.items() if number != SDC}
    machine.superblocks = never  # it ran without the third: it may start, but isn't whole
    assert _refused(machine).code == "array-not-whole"


@pytest.mark.parametrize(
    ("change", "code"), [({"feature_map": 4}, "array-reshapes"), ({"metadata": "0.90"}, "array-nameless")]
)
def test_what_reshapes_or_has_no_name_is_refused(machine: Machine, change: dict[str, object], code: str) -> None:
    machine.superblocks = {
        number: replace(one, **change)  # type: ignore[arg-type]
        for number, one in machine.superblocks.items()
    }
    assert _refused(machine).code == code


def test_another_arrays_name_is_refused(machine: Machine) -> None:
    other = UUID.replace("00000003", "00000009")
    put_array(machine.host.root, "md9", other, "photos")
    assert _refused(machine).code == "array-name-taken"
    assert _prepare(machine, "films").called == "films"


def test_a_name_known_only_by_a_disk_is_refused_as_well(machine: Machine) -> None:
    root = machine.host.root
    put_disk(root, "sdd", "wwn-0x5003", "WD80EFZX", "ZHZ3", 8 * 10**9)
    record = root / "run/udev/data/b8:48"
    other = "0a1b2c3d-0000-0001-0000-000200000009"
    put_text(
        record,
        f"{record.read_text()}E:ID_FS_TYPE=linux_raid_member\nE:ID_FS_UUID={other}\nE:ID_FS_LABEL=oldnas:photos\n",
    )
    assert _refused(machine).code == "array-name-taken"


@pytest.mark.parametrize("name", ["", "--force", "a b", "../x", "x\n", "é", "a:b", "x" * 33, "raidwright-scratch-1"])
def test_hostile_names_reach_no_program(machine: Machine, name: str) -> None:
    refused = _refused(machine, name)
    assert isinstance(refused, InputError)
    assert refused.code == "array-name"


def test_a_host_without_a_usable_name_is_told(machine: Machine) -> None:
    assert machine.superblocks[SDA] == replace(SUPERBLOCK, slot=0)
    put_text(machine.host.root / "proc/sys/kernel/hostname", "-x;y\n")
    with contextlib.ExitStack() as until, pytest.raises(RaidwrightError) as refused:
        asyncio.run(take_over.prepare(machine.host, machine.claims, (UUID, "tank"), "photos", until))
    assert refused.value.code == "hostname"
