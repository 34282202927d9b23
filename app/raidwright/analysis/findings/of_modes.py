"""Findings on mdadm's other commands that touch an array's data or superblocks: their risks.

Sources: mdadm(8), "For assemble", "For Manage mode", "GROW MODE"; the Linux RAID wiki, "RAID Recovery".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidwright.core.messages import say
from raidwright.reading.mode_command import ModeCommand
from raidwright.reading.words import is_group

from .finding import Finding, Severity, Stake

_LARGEST = frozenset({"max", "0", "default"})  # of --size, and of --array-size
_RESHAPES = frozenset({"raid-devices", "level", "chunk", "layout"})


def findings_of_modes(commands: Sequence[ModeCommand]) -> Iterator[Finding]:
    """Yield the findings on the commands before they are run, each kind once."""
    for check in _CHECKS:
        found = [finding for command in commands for finding in check(command)]
        yield from found[:1]


def recovery(signs: Sequence[str], *, is_read_only: bool) -> Finding:
    """Return the finding on a create command meant to recover data; ``signs`` are the words that show it."""
    return Finding(
        Severity.DANGER,
        "recovery",
        say(
            "A recovery ({signs:and}): an array is made anew over data that were there before. Where one word of it "
            "is wrong, the first write, or a synchronisation, destroys them.",
            signs=signs,
        ),
        say(
            "New superblocks are written, and mdadm believes what the command says: level, layout, chunk, data offset "
            "and the order of the disks, or its own choices, which have changed over the years."
        ),
        say(
            "Keep what mdadm --examine prints of each disk, and try mdadm --assemble --force first. Then work on "
            "overlays or copies, never on the disks, and look with mount -o ro."
        )
        if is_read_only
        else say(
            "Keep what mdadm --examine prints of each disk, and try mdadm --assemble --force first. Then work on "
            "overlays or copies, never on the disks, add --readonly, and look with mount -o ro."
        ),
    )


def _forced_assembly(command: ModeCommand) -> Iterator[Finding]:
    if command.mode == "assemble" and "force" in command.given:
        yield Finding(
            Severity.WARNING,
            "forced-assembly",
            say("A recovery: --force takes members whose data are older than the others'. Files can be damaged by it."),
            say(
                "mdadm writes into their superblocks that they are up to date. What was written after they fell out "
                "isn't on them."
            ),
            say(
                "Compare Events and Update Time in what mdadm --examine prints of each disk; leave out the one that "
                "fell out first. Try it on overlays first, and look with mount -o ro before anything is written."
            ),
        )


def _started_short(command: ModeCommand) -> Iterator[Finding]:
    if command.mode in ("assemble", "incremental") and "run" in command.given and "force" not in command.given:
        yield Finding(
            Severity.WARNING,
            "started-short",
            say("--run starts the array although members are missing."),
            say("A member that comes back later has missed what was written meanwhile, and has to be synchronised."),
            say("See first why it is missing: cable, power, or the disk itself (dmesg, smartctl)."),
        )


def _resynced(command: ModeCommand) -> Iterator[Finding]:
    if command.mode == "assemble" and "resync" in command.updates:
        yield Finding(
            Severity.WARNING,
            "resynced",
            say("--update=resync writes all copies or parity anew from what is on the other members."),
            say("Where a member is stale or in a wrong place, that destroys what could have been put right with it."),
            say("Do it only where each member is known to be good; else assemble with --readonly, and look first."),
        )


def _lost_backup(command: ModeCommand) -> Iterator[Finding]:
    if "invalid-backup" in command.given:
        yield Finding(
            Severity.DANGER,
            "lost-backup",
            say("--invalid-backup goes on with a reshape without what was being moved."),
            say("The part of the data that was in the backup file is lost for good."),
            say("Look for the backup file first; work on overlays or copies of the disks."),
        )


def _erased(command: ModeCommand) -> Iterator[Finding]:
    if "zero-superblock" in command.given:
        yield Finding(
            Severity.DANGER,
            "erased-superblock",
            say("--zero-superblock makes the disks forget what they belong to."),
            say("Without superblocks an array can only be made anew by guessing its shape."),
            say("Keep what mdadm --examine prints of each disk; do it only to disks whose data may go."),
        )


def _added(command: ModeCommand) -> Iterator[Finding]:
    if command.mode == "manage" and command.given & {"add", "add-spare"}:
        yield Finding(
            Severity.WARNING,
            "added",
            say("--add writes a new superblock on the disk, and md overwrites the disk."),
            say(
                "Of a former member the place in the array and all data are gone. In an array that doesn't start any "
                "more, that takes the last way to bring it back."
            ),
            say("Take --re-add for a former member; --add only what is empty, and only to an array that runs."),
        )


def _taken_out(command: ModeCommand) -> Iterator[Finding]:
    # Tutorials “remove” a stopped array, which takes nothing out; what has failed or is gone is out already.
    names_member = any(not is_group(device) for device in command.devices[1:])
    if command.mode == "manage" and command.given & {"fail", "remove"} and names_member:
        yield Finding(
            Severity.WARNING,
            "taken-out",
            say("The array loses a member, and with it what it can survive."),
            say("Of a second disk that fails then, the array may not be computed any more."),
            say("raidwright array list says what else may fail. Take a disk that still works out by --replace."),
        )


def _cut_short(command: ModeCommand) -> Iterator[Finding]:
    if command.mode == "grow" and any(size.lower() not in _LARGEST for size in command.sizes):
        yield Finding(
            Severity.DANGER,
            "cut-short",
            say("If that is less than now, the end of the array is cut off, with what the file system has there."),
            say("md asks no file system; ext4 and btrfs can be made smaller before, XFS can't."),
            say(
                "Shrink the file system first, to less than that; then try --array-size, which lasts until the array "
                "is stopped, and check the file system, before --size."
            ),
        )


def _reshaped(command: ModeCommand) -> Iterator[Finding]:
    if command.mode == "grow" and command.given & _RESHAPES:
        yield Finding(
            Severity.WARNING,
            "reshaped",
            say("The data are moved to another shape while the array runs."),
            say(
                "That takes hours to days, and ending it undoes nothing. Few rescue tools know an array in two shapes."
            ),
            say("Have a backup, and power that doesn't fail; raidwright assess says what may be changed."),
            at_stake=Stake.LATER,
        )


_CHECKS = (
    _forced_assembly, _started_short, _resynced, _lost_backup, _erased, _added, _taken_out, _cut_short, _reshaped
)  # fmt: skip
