"""Measurements of a pool, kept so that a changed model can be compared with them without measuring again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from raidwright.core.model.plan import Baseline
from raidwright.core.model.plan_json import read_baseline


@dataclass(slots=True)
class Kept:
    """A line with the machine's kernel and the disks' baselines as told, then one with each cell's MB/s, in order.

    Behind the MB/s is the share of the time for which the host kept the machine waiting.
    """

    path: Path
    kernel: tuple[int, ...] = ()
    baselines: Mapping[str, Baseline] = field(default_factory=dict)
    measured: list[tuple[float, float]] = field(default_factory=list)

    def begin(self, release: str, told: str) -> None:
        """``release`` is the kernel's, ``told`` the output of ``raidwright baseline --json``."""
        head = {"kernel": release, "baselines": json.loads(told)}
        self._take(head)
        self.path.write_text(json.dumps(head) + "\n", encoding="utf-8")

    def add(self, mb_s: float, waited_share: float) -> None:
        """Append a cell."""
        self.measured.append((mb_s, waited_share))
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{mb_s!r} {waited_share:.3f}\n")

    def read(self) -> Kept:
        """Read the file back; raises FileNotFoundError where nothing was kept."""
        head, *cells = self.path.read_text(encoding="utf-8").splitlines()
        self._take(json.loads(head))
        self.measured = [(float(one.split()[0]), float(one.split()[1])) for one in cells]
        return self

    def _take(self, head: dict[str, object]) -> None:
        self.kernel = tuple(int(part) for part in str(head["kernel"]).split(".")[:2])
        told = head["baselines"]
        assert isinstance(told, list)
        found = {one["serial"]: read_baseline(one["baseline"], one["serial"]) for one in told}
        self.baselines = {serial: replace(baseline, link=None) for serial, baseline in found.items()}
