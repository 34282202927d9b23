"""A change that is cut off: drawn by a seed, and brought to its end; the data are read back after each cut."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .change_rig import PLACE, ChangeRig, sectors_of

COMPONENT_KIB = 65536
_WHOLE_SECTORS = 2 * COMPONENT_KIB
# level, members, more of the plan, and the change: words, and how many disks it adds
_WAYS: tuple[tuple[str, int, dict[str, Any], tuple[str, ...], int], ...] = (
    ("raid5", 3, {}, (), 1),
    ("raid5", 3, {"bitmap": "internal"}, ("--level", "raid6"), 1),
    ("raid5", 4, {}, ("--chunk", "128"), 0),
    ("raid6", 4, {}, (), 1),
    ("raid10", 4, {}, (), 1),
)
KILL_HELPER = "systemctl kill --signal=KILL --kill-who=main raidwright-helper"
_STATE = "cat /sys/block/$(basename $(readlink -f /dev/md/tank))/md/array_state"


@dataclass(frozen=True, slots=True)
class Cut:
    """A change and what happens within its reshape, at shares of the old array's data.

    ``fails_at`` and ``killed_at`` (program and helper) are None, or come before the cut ``at``.
    """

    level: str
    members: int
    more: dict[str, Any]
    words: tuple[str, ...]
    added: int
    at: float
    fails_at: float | None = None
    failed: int = 0
    killed_at: float | None = None

    def __str__(self) -> str:
        failing = "" if self.fails_at is None else f", {self.failed} fails at {self.fails_at:.0%}"
        killing = "" if self.killed_at is None else f", killed at {self.killed_at:.0%}"
        return f"{self.level} of {self.members} {' '.join(self.words)} + {self.added}, cut at {self.at:.0%}" + (
            failing + killing
        )


def drawn(seed: int, count: int) -> Iterator[Cut]:
    """Yield ``count`` cuts; the first is in the critical section, every third degraded, every fourth killed before."""
    choice = random.Random(seed)  # noqa: S311
    for number in range(count):
        level, members, more, words, added = _WAYS[(number + seed) % len(_WAYS)]
        at = 0.0 if number == 0 else round(choice.uniform(0.05, 0.85), 2)
        fails_at = round(at * choice.random(), 2) if number % 3 == 1 else None
        killed_at = round(at * choice.random(), 2) if number % 4 == 2 else None
        yield Cut(level, members, more, words, added, at, fails_at, choice.randrange(members), killed_at)


def cut_and_continued(rig: ChangeRig, folder: Path, cut: Cut) -> str:
    """Build, change, cut off and continue to the end; return how the array came up. Raises MachineError."""
    rig.build(folder, cut.level, cut.members, component_size_kib=COMPONENT_KIB, **cut.more)
    serials = rig.serials()
    words = (*cut.words, *(["--add", *serials[cut.members : cut.members + cut.added]] if cut.added else []))
    shown = rig.call("array", "change", "tank", *words, "--dry-run")
    data = cut.members - {"raid5": 1, "raid6": 2, "raid10": 2}[cut.level]
    with rig.changing(*words) as running:
        for at, what in sorted(_meanwhile(rig, cut)):
            rig.until_reshape_at(max(1, round(at * data * _WHOLE_SECTORS)))
            if what == "kill":
                running.kill()
                rig.sh(KILL_HELPER)
            else:
                rig.sh(what)
        rig.until_reshape_at(max(1, round(cut.at * data * _WHOLE_SECTORS)))
        rig.sh("sync")
        rig.cut_power()
    came_up = brought_up(rig, serials)
    rig.sh(f"mkdir -p {PLACE}; mount /dev/md/tank {PLACE}")
    rig.read_back()
    new = serials[cut.members : cut.members + cut.added]
    left_out = [serial for serial in new if serial not in _members(rig)] if came_up == "forced" else []
    if left_out or cut.fails_at is not None:  # the reshape goes on without them; what follows needs the array whole
        assert "A member is missing. Replace it first" in rig.change(*words, code=2)
        rig.read_back()
    for serial in left_out:  # force leaves out whoever was being rebuilt, as in raid5 to raid6
        rig.call("array", "re-add", "tank", serial, "--yes-name", "tank")
        rig.sh("mdadm --wait /dev/md/tank; true")
    if cut.fails_at is not None:
        rig.call("array", "replace", "tank", "--with", serials[-1], "--yes-name", "tank")
    rig.change(*words)
    rig.read_back()
    assert rig.shape()[2] == sectors_of(shown), rig.shape()
    return came_up


def _members(rig: ChangeRig) -> set[str]:
    [array] = rig.call("array", "list")
    return {place["member"]["serial"] for place in array["places"] if place["member"]}


def _meanwhile(rig: ChangeRig, cut: Cut) -> Iterator[tuple[float, str]]:
    if cut.fails_at is not None:
        disk = rig.node(rig.serials()[cut.failed])
        yield cut.fails_at, f"mdadm --quiet /dev/md/tank --fail {disk}"
    if cut.killed_at is not None:
        yield cut.killed_at, "kill"


def brought_up(rig: ChangeRig, serials: list[str]) -> str:
    """Start the array after a cut by the gentlest way that does it, and return its name.

    It came up by itself; Start; or, where the kernel asks for force (dirty and degraded), a rescue tried on overlays
    first, which brings it up read-only.
    """
    rig.sh("udevadm settle")
    [array] = [one for one in rig.call("array", "list") if one["name"] == "tank"]
    if array["state"] == "running":
        return "running"
    said = rig.started("tank")
    if "runs already" in said:  # mdadm's timer for degraded arrays was first (mdadm-last-resort@.timer)
        return "running"
    if not said:
        return "started"
    assert "only by force" in said, said
    case = rig.call("array", "rescue", *serials)
    [first, *_] = [one for one in case["hypotheses"] if one["reason"] == "dirty"]
    number = str(first["number"])
    rig.call("array", "rescue", *serials, "--try", number)
    rig.call("array", "rescue", *serials, "--for-real", number, "--yes-name", "tank")
    rig.sh("udevadm settle")
    assert rig.sh(_STATE) == "readonly"
    assert not rig.sh("findmnt --source $(readlink -f /dev/md/tank) || true")  # not all of it can be read yet
    refused = rig.call("filesystem", "mount", "tank", "--at", "/mnt/tank", code=2)
    assert "Until md goes on with that, a read of the place where it stopped never ends" in refused
    rig.call("array", "go-on", "tank", "--yes-name", "tank")
    return "forced"
