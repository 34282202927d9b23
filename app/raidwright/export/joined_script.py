"""Export of a joined plan as a shell script: partition tables, arrays, and the volume over them.

Like ``script``: all checks come before the first write, a failure before the file system is complete leaves the disks
without tables and arrays, and a script run again leaves alone what is there.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from raidwright.core.layers.commands import create_commands, device_path
from raidwright.core.lvm.commands import named_bands
from raidwright.core.lvm.joined import sector_bytes_of
from raidwright.core.lvm.whole_disks import whole_disks
from raidwright.core.md.mdadm import Command, array_path, by_id_path, inner_name
from raidwright.core.model.plan import LinearVolume, MdArray, Member, Plan
from raidwright.text.catalogue import tr

from .removal import removal_commands
from .shell import comment, one_a_line, said, why, words
from .surroundings import Surroundings

PROGRAMS = ("sfdisk", "blockdev", "pvcreate", "vgcreate", "lvcreate", "vgs")
PACKAGES = ("fdisk", "lvm2")


def joined_arrays(volume: LinearVolume) -> Iterator[tuple[MdArray, Command]]:
    """Yield each array of a joined plan, under its own name, with the command that makes it."""
    commands = [command for command in create_commands(volume, asks=False) if command.program == "mdadm"]
    yield from zip(named_bands(volume), commands, strict=True)


def look_joined(volume: LinearVolume, around: Surroundings) -> Iterator[str]:
    """Yield the checks: each disk is the planned one and empty, and the names are free; or the volume is there."""
    device, arrays = device_path(volume), [array for array, _ in joined_arrays(volume)]
    there = said(tr("{array} is there already.", array=device))
    taken = said(tr("There is something called {name} already; take another name.", name=f"/dev/{volume.name}"))
    yield "made_volume=no"
    yield f"if [ -b {device} ]; then"
    for array in arrays:
        yield f"    is_made {_made(array)}"
    yield "    made_volume=yes"
    yield f"    say {there}"
    yield "else"
    for array in arrays:
        path = array_path(array.name)
        yield f'    unclaimed "$conf" {path} "^ARRAY[[:space:]]+{path}([[:space:]]|\\$)"'
    if around.kind:
        yield '    unclaimed /etc/fstab "$place" "[[:space:]]$place/?[[:space:]]"'
        yield '    unused "$place"'
    yield f"    if [ -e /dev/{volume.name} ] || vgs {volume.name} >/dev/null 2>&1; then"
    yield f"        stop {taken}"
    yield "    fi"
    for disk in whole_disks(volume):
        held = around.expected(disk)
        path = by_id_path(disk)
        given = (path, disk.serial, str(disk.size_bytes), *([held] if held else []))
        yield f"    look {shlex.join(given)}"
        sectors = tr("{disk} has other sectors than planned ({bytes} bytes).", disk=path, bytes=sector_bytes_of(disk))
        yield f'    [ "$(blockdev --getss {shlex.quote(path)})" = {sector_bytes_of(disk)} ] || stop {said(sectors)}'
    yield "fi"


def _made(array: MdArray) -> str:
    devices = [by_id_path(member) for member in array.members if isinstance(member, Member)]
    return shlex.join((array_path(array.name), str(array.level), *devices))


def build_joined(volume: LinearVolume, around: Surroundings) -> Iterator[str]:
    """Yield the building: partition tables, arrays, volume."""
    yield from _take_back(volume)
    yield ""
    yield from comment(tr("Build. The disks' contents are lost from here on."))
    yield 'if [ "$made_volume" = no ]; then'
    yield "    made_volume=now"
    for command in removal_commands(Plan(volume), {}, around.removed):
        yield f"    {words(command.argv)}"
    for command in create_commands(volume, asks=False):
        if command.program == "sfdisk":
            yield f"    {command.shell()}"
    yield "    udevadm settle"
    for member in volume.disks():
        yield f"    udevadm settle --exit-if-exists={by_id_path(member)} --timeout=60"
        yield f"    wipefs --all --quiet {by_id_path(member)}"
    for array, command in joined_arrays(volume):
        yield from (f"    {line}" for line in _array(array, command))
    for command in create_commands(volume, asks=False):
        if command.program in ("pvcreate", "vgcreate", "lvcreate"):
            yield from (f"    {line}" for line in (*why(command), words(command.argv)))
    yield f"    udevadm settle --exit-if-exists={device_path(volume)} --timeout=60"
    yield "fi"


def _array(array: MdArray, command: Command) -> Iterator[str]:
    path = array_path(array.name)
    sentence = tr("{array} didn't come to be as it was planned; see mdadm --detail.", array=path)
    yield from why(command)
    yield from one_a_line(command)
    yield f"udevadm settle --exit-if-exists={path} --timeout=60"
    yield f"is_made {_made(array)} || stop {said(sentence)}"
    yield f"wipefs --all --quiet {path}"


def _take_back(volume: LinearVolume) -> Iterator[str]:
    """Yield a shell trap that removes volume, arrays and partition tables made by this run, if the script fails."""
    yield from comment(tr("Where the building fails, what this run made is taken back."))
    yield "take_back() {"
    yield "    answer=$?"
    yield "    trap - EXIT HUP INT TERM"
    yield '    if [ "$made_volume" = now ]; then'
    yield f"        vgremove --force --yes {volume.name} >/dev/null 2>&1 || :"
    for slot, band in reversed(list(enumerate(volume.arrays))):
        path = array_path(inner_name(volume.name, slot))
        yield f"        pvremove --force --force --yes {path} >/dev/null 2>&1 || :"
        yield f"        mdadm --quiet --stop {path} || :"
        devices = shlex.join(by_id_path(member) for member in band.members if isinstance(member, Member))
        yield f"        mdadm --quiet --zero-superblock {devices} || :"
    for disk in whole_disks(volume):
        path = shlex.quote(by_id_path(disk))
        yield f"        wipefs --all --quiet --force {path} || :"
        yield f"        blockdev --rereadpt {path} || :"
    yield "    fi"
    yield f"    say {said(tr('The array was not made; see above why. Its disks are left without it.'))} >&2"
    yield '    exit "$answer"'
    yield "}"
    yield "trap take_back EXIT"
    yield "trap 'exit 1' HUP INT TERM"
