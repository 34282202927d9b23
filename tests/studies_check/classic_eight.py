"""The classic eight on raid10 n2 of four disks against raid5 of three (rewse): in which each is the faster.

Source: rewse, raid10 n2 against raid5: 2 TB disks (Barracuda Green ST2000DL003), chunks of 256 KiB, fio on ext4, an
Atom D525, Linux 2.6.18. Done again by ``raidwright shootout --suite classic``, on the arrays themselves.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from raidwright.lab.shelf import disks_from_text

from tests.kit.shootout_bench import CONFIRMED, Bench

from .row import Row

STUDY = "classic eight"
_SLICE_MIB = 4096
# KB/s of raid10 n2 and of raid5.
_PUBLISHED = {
    "sequential_read": (108871, 149685),
    "sequential_write": (126210, 37043),
    "random_read_512k": (36276, 42068),
    "random_write_512k": (84372, 20119),
    "random_read_4k": (966, 1094),
    "random_write_4k": (1670, 594),
    "random_read_4k_q32": (2276, 2460),
    "random_write_4k_q32": (1785, 975),
}
_OTHERWISE = "through ext4 on Linux 2.6.18 and an Atom there, on the arrays themselves here"
_WORDS = (
    *("shootout", "all", "--levels", "raid5,raid10:n2", "--chunks", "256", "--members", "3,4", "--no-bitmap"),
    *("--suite", "classic", "--states", "healthy", "--repeats", "1", "--slice-gib", f"{_SLICE_MIB / 1024:g}"),
    *(*CONFIRMED, "--minutes", "8"),
)


def rows() -> Iterator[Row]:
    """raid10 in multiples of raid5."""
    disks = disks_from_text("4x2TB:hdd5400")
    with tempfile.TemporaryDirectory() as store, Bench(Path(store), disks, _SLICE_MIB) as bench:
        told = bench.tells(*_WORDS, seconds=1800)
    rates = {
        (one["plan"]["level"], len(one["plan"]["members"])): {each["workload"]: each["mb_s"] for each in one["figures"]}
        for one in told["contestants"][1:]
    }
    for workload, (raid10, raid5) in _PUBLISHED.items():
        found = rates["raid10", 4][workload] / rates["raid5", 3][workload]
        what = workload.replace("_", " ")
        yield Row(STUDY, what, "× raid5", found, raid10 / raid5, _OTHERWISE, bench.waited_share)
