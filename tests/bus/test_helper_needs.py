"""Plans that the helper's mdadm or kernel doesn't support are refused before anything is written."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from raidwright.core.errors import PlanRefused
from raidwright.core.md.layouts import Level
from raidwright.core.md.mdadm_versions import MDADM_4_4, MDADM_4_6, MdadmVersion
from raidwright.core.model.plan import Bitmap, MdArray, Member, Plan
from raidwright_helper.acts import create
from raidwright_helper.host import md
from raidwright_helper.host.host import Host

PLAN = Plan(
    MdArray(Level.RAID1, (Member("ata-a", 10**12), Member("ata-b", 10**12)), name="tank", bitmap=Bitmap.LOCKLESS)
)


def _verify(
    monkeypatch: pytest.MonkeyPatch, folder: Path, plan: Plan, mdadm: MdadmVersion, kernel: tuple[int, int]
) -> MdadmVersion:
    async def version() -> MdadmVersion:
        return mdadm

    monkeypatch.setattr(md, "mdadm_version", version)
    monkeypatch.setattr(create, "_kernel", lambda: kernel)
    return asyncio.run(create.verify_plan(Host(folder), plan))


def test_a_lockless_bitmap_needs_its_mdadm_and_its_kernel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(PlanRefused, match=r"mdadm 4\.6 or later, and this is 4\.4"):
        _verify(monkeypatch, tmp_path, PLAN, MDADM_4_4, (6, 18))
    with pytest.raises(PlanRefused, match=r"Linux 6\.18 or later, and this is 6\.12"):
        _verify(monkeypatch, tmp_path, PLAN, MDADM_4_6, (6, 12))
    assert _verify(monkeypatch, tmp_path, PLAN, MDADM_4_6, (6, 18)) == MDADM_4_6


def test_flags_that_mdadm_cannot_be_told_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    marked = replace(PLAN.array.members[0], write_mostly=True)  # type: ignore[type-var]
    plan = PLAN.on(
        replace(
            PLAN.array,
            bitmap=Bitmap.INTERNAL,
            members=(PLAN.array.members[1], marked),
            spares=(Member("ata-c", 10**12),),
        )
    )
    with pytest.raises(PlanRefused, match="mark it as well"):
        _verify(monkeypatch, tmp_path, plan, MDADM_4_4, (6, 12))
