"""Arrays made anew from their recovery cards, after their superblocks are erased."""

from __future__ import annotations

from collections.abc import Sequence

from raidwright.lab.machine import Lab


def made_anew(lab: Lab, card: str, node: str, disks: str, inner: Sequence[str] = ()) -> str:
    """Erase the superblocks, run the card's last resort, and return the array's new node."""
    commands = card[card.index("    mdadm --create") :].replace("\\\n", " ").strip().splitlines()
    erase = f"mdadm -q --stop {node}; " + "".join(
        f"mdadm -q --zero-superblock {one}; mdadm -q --stop {one}; " for one in inner
    )
    lab.exec(["sh", "-c", f"udevadm settle; {erase} mdadm -q --zero-superblock {disks}; udevadm settle"])
    for command in commands:
        lab.exec(["sh", "-c", f"yes | {command.strip()} --quiet; udevadm settle"])  # as a person at mdadm's questions
    return f"/dev/md/{commands[-1].split('/dev/md/')[1].split()[0]}"
