"""Shared bottlenecks of disks, from their rates alone and all at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.analysis.performance.at_once import SharedLimits, limits_of
from raidwright.analysis.performance.odd_disks import MeasuredDisk
from raidwright.core.model.plan import Baseline
from raidwright.core.protocol.measured import Figures
from raidwright.core.system.baseline import Measurement

RATES = st.floats(1.0, 1e6)


def did(mb_s: float, iops: float) -> Mapping[str, Figures]:
    return {
        Measurement.READ_OUTSIDE: Figures(mb_s, 0.0, 0.0, 0.0),
        Measurement.READ_4K_DEEP: Figures(0.0, iops, 0.0, 0.0),
    }


def disk(link: str, mb_s: float = 200.0, iops: float = 300.0) -> MeasuredDisk:
    return MeasuredDisk(link, 10**12, Baseline(link=link or None), did(mb_s, iops))


# Links, each disk's rate alone, and all at once: in MB/s; the last is the result.
CASES = [
    (["ata1", "ata2"], [200, 200], [198, 203], SharedLimits()),
    (["usb3", "usb3", "ata1"], [200, 200, 200], [150, 150, 200], SharedLimits({"usb3": 300})),
    (["usb3", "usb3", "ata1"], [200, 200, 200], [180, 180, 200], SharedLimits()),
    (["usb3", "usb3", "usb4", "usb4"], [200] * 4, [100] * 4, SharedLimits({}, 400)),
    (["usb3", "usb3", "usb4", "usb4"], [200] * 4, [100, 100, 160, 160], SharedLimits({"usb3": 200, "usb4": 320})),
    (["ata1", "ata2", ""], [500, 500, 500], [300, 300, 300], SharedLimits({}, 900)),
    (["usb3", "usb3", "ata1", "ata2"], [500] * 4, [240, 240, 450, 300], SharedLimits({"usb3": 480}, 1230)),
    (["usb3", "usb3"], [200, 200], [60, 60], SharedLimits()),  # it stalled: one alone was faster
    (["", ""], [500, 100], [200, 50], SharedLimits()),
]  # fmt: skip


@pytest.mark.parametrize(("links", "alone", "at_once", "found"), CASES)
def test_what_holds_them_back_is_named(
    links: list[str], alone: list[float], at_once: list[float], found: SharedLimits
) -> None:
    disks = [disk(link, mb_s) for link, mb_s in zip(links, alone, strict=True)]
    assert limits_of(disks, [did(mb_s, 300.0) for mb_s in at_once]) == found


def test_the_computers_accesses_are_counted_over_all_disks() -> None:
    disks = [disk(f"ata{number}", iops=8200) for number in range(5)]
    assert limits_of(disks, [did(200, 4400)] * 5) == SharedLimits(computer_iops=22_000)


@given(st.lists(st.tuples(st.sampled_from(["", "usb3", "usb4", "ata1"]), RATES, RATES), min_size=1, max_size=8))
def test_no_limit_is_invented_or_above_what_was_seen(told: Sequence[tuple[str, float, float]]) -> None:
    disks = [disk(link, alone, alone) for link, alone, _ in told]
    same = limits_of(disks, [did(alone, alone) for _, alone, _ in told])
    assert same == SharedLimits()
    limits = limits_of(disks, [did(at_once, at_once) for *_, at_once in told])
    whole = sum(at_once for *_, at_once in told)
    assert all(mb_s <= whole * (1 + 1e-9) for mb_s in limits.links_mb_s.values())
    for limit in (limits.computer_mb_s, limits.computer_iops):
        assert limit is None or limit == pytest.approx(whole)


def test_a_disk_knows_its_own_links_limit_alone() -> None:
    limits = SharedLimits({"usb3": 300.0}, None, 22_000.0)
    assert limits.told(Baseline(link="usb3")).link_read_mb_s == 300
    other = limits.told(Baseline(kind="nvme", link="nvme0"))
    assert other == Baseline(kind="nvme", link="nvme0", computer_read_4k_iops=22_000.0)
