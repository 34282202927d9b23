"""The commands of a change's steps, as argument lists."""

from __future__ import annotations

import re
from collections.abc import Callable

from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Member

from .values import ArrayContent, ChangeKind, ChangeStep

_SED = re.compile(r"([^A-Za-z0-9=_-])")  # what sed may take for something else
BACKUP_FOLDER = "/var/lib/raidwright/reshapes"


def by_id(member: Member) -> str:
    """Return the disk's stable path."""
    return f"/dev/disk/by-id/{member.id}"


def backup_path(uuid: str) -> str:
    """Return the path of the backup file of the array's reshape."""
    return f"{BACKUP_FOLDER}/{uuid.replace(':', '-') or 'UUID'}.backup"


def step_commands(
    step: ChangeStep,
    node: str,
    content: ArrayContent | None = None,
    *,
    path_of: Callable[[Member], str] = by_id,
    uuid: str = "",
    mdadm: str = "mdadm",
) -> tuple[tuple[str, ...], ...]:
    """Return the commands of ``step`` on the array at ``node``."""
    match step.kind:
        case ChangeKind.CONFIGURE:
            words = [_SED.sub(r"\\\1", word) for word in step.options]
            taken = (f"-e/UUID={uuid or 'UUID'}/s/ {word}//" for word in words)
            return (("sed", "-i", *taken, "/etc/mdadm/mdadm.conf"),)
        case ChangeKind.CHECK:
            return ((mdadm, "--misc", "--action=check", node),)
        case ChangeKind.EXCHANGE:
            return _exchange_commands(step, node, path_of, mdadm)
        case ChangeKind.ADD:
            return ((mdadm, "--manage", node, "--add", *map(path_of, step.disks)),)
        case ChangeKind.GROW_CONTENT:
            return (content_command(content or ArrayContent(), node),)
    argv = [mdadm, "--grow", node, *step.options]
    if step.disks and not step.before.level.is_redundant and step.before.level in (Level.RAID0, Level.LINEAR):
        argv += ["--add", *map(path_of, step.disks)]  # a level without spares takes them with the change itself
    if step.takes_backup:
        argv.append(f"--backup-file={backup_path(uuid)}")
    return (tuple(argv),)


def _exchange_commands(
    step: ChangeStep, node: str, path_of: Callable[[Member], str], mdadm: str
) -> tuple[tuple[str, ...], ...]:
    """Return the commands that bring a disk into a member's place, and let that go once it is copied."""
    [disk], old = step.disks, step.before.members[step.slot or 0]
    leaving = path_of(old) if isinstance(old, Member) else "OLD"
    manage = (mdadm, "--manage", node)
    return (
        (*manage, "--add", path_of(disk)),
        (*manage, "--replace", leaving, "--with", path_of(disk)),
        (mdadm, "--wait", node),
        (*manage, "--remove", leaving),
    )


def content_command(content: ArrayContent, node: str) -> tuple[str, ...]:
    """Return the command that grows the content of ``node`` to its end."""
    match content.kind:
        case "xfs":
            return ("xfs_growfs", content.mounted_at)
        case "btrfs":
            return ("btrfs", "filesystem", "resize", "max", content.mounted_at)
        case "LVM2_member":
            return ("pvresize", node)
    return ("resize2fs", node)
