"""LVM's volumes on a tried array: read from LVM's own report, and mapped without LVM."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from raidwright.core.errors import JobFailed
from raidwright.core.protocol.results import RescueTried, RescueVerdict
from raidwright.text.array.rescue import tried_words
from raidwright_helper.host import trial_volumes
from raidwright_helper.host.host import Host
from raidwright_helper.host.trial_volumes import TrialVolume, group_on

from .helper_house import put_text

NODE = "/dev/md973"
STORE = {
    "pv_name": NODE, "pe_start": "2048", "vg_name": "vg", "vg_extent_size": "8192", "vg_missing_pv_count": "1",
}  # fmt: skip


def _segment(name: str, ranges: str, *, kind: str = "linear", start: int = 0, size: int = 81920) -> dict[str, str]:
    return {
        "vg_name": "vg", "lv_name": name, "segtype": kind, "seg_start": str(start), "seg_size": str(size),
        "stripe_size": "128" if kind == "striped" else "0", "seg_pe_ranges": ranges,
    }  # fmt: skip


SEGMENTS = [
    _segment("media", f"{NODE}:5-9", start=81920, size=40960),
    _segment("media", f"{NODE}:20-29"),
    _segment("both", f"{NODE}:30-34 {NODE}:40-44", kind="striped"),
    _segment("span", "[unknown]:0-9"),
    _segment("half", f"{NODE}:50-54 [unknown]:0-4", kind="striped"),
    _segment("pool", "pool_tdata:0-9", kind="thin-pool"),
    {**_segment("other", f"{NODE}:60-69"), "vg_name": "elsewhere"},
]


class Lvm:
    """LVM's programs: ``answers`` by name; ``ran`` are their commands."""

    def __init__(self) -> None:
        self.answers = {"pvs": {"pv": [{**STORE, "pv_name": "[unknown]"}, STORE]}, "lvs": {"seg": SEGMENTS}}
        self.ran: list[Sequence[str]] = []
        self.fails = False

    async def run(self, argv: Sequence[str], _log: list[str]) -> str:
        self.ran.append(argv)
        if self.fails:
            raise JobFailed("pvs failed: no.", code="command-failed")
        return json.dumps({"report": [self.answers[argv[0]]]})


@pytest.fixture
def lvm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lvm:
    found = Lvm()
    monkeypatch.setattr(trial_volumes, "run_lvm", found.run)
    put_text(tmp_path / "usr/sbin/lvs", "")
    return found


def test_volumes_of_this_array_alone_are_mapped(lvm: Lvm, tmp_path: Path) -> None:
    group = asyncio.run(group_on(Host(tmp_path), NODE, []))
    assert group is not None
    assert (group.name, group.missing) == ("vg", 1)
    assert group.volumes == (
        TrialVolume(
            "media", (f"0 81920 linear {NODE} {2048 + 20 * 8192}", f"81920 40960 linear {NODE} {2048 + 5 * 8192}")
        ),
        TrialVolume("both", (f"0 81920 striped 2 128 {NODE} {2048 + 30 * 8192} {NODE} {2048 + 40 * 8192}",)),
        TrialVolume("span"),
        TrialVolume("half"),
        TrialVolume("pool", why="thin-pool"),
    )  # fmt: skip
    for argv in lvm.ran:
        assert f"--devices={NODE}" in argv
        assert "--readonly" in argv


def test_what_lvm_can_not_read_is_no_group(lvm: Lvm, tmp_path: Path) -> None:
    log: list[str] = []
    lvm.answers["pvs"] = {"pv": [{**STORE, "vg_name": ""}]}
    assert asyncio.run(group_on(Host(tmp_path), NODE, log)) is None
    lvm.answers["pvs"] = {"pv": []}
    assert asyncio.run(group_on(Host(tmp_path), NODE, log)) is None
    lvm.fails = True
    assert asyncio.run(group_on(Host(tmp_path), NODE, log)) is None
    assert log == ["# pvs failed: no."]
    (tmp_path / "usr/sbin/lvs").unlink()
    assert asyncio.run(group_on(Host(tmp_path), NODE, [])) is None


def test_each_kind_of_volume_is_said() -> None:
    volumes = ("good vg/media", "damaged vg/old", "nothing vg/swap", "elsewhere vg/span", "type:thin-pool vg/pool")
    said = tried_words(
        RescueTried(RescueVerdict.DAMAGED, 0, 10**9, ("LVM2_member",), volumes=volumes, stores_missing=1)
    )
    for words in (
        "LVM's volumes on it were looked into: vg/media and vg/old.",
        "Errors are on vg/old.",
        "No file system that a trial opens is on vg/swap.",
        "vg/span can't be looked into: 1 more physical volume of the group isn't on this array.",
        "vg/pool is of a kind that a trial doesn't open",
    ):
        assert words in said
