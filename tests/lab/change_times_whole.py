"""Times of reshapes as they were said before, on disks with the timing of their kind: part of `make change-check`.

Each change is made on a raid of 2 GiB from each disk, and md's own work is timed by its sync_action.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from raidwright.lab.host_load import is_busy

from tests.kit import check
from tests.kit.quiet import Quiet

from .change_rig import ChangeRig

pytestmark = pytest.mark.lab
_COMPONENT: dict[str, Any] = {"component_size_kib": 2 * 2**20}
_KINDS = {"hdd7200": "5x8TB", "ssd": "5x1TB:ssd"}
# level, members, the change's words, and how many disks it adds
_WAYS: list[tuple[str, int, tuple[str, ...], int]] = [
    ("raid5", 3, (), 1),
    ("raid5", 3, ("--level", "raid6"), 1),
    ("raid5", 4, ("--chunk", "128"), 0),
    ("raid6", 4, (), 1),
    ("raid10", 4, (), 1),
    ("raid10", 4, ("--chunk", "128"), 0),
    ("raid1", 2, (), 1),
]
# Prints the seconds of md's work on the array, from its beginning to a second at rest.
_TIMED = """cd /sys/block/$(basename $(readlink -f /dev/md/tank))/md
now() { cut -d " " -f 1 /proc/uptime; }
rests() { case $(cat sync_action) in idle|check) [ "$(cat reshape_position)" = none ];; *) false;; esac; }
end=$(( $(date +%s) + 120 )); while rests; do [ $(date +%s) -lt $end ] || exit 9; sleep 0.05; done
began=$(now); ended=$began; idle=0
while [ $idle -lt 20 ]; do if rests; then idle=$((idle + 1)); else idle=0; ended=$(now); fi; sleep 0.05; done
echo "$began $ended" | awk '{ print $2 - $1 }'"""


@pytest.fixture(scope="module", params=_KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def rig(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChangeRig]:
    with ChangeRig(tmp_path_factory.mktemp("store"), _KINDS[kind]) as made:
        yield made


@pytest.fixture(autouse=True)
def _leave(rig: ChangeRig) -> Iterator[None]:
    yield
    rig.leave()


def _hours(shown: Any) -> tuple[float, float, float]:
    moved = [step["time"] for step in shown["steps"] if step["written_bytes"]]
    low, likely, high = (sum(time[key] for time in moved) for key in ("low_hours", "likely_hours", "high_hours"))
    return low, likely, high


@pytest.mark.parametrize("way", _WAYS, ids=lambda way: f"{way[0]} of {way[1]} {' '.join(way[2])} + {way[3]}")
def test_it_takes_as_long_as_was_said(
    rig: ChangeRig, kind: str, tmp_path: Path, way: tuple[str, int, tuple[str, ...], int]
) -> None:
    level, count, words, added = way
    rig.build(tmp_path, level, count, file_mib=16, **_COMPONENT)
    words = (*words, *(["--add", *rig.serials()[count : count + added]] if added else []))
    low, likely, high = (3600 * hours for hours in _hours(rig.call("array", "change", "tank", *words, "--dry-run")))
    quiet = Quiet(rig.lab.host_load)
    with ThreadPoolExecutor(1) as pool:
        timed = pool.submit(rig.sh, _TIMED)
        rig.change(*words)
        took = float(timed.result())
    waited_share = quiet.waited_share()
    rig.read_back()
    counts = f"host busy ({waited_share:.0%})" if is_busy(waited_share) else "yes"
    cells = (f"{low:.0f} s", f"{likely:.0f} s", f"{high:.0f} s", f"{took:.0f} s", f"{took / likely:.2f}", counts)
    check.add_to("change-times", (kind, f"{level} of {count}", " ".join(words[:2]) if way[2] else "", added, *cells))
    if is_busy(waited_share):
        pytest.skip(f"not counted: {counts}")
    assert low <= took <= high
