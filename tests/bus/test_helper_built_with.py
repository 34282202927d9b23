"""A kernel is asked what it was built with: Debian's 7.2 has neither linear arrays nor lockless bitmaps."""

from __future__ import annotations

from pathlib import Path

import pytest
from raidwright.core.errors import PlanRefused
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, MdArray, Plan
from raidwright_helper.host.built_with import lacks_linear, refuse_unbuilt
from raidwright_helper.host.host import Host

from .helper_house import put_text

LINEAR = Plan(MdArray(Level.LINEAR, (None, None)))
LOCKLESS = Plan(MdArray(Level.RAID1, (None, None), bitmap=Bitmap.LOCKLESS))


@pytest.fixture
def host(tmp_path: Path) -> Host:
    put_text(tmp_path / "proc/sys/kernel/osrelease", "7.2.7+deb14-amd64\n")
    return Host(tmp_path)


def test_a_kernel_whose_modules_are_not_known_is_taken_at_its_version(host: Host) -> None:
    refuse_unbuilt(host, LINEAR)
    refuse_unbuilt(host, LOCKLESS)


@pytest.mark.parametrize("place", ["modules.alias", "modules.builtin.modinfo"])
def test_linear_is_a_module_built_in_or_missing(host: Host, place: str) -> None:
    folder = host.root / "lib/modules/7.2.7+deb14-amd64"
    put_text(folder / "modules.alias", "alias md-level-0 raid0\n")
    put_text(folder / "modules.builtin.modinfo", "md_mod.license=GPL\0")
    assert lacks_linear(host)
    with pytest.raises(PlanRefused, match=r"\(7\.2\.7\+deb14-amd64\) was built without linear"):
        refuse_unbuilt(host, LINEAR)
    refuse_unbuilt(host, Plan(MdArray(Level.RAID0, (None, None))))
    put_text(folder / place, "alias md-level--1 md_linear\n")
    assert not lacks_linear(host)
    refuse_unbuilt(host, LINEAR)


def test_lockless_bitmaps_are_a_word_of_its_configuration(host: Host) -> None:
    config = host.root / "boot/config-7.2.7+deb14-amd64"
    put_text(config, "CONFIG_MD_BITMAP=y\n# CONFIG_MD_LLBITMAP is not set\n")
    with pytest.raises(PlanRefused, match="without lockless bitmaps"):
        refuse_unbuilt(host, LOCKLESS)
    refuse_unbuilt(host, Plan(MdArray(Level.RAID1, (None, None), bitmap=Bitmap.INTERNAL)))
    put_text(config, "CONFIG_MD_LLBITMAP=y\n")
    refuse_unbuilt(host, LOCKLESS)
