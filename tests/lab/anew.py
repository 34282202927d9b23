"""Arrays made anew from their recovery cards, after their superblocks are erased."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from raidwright.cli import main
from raidwright.lab.machine import Lab


def made_anew(
    lab: Lab, capsys: pytest.CaptureFixture[str], name: str, disks: str, said: str, inner: Sequence[str] = ()
) -> str:
    """Print the array's card, which holds ``said``, erase the superblocks, run its last resort; return the new node."""
    node = lab.exec(["readlink", "-f", f"/dev/md/{name}"]).stdout.decode().strip()
    assert main(["array", "card", node, "--machine", f"lab:{lab.name}"]) == 0
    card = capsys.readouterr().out
    assert said in card
    commands = card[card.index("    mdadm --create") :].replace("\\\n", " ").strip().splitlines()
    erase = f"mdadm -q --stop {node}; " + "".join(
        f"mdadm -q --zero-superblock {one}; mdadm -q --stop {one}; " for one in inner
    )
    lab.exec(["sh", "-c", f"udevadm settle; {erase} mdadm -q --zero-superblock {disks}; udevadm settle"])
    for command in commands:
        lab.exec(["sh", "-c", f"yes | {command.strip()} --quiet; udevadm settle"])  # as a person at mdadm's questions
    return f"/dev/md/{commands[-1].split('/dev/md/')[1].split()[0]}"
