"""A practice disk's identification, byte for byte as in SPC-4 and as Linux read it from LIO's disks before."""

from __future__ import annotations

from raidwright.lab.disks.disk import LabDisk
from raidwright.lab.disks.identity import STANDARD, pages, wwn
from raidwright.lab.shelf import disks_from_text

_DISK = disks_from_text("8TB", at_memory_speed=True)[0]


def test_the_wwn_is_made_of_the_maker_and_the_serials_digits() -> None:
    assert wwn(_DISK).hex() == "60014ee0000100000000000000000000"
    assert (
        wwn(disks_from_text("500GB", first_number=5, at_memory_speed=True)[0]).hex()
        == "60025386000050000000000000000000"
    )


def test_every_disk_of_a_long_order_has_a_name_of_its_own() -> None:
    disks = disks_from_text("30x8TB+30x500GB", at_memory_speed=True)
    assert len({wwn(disk) for disk in disks}) == len(disks)


def test_pages_say_their_own_length_and_all_of_them_are_listed() -> None:
    found = pages(_DISK)
    numbered = {code: page for code, page in found.items() if code != STANDARD}
    assert sorted(found[0][4:]) == sorted(numbered)
    for code, page in numbered.items():
        assert page[1] == code
        assert int.from_bytes(page[2:4]) == len(page) - 4


def test_the_standard_data_has_vendor_model_and_revision_in_their_places() -> None:
    standard = pages(LabDisk("Samsung", "SSD 860 EVO", "S1", 10**9))[STANDARD]
    assert len(standard) == standard[4] + 5 == 36
    assert (standard[8:16], standard[16:32], standard[32:]) == (b"Samsung ", b"SSD 860 EVO     ", b"4.0 ")


def test_rotation_is_a_rate_or_none() -> None:
    assert pages(_DISK)[0xB1][4:6] == (7200).to_bytes(2)
    assert pages(disks_from_text("500GB", at_memory_speed=True)[0])[0xB1][4:6] == (1).to_bytes(2)
