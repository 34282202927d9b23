"""Life of an array after its build, on Debian 12 and 13: restarts, lost disks, checks, mails.

A raid6 of four disks is built, given a file system, persistent settings, an fstab entry and a mail address. The machine
is then restarted with all disks, a disk is pulled while it runs, and it is restarted without that disk and another one.
It runs on the practice kernel, without an initramfs: the arrays start as udev finds their disks.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from raidwright.lab.image import Generation
from raidwright.lab.places import roomy

from ..kit import check
from ..kit.pilot import Pilot
from ..kit.screen import VirtualScreen
from .checks import look_at_the_check
from .life import DISKS, Life

_STORE_BYTES = 2 * 2**30


def main() -> int:
    """Check each Debian and print each promise with what was seen; return 1 when one is broken."""
    options = check.parser("boot-check", __doc__, debian=[str(generation) for generation in Generation]).parse_args()
    with check.table("boot", ("debian", "promise", "held", "what was seen")) as table:
        for generation in map(Generation, options.debian or Generation):
            began = time.monotonic()
            with tempfile.TemporaryDirectory(dir=roomy(_STORE_BYTES)) as folder:
                life = Life(Path(folder), generation, f"boot-check-{generation}")
                _live(life)
            for seen in life.seen:
                table.add((generation, seen.promise, seen.held, seen.what), holds=seen.held)
            print(f"{generation}: {len(life.seen)} promises in {time.monotonic() - began:.0f} s", flush=True)
    return table.verdict(f"{table.rows} promises, {table.wrong} broken")


def _live(life: Life) -> None:
    with life.started():
        life.build("raid6")
    with life.started():
        life.look_after_start()
        look_at_the_check(life)
        assert life.lab is not None
        life.lab.pull_disk(DISKS[1].serial)
        life.look_for_mail("a disk that fails is mailed, by slot and serial", "a disk has failed", DISKS[1].serial)
    left = [disk for number, disk in enumerate(DISKS) if number not in (1, 2)]
    with life.started(left):
        life.look_after_start()
        life.look_for_what_is_lost([DISKS[1], DISKS[2]])
        life.look_for_mail("a disk lost while it was off is mailed", "a disk is missing", DISKS[2].serial)
        _look_at_the_window(life)


def _look_at_the_window(life: Life) -> None:
    """Check the notice above every station when the program starts."""
    with (
        VirtualScreen() as screen,
        Pilot(screen, ["gui", "--machine", f"lab:{life.name}"], life.environment()) as pilot,
    ):
        said = pilot.wait("degraded-tank-what", seconds=60).text
        life.see("the window tells it at its start", all(disk.serial in said for disk in (DISKS[1], DISKS[2])), said)


if __name__ == "__main__":
    sys.exit(main())
