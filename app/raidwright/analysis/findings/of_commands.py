"""Findings on a pasted create command: its effects besides making the array of the plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidwright.core.md.mdadm_versions import MDADM_4_4
from raidwright.core.messages import say, say_count
from raidwright.core.model.plan import Bitmap, Plan
from raidwright.reading.create_command import CreateCommand
from raidwright.reading.mdadm_rules import refusing_versions, why_no_name
from raidwright.reading.pasted import Pasted
from raidwright.reading.words import is_nameless, is_short_lived

from .finding import Finding, Severity, Stake
from .of_modes import findings_of_modes, recovery

_NOT_KEPT = (
    "write-zeroes", "write-behind", "delay", "readonly", "config", "nodes", "home-cluster", "logical-block-size",
    "uuid",
)  # fmt: skip


def findings_of_paste(pasted: Pasted, plan: Plan | None = None, of_plan: Sequence[Finding] = ()) -> tuple[Finding, ...]:
    """Return the findings on a paste, gravest first: on its commands, and ``of_plan`` if they make a new array.

    A recovery's plan isn't for a new array: remedies for a new one (a resync, writing zeroes) destroy the data to be
    recovered.
    """
    rest = () if pasted.recovery_signs else [finding for finding in of_plan if finding.code != "assume-clean"]
    return tuple(sorted((*findings_of_command(pasted, plan), *rest), key=lambda finding: finding.weight))


def findings_of_command(pasted: Pasted, plan: Plan | None = None) -> tuple[Finding, ...]:
    """Return the findings on the commands, gravest first; ``plan`` is their plan if all disks are known."""
    found = [*findings_of_modes(pasted.further), *_short_lived(pasted)]
    if signs := pasted.recovery_signs:
        is_read_only = any("readonly" in command.given for command in pasted.commands)
        found += [recovery(signs, is_read_only=is_read_only), *_unasked_recovery(pasted.commands)]
    elif pasted.commands:
        found += [
            *_unasked(pasted.commands),
            *_assumed_clean(pasted.commands),
            *_forced(pasted.commands),
            *_unsaid_bitmap(pasted.whole, plan),
            *_not_kept(pasted.commands),
            *_numbered(pasted.whole),
            *_renamed(pasted.whole),
            *_refused_names(pasted.whole),
        ]
    return tuple(sorted(found, key=lambda finding: finding.weight))


def _unasked_recovery(commands: tuple[CreateCommand, ...]) -> Iterator[Finding]:
    if any(command.answers or "run" in command.given for command in commands):
        yield Finding(
            Severity.DANGER,
            "unasked",
            say("mdadm's last question is answered before it is asked."),
            say("It names each disk that holds an array or a file system, so a wrong disk is seen there."),
            say("Leave out --run and what is piped into mdadm, and read what it asks."),
        )


def _assumed_clean(commands: tuple[CreateCommand, ...]) -> Iterator[Finding]:
    if any("assume-clean" in command.given for command in commands):
        yield Finding(
            Severity.DANGER,
            "maybe-recovery",
            say("--assume-clean skips the first sync."),
            say(
                "Over data that were there before it is a recovery, and then nothing may be synchronised, and no "
                "zeroes be written. On empty disks it leaves parity and copies wrong wherever nothing is written."
            ),
            say(
                "If the data are to come back, try mdadm --assemble --force first, and work on overlays. For a new "
                "array leave --assume-clean out."
            ),
        )


def _unasked(commands: tuple[CreateCommand, ...]) -> Iterator[Finding]:
    answers = next((command.answers for command in commands if command.answers), "")
    if answers or any("run" in command.given for command in commands):
        yield Finding(
            Severity.DANGER,
            "unasked",
            say("“{answers}” answers mdadm's questions before they are asked.", answers=_shown(answers))
            if answers
            else say("--run keeps mdadm from asking."),
            say("mdadm asks where a disk holds a file system or belongs to an array. Here it would overwrite it."),
            say("Look at the disks first (wipefs -n), or build here, where every disk is looked at."),
        )


def _shown(answers: str) -> str:
    """Return the input as it is in the command: ``yes |``, ``<<< y``, or what expect sends."""
    return answers if answers.startswith(("<", "send")) else f"{answers} |"


def _forced(commands: tuple[CreateCommand, ...]) -> Iterator[Finding]:
    if any("force" in command.given and len(command.members) > 1 for command in commands):
        yield Finding(
            Severity.WARNING,
            "forced",
            say("--force isn't needed to make an array of several disks."),
            say("It doesn't make mdadm take disks that it would refuse; a raid5 synchronises another way with it."),
            say("Leave it out; the plan does."),
            at_stake=Stake.SPEED,
        )


def _short_lived(pasted: Pasted) -> Iterator[Finding]:
    names = [path for path in pasted.devices() if is_short_lived(path)]
    if names:
        yield Finding(
            Severity.WARNING,
            "short-lived-names",
            say("{names:and} may be other disks on your computer, and after its next start.", names=names),
            say("The kernel gives these names in the order in which it finds the disks."),
            say("Take the names below /dev/disk/by-id, which say make and serial number.")
            if not all(map(is_nameless, names))
            else say(
                "These have no serial number, and so no name that stays; look what each is (lsblk) before you go on."
            ),
        )


def _unsaid_bitmap(whole: CreateCommand, plan: Plan | None) -> Iterator[Finding]:
    if whole.bitmap is None and whole.level.is_redundant and not whole.journal and whole.consistency is None:
        yield Finding(
            Severity.NOTE,
            "bitmap-unsaid",
            say("The command doesn't set --bitmap."),
            say(
                "mdadm before {version} makes one where members are larger than 100 GiB; later ones ask, and with "
                "--run make none.",
                version=MDADM_4_4,
            ),
            say("The plan has one.")
            if plan and plan.array.bitmap is Bitmap.INTERNAL
            else say("Say --bitmap=internal."),
            at_stake=Stake.SPEED,
        )


def _not_kept(commands: tuple[CreateCommand, ...]) -> Iterator[Finding]:
    left = [f"--{name}" for name in _NOT_KEPT if any(name in command.given for command in commands)]
    if any("homehost" in command.given and not command.homehost for command in commands):
        left.append("--homehost")
    if left:
        yield Finding(
            Severity.NOTE,
            "not-kept",
            say("Plans don't support {options:and}.", options=left),
            say("The array of the plan is made without; with --write-zeroes left out, it synchronises instead."),
            say("Add it to the command by hand, if it is meant."),
            at_stake=Stake.LATER,
        )


def _numbered(whole: CreateCommand) -> Iterator[Finding]:
    if whole.name.isdigit():
        yield Finding(
            Severity.NOTE,
            "numbered",
            say("The array's name is only the number “{name}”.", name=whole.name),
            say("Where mdadm.conf doesn't know it, it comes back as /dev/md127 after a start."),
            say("Pick a name that you will recognise, as in --create /dev/md/tank."),
            at_stake=Stake.ACCESS,
        )


def _renamed(whole: CreateCommand) -> Iterator[Finding]:
    if whole.said_name != whole.name:
        yield Finding(
            Severity.NOTE,
            "renamed",
            say("The plan's array is called “{taken}” and not “{name}”.", taken=whole.name, name=whole.said_name),
            say(
                "A plan's name has up to 32 letters, digits, - and _, which every mdadm, shell and mount takes: a "
                "limit of plans, and none of mdadm's."
            ),
            say("Keep that name, or give the array yours by the command."),
            at_stake=Stake.ACCESS,
        )


def _refused_names(whole: CreateCommand) -> Iterator[Finding]:
    """Find names that some versions of mdadm refuse."""
    for name in whole.names:
        if not (versions := refusing_versions(name)):
            continue
        yield Finding(
            Severity.NOTE,
            "name-refused",
            say_count(
                "mdadm {versions:and} refuses the name “{name}”: {why}.",
                "mdadm {versions:and} refuse the name “{name}”: {why}.",
                len(versions),
                versions=[str(version) for version in versions],
                name=name[:40],
                why=why_no_name(name, versions[-1]) or "",
            ),
            say("The other versions from 4.2 on take it."),
            say("Take letters, digits, - and _ alone, and the array can be made by any of them."),
            at_stake=Stake.ACCESS,
        )
