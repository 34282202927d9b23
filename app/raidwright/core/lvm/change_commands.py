"""The commands of the steps in which a joined volume grows, as the helper runs them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence

from raidwright.core.md.changes.commands import by_id, content_command, step_commands
from raidwright.core.md.changes.values import ArrayContent, ChangeKind, ChangeStep
from raidwright.core.md.mdadm import LINUX_RAID, array_path, create_commands, inner_name
from raidwright.core.model.plan import LinearVolume, Member

from .commands import partition_command
from .joined import MIB, VOLUME, begins_of, data_start_sectors, slices_of, volume_path
from .values import VolumeStep, VolumeWay

TABLES_FOLDER = "/var/lib/raidwright/tables"
_ARRAY_CONTENT = ArrayContent("LVM2_member")
_IN_USE = ("--append", "--no-reread", "--no-tell-kernel", "--wipe=never", "--wipe-partitions=never")


def volume_step_commands(
    way: VolumeWay, step: ChangeStep | VolumeStep, content: ArrayContent | None = None
) -> Iterator[str]:
    """Yield the commands of ``step`` of the volume's ``way``, ready for a shell."""
    plan, after = way.before, way.after
    match step.kind:
        case ChangeKind.PARTITION:
            yield from _partition(after, step.disks)
        case ChangeKind.CREATE if isinstance(step, ChangeStep):
            yield from (command.shell() for command in create_commands(step.after, asks=False))
        case ChangeKind.EXTEND:
            yield from map(shlex.join, extend_commands(after, step.bands))
        case ChangeKind.GROW_CONTENT if isinstance(step.after, LinearVolume):
            yield shlex.join(content_command(content or ArrayContent(), volume_path(plan.name)))
        case _ if not isinstance(step.after, LinearVolume):
            node = array_path(step.before.name)
            yield from map(shlex.join, step_commands(step, node, _ARRAY_CONTENT))


def _partition(after: LinearVolume, new: Sequence[Member]) -> Iterator[str]:
    disk = by_id(Member(new[0].failure_unit, 0))
    slices = slices_of(after)[new[0].failure_unit]
    if len(slices) == len(new):
        yield partition_command(disk, slices).shell()
        return
    begins = dict(zip((one.id for one in slices), begins_of(slices), strict=True))
    placed = [(one, begins[one.id]) for one in new]
    yield f"{shlex.join(dump_command(disk))} > {shlex.quote(f'{TABLES_FOLDER}/{new[0].disk}')}"
    append = shlex.join(append_command(disk))
    yield f"printf '%s\\n' {shlex.join(append_lines(placed))} | {append}"
    yield from (shlex.join(tell_command(disk, one)) for one in new)


def dump_command(path: str) -> tuple[str, ...]:
    """Return the command that prints the table of the disk at ``path`` in sfdisk's own form, to be kept."""
    return ("sfdisk", "--dump", path)


def append_command(path: str) -> tuple[str, ...]:
    """Return the command that adds ``append_lines`` to the table of the disk at ``path``, partitions of which are used.

    The kernel refuses to read such a table again, so it is told of each partition instead (``tell_command``).
    """
    unread = ("--no-reread", "--no-tell-kernel")
    return ("sfdisk", "--append", *unread, "--wipe=never", "--wipe-partitions=never", path)


def append_lines(slices: Sequence[tuple[Member, int]]) -> tuple[str, ...]:
    """Return sfdisk's lines for slices, each with the byte where it begins."""
    return tuple(
        f"start={begin // MIB}MiB, size={one.size_bytes // MIB}MiB, type={LINUX_RAID}" for one, begin in slices
    )


def tell_command(path: str, one: Member) -> tuple[str, ...]:
    """Return the command that tells the kernel of the partition."""
    return ("partx", "--add", "--nr", f"{one.partition}:{one.partition}", path)


def extend_commands(
    after: LinearVolume, places: Sequence[int], path_of: Callable[[int], str] | None = None
) -> Iterator[tuple[str, ...]]:
    """Yield LVM's commands: the arrays at ``places`` join the group, and the volume takes all that is free."""
    name = after.name

    def path(place: int) -> str:
        return path_of(place) if path_of else array_path(inner_name(name, place))

    for place in places:
        yield "pvcreate", "--yes", f"--dataalignment={data_start_sectors(after.arrays[place])}s", path(place)
        yield "vgextend", "--yes", name, path(place)
    yield "lvextend", "--extents=+100%FREE", f"{name}/{VOLUME}"
