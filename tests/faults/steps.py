"""Steps of a build, and holding it in the middle of each without the helper's knowledge."""

from __future__ import annotations

from enum import StrEnum

from raidwright.lab.disks.server import Fault

from .bench import MEMBERS, Bench

# md's magic, where metadata 1.2 has it: on the disk, or on its first partition
_AT = "dd if=$1 iflag=direct bs=4k skip={block} count=1 2>/dev/null | od -An -tx4 -N4 | grep -q a92b4efc"
_HAS_SUPERBLOCK = f"{{ {_AT.format(block=1)} || {_AT.format(block=257)}; }}"


class Step(StrEnum):
    """Step at which a build is interrupted."""

    SAVE = "save"  # one disk's bytes are saved, the next one's are being read
    WIPE = "wipe"  # the first disk is wiped, the second about to be
    PARTITION = "partition"  # of a joined volume: the first table is about to be written
    CREATE = "create"  # mdadm is about to begin
    HALF = "create, half-way"  # superblocks are on some members
    SETTLE = "settle"  # the array is there, its name isn't waited for yet
    VOLUME = "volume"  # of a joined volume: LVM is about to make its group
    READ_BACK = "read-back"  # the array is about to be compared with the plan
    DONE = "done"


OF_JOINED = (Step.PARTITION, Step.VOLUME)
WAITED_FOR = {Step.SAVE: 1, Step.HALF: 3}  # the disk that the build waits for, by number


def hold(bench: Bench, step: Step) -> None:
    """Arm the gate before the build begins."""
    nodes = bench.nodes()
    pattern = {
        Step.SAVE: f"wipefs --no-act*{nodes[MEMBERS - 1]}",
        Step.WIPE: f"wipefs --all*{nodes[1]}",
        Step.PARTITION: "sfdisk*",
        Step.VOLUME: "systemd-run*vgcreate*",
        Step.CREATE: "mdadm --create*",
        Step.HALF: "mdadm --create*",
        Step.SETTLE: "udevadm settle*--exit-if-exists*",
        Step.READ_BACK: "mdadm --detail --export*",
        Step.DONE: "",
    }[step]
    bench.run('mkdir -p /run/raidwright; echo "$1" > /run/raidwright/hold', pattern)


def wait_until_held(bench: Bench, step: Step) -> None:
    """Return when the build has come to ``step`` and stays there."""
    if step is Step.DONE:
        return
    bench.until("[ -d /run/raidwright/held ]")
    if step is Step.SAVE:
        bench.until("! pgrep wipefs.real >/dev/null")
        bench.fault(WAITED_FOR[step], Fault.HANGING)
        release(bench)
        bench.until("ls /var/lib/raidwright/backups/*/disk-0.bin >/dev/null 2>&1")
    if step is Step.HALF:
        bench.fault(WAITED_FOR[step], Fault.SLOW)
        release(bench)
        bench.until(_HAS_SUPERBLOCK, bench.nodes()[0])


def go_on(bench: Bench, step: Step) -> None:
    """Let the build go on, on sound disks."""
    if step in WAITED_FOR:
        bench.fault(WAITED_FOR[step], Fault.SOUND)
    release(bench)


def release(bench: Bench) -> None:
    """Open the gate."""
    bench.run("rm -rf /run/raidwright/hold /run/raidwright/held")
