"""Monitoring beside a workload, on a host made of files and with the test's own clock."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from raidwright.core.protocol import codec
from raidwright.core.protocol.measured import Sample
from raidwright_helper.acts.alongside import Alongside
from raidwright_helper.host.host import Host

from .helper_house import put_device, put_text

MD, SDA = os.makedev(9, 127), os.makedev(8, 0)
_PLAIN = Sample(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
_BLOCK = "sys/block"


class _Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def _stat(ticks_ms: int) -> str:
    return f"9 0 72 5 0 0 0 0 0 {ticks_ms} 5 0 0 0 0 0 0"


@pytest.fixture
def host(tmp_path: Path) -> Host:
    array = put_device(tmp_path, "md127", 9, 127, {"md/sync_action": "recover"})
    (array / "slaves").mkdir()
    for name, minor, sensor in (("sda", 0, {"device/hwmon/hwmon3/temp1_input": "41000"}), ("sdb", 16, {})):
        disk = put_device(tmp_path, name, 8, minor, {"device/model": "X", "stat": _stat(1000), **sensor})
        (array / "slaves" / name).symlink_to(disk)
    return Host(tmp_path)


def _looks(host: Host, number: int, moments: list[tuple[float, dict[str, int]]]) -> list[Sample]:
    """Return a sample at each of the moments, with each disk's busy milliseconds by then."""
    clock = _Clock()

    async def look() -> list[Sample]:
        beside, found = Alongside(host, number, clock), []
        for seconds, busy_ms in moments:
            if beside._asking is not None:
                await beside._asking  # the disks report their temperatures
            for name, ticks in busy_ms.items():
                put_text(host.root / _BLOCK / name / "stat", _stat(1000 + ticks))
            clock.now_s = 100.0 + seconds
            found.append(beside.with_what_is_beside(_PLAIN))
        return found

    return asyncio.run(look())


def test_about_once_a_second_a_sample_tells_what_goes_on_beside(host: Host) -> None:
    samples = _looks(
        host, MD, [(0.5, {"sda": 400}), (1.0, {"sda": 900, "sdb": 250}), (1.9, {"sda": 9000}), (3.0, {"sda": 9000})]
    )
    assert [one.busy for one in samples] == [None, {"sda": 0.9, "sdb": 0.25}, None, {"sda": 1.0, "sdb": 0.0}]
    assert [one.sync_action for one in samples] == [None, "recover", None, "recover"]
    assert {(one.seconds, one.latency_ms) for one in samples} == {(1.0, 6.0)}


def test_how_warm_the_disks_are_is_asked_every_ten_seconds_of_those_that_say(host: Host) -> None:
    samples = _looks(host, MD, [(float(second), {}) for second in range(1, 24)])
    told = {place: one.celsius for place, one in enumerate(samples, 1) if one.celsius is not None}
    assert told == {1: {"sda": 41.0}, 11: {"sda": 41.0}, 21: {"sda": 41.0}}


def test_a_disk_alone_has_no_array_and_may_say_nothing(host: Host) -> None:
    (host.root / _BLOCK / "sda/device/hwmon/hwmon3/temp1_input").unlink()
    [sample] = _looks(host, SDA, [(2.0, {"sda": 500})])
    assert (sample.busy, sample.celsius, sample.sync_action) == ({"sda": 0.25}, None, "")


def test_a_disk_that_goes_away_meanwhile_is_left_out(host: Host) -> None:
    (host.root / _BLOCK / "sdb/stat").unlink()
    samples = _looks(host, MD, [(1.0, {"sda": 1000})])
    assert samples[0].busy == {"sda": 1.0}


def test_all_of_it_travels_and_what_was_not_looked_at_takes_no_room(host: Host) -> None:
    plain, beside = _looks(host, MD, [(0.5, {}), (1.0, {"sda": 500})])
    for one in (plain, beside):
        told = codec.dump(one)
        assert codec.read(Sample, {name: value for name, (_, value) in told.items()}) == one
    assert codec.dump(beside)["busy"] == ("a{sd}", {"sda": 0.5, "sdb": 0.0})
    assert "busy" not in codec.dump(plain)
