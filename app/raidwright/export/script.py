"""Export of a plan as a shell script: it checks the disks, builds the array as the helper would, and adds system files.

It is idempotent: what exists is left alone. All checks come before the first write. Until the array and its file
system are complete, a failure removes the arrays made by this run (``take_back``); after that the rest can be done by
running the script again.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace

from raidwright.core.layers.commands import create_commands, device_path
from raidwright.core.md.mdadm import Command, array_path, by_id_path, inner_name
from raidwright.core.model.plan import LinearVolume, MdArray, Member, Plan
from raidwright.core.system.array_lines import ArrayEntry
from raidwright.core.system.config_files import MountEntry
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.core.system.tuning import TunedDisk, udev_rules
from raidwright.text.catalogue import tr

from .joined_script import PACKAGES as JOINED_PACKAGES
from .joined_script import PROGRAMS, build_joined, joined_arrays, look_joined
from .removal import removal_commands
from .shell import comment, functions, one_a_line, said, why, words
from .surroundings import PACKAGES, Surroundings, mkfs_words


def build_script(plan: Plan, surroundings: Surroundings) -> str:
    """Return the script; raises PlanRefused for what mdadm would refuse, InputError for invalid surroundings."""
    around = surroundings.checked(plan)
    arrays = tuple(arrays_of(plan))
    volume = plan.volume
    sections = (
        _head(plan, around),
        functions(),
        _look(arrays, around) if volume is None else (*_look_first(around, PROGRAMS), *look_joined(volume, around)),
        _build(arrays, around) if volume is None else build_joined(volume, around),
        _filesystem(plan, around) if around.kind else (),
        _whole(),
        _configuration(arrays),
        _mount(plan, around) if around.kind else (),
        _tuning(plan, around),
        _watch(),
    )
    return "\n\n".join("\n".join(section) for section in map(list, sections) if section) + "\n"


def arrays_of(plan: Plan) -> Iterator[tuple[MdArray, Command]]:
    """Yield each array of the plan, under its own name, with the command that makes it; inner ones first.

    The commands don't prompt: an export checks every disk before, and may run unattended (cloud-init, Ansible).
    """
    if isinstance(plan.top, LinearVolume):
        yield from joined_arrays(plan.top)
        return
    inner = [
        replace(member, name=inner_name(plan.name, slot), homehost=plan.homehost)
        for slot, member in enumerate(plan.top.members)
        if isinstance(member, MdArray)
    ]
    yield from zip((*inner, plan.top), create_commands(plan.top, asks=False), strict=True)


def devices_of(array: MdArray) -> Iterator[str]:
    """Yield the paths of an array's devices: disks, and inner arrays."""
    for slot, member in enumerate(array.members):
        if isinstance(member, MdArray):
            yield array_path(inner_name(array.name, slot))
        elif member is not None:
            yield by_id_path(member)
    yield from map(by_id_path, array.spares)
    if array.journal:
        yield by_id_path(array.journal)


def _head(plan: Plan, around: Surroundings) -> Iterator[str]:
    yield "#!/bin/sh"
    yield from comment(
        tr("Makes the array “{name}” ({level}, {count} disks).", name=plan.name, level=plan.word, count=_count(plan))
    )
    yield from comment(
        tr(
            "Run it as root. It looks at every disk first, and stops before anything is written where one isn't the "
            "disk that was planned, is in use or holds anything. Where the building fails, the disks are left "
            "without the array. It may be run again: what is there is left alone."
        )
    )
    yield "# shellcheck disable=SC1111,SC2016  # sentences have curly quotes; a $ in a serial number is no variable"
    yield "set -eu"
    yield "export LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin"
    yield ""
    yield f"name={shlex.quote(plan.name)}"
    if around.kind:
        yield f"place={shlex.quote(around.place)}"
    yield f"mail={shlex.quote(around.mail)}"


def _count(plan: Plan) -> int:
    return len({disk.failure_unit for disk in plan.disks()})


def _look_first(around: Surroundings, also: tuple[str, ...] = ()) -> Iterator[str]:
    yield from comment(tr("Look."))
    root_wanted = said(tr("Run this as root."))
    yield f'[ "$(id -u)" -eq 0 ] || stop {root_wanted}'
    yield from _programs(around, also)
    yield "conf=/etc/mdadm/mdadm.conf"
    yield "[ -d /etc/mdadm ] || conf=/etc/mdadm.conf"
    yield "udevadm settle"


def _look(arrays: tuple[tuple[MdArray, Command], ...], around: Surroundings) -> Iterator[str]:
    yield from _look_first(around)
    last = len(arrays) - 1
    for number, (array, _command) in enumerate(arrays):
        yield f"made_{number}=no"
        yield f"if is_made {_paths(array)}; then"
        yield f"    made_{number}=yes"
        there = said(tr("{array} is there already.", array=array_path(array.name)))
        yield f"    say {there}"
        yield "else"
        yield f'    unclaimed "$conf" {line_of(array)}'
        if number == last and around.kind:
            yield '    unclaimed /etc/fstab "$place" "[[:space:]]$place/?[[:space:]]"'
            yield '    unused "$place"'
        disks = [member for member in (*array.members, *array.spares, array.journal) if isinstance(member, Member)]
        for disk in disks:
            held = around.expected(disk)
            given = (by_id_path(disk), disk.serial, str(disk.size_bytes), *([held] if held else []))
            yield f"    look {shlex.join(given)}"
        yield "fi"


def line_of(array: MdArray) -> str:
    """Return the array's path and the pattern of its line in mdadm.conf, as the two last words of ``unclaimed``."""
    path = array_path(array.name)
    return f'{path} "^ARRAY[[:space:]]+{path}([[:space:]]|\\$)"'


def _programs(around: Surroundings, also: tuple[str, ...]) -> Iterator[str]:
    names = [
        "mdadm",
        "wipefs",
        "blkid",
        "lsblk",
        "findmnt",
        "udevadm",
        *also,
        *([f"mkfs.{around.kind}"] if around.kind else []),
    ]
    packages = " ".join((*PACKAGES[around.kind], *(JOINED_PACKAGES if also else ())))
    yield f"for program in {' '.join(names)}; do"
    sentence = tr("{program} is missing; install it: apt-get install {packages}", program="$program", packages=packages)
    yield f'    command -v "$program" >/dev/null || stop {said(sentence)}'
    yield "done"


def _paths(array: MdArray) -> str:
    return shlex.join((array_path(array.name), str(array.level), *devices_of(array)))


def _build(arrays: tuple[tuple[MdArray, Command], ...], around: Surroundings) -> Iterator[str]:
    yield from _take_back(arrays)
    yield ""
    yield from comment(tr("Build. The disks' contents are lost from here on."))
    for number, (array, command) in enumerate(arrays):
        path = array_path(array.name)
        yield from why(command)
        yield f'if [ "$made_{number}" = no ]; then'
        own = Plan(replace(array, members=tuple(disk for disk in array.members if isinstance(disk, Member))))
        if removals := removal_commands(own, {}, around.removed):
            yield from (f"    {words(each.argv)}" for each in removals)
            yield "    udevadm settle"
        yield f"    made_{number}=now"
        yield from (f"    {line}" for line in one_a_line(command))
        yield f"    udevadm settle --exit-if-exists={path} --timeout=60"
        sentence = tr("{array} didn't come to be as it was planned; see mdadm --detail.", array=path)
        yield f"    is_made {_paths(array)} || stop {said(sentence)}"
        if not array.assume_clean:  # it preserves the disks' contents
            yield from (f"    {line}" for line in clearing(path))
        yield "fi"


def clearing(path: str) -> Iterator[str]:
    """Yield the removal of older arrays' signatures in a new one: such a file system isn't this array's."""
    yield from comment(tr("What an older array left on these disks isn't this one's."))
    yield f"wipefs --all --quiet {path}"
    yield "udevadm settle"


def _take_back(arrays: tuple[tuple[MdArray, Command], ...]) -> Iterator[str]:
    """Yield a shell trap that removes the arrays made by this run, the outer one first, if the script fails."""
    yield from comment(tr("Where the building fails, what this run made is taken back."))
    yield "take_back() {"
    yield "    answer=$?"
    yield "    trap - EXIT HUP INT TERM"
    for number, (array, _command) in reversed(list(enumerate(arrays))):
        yield f'    if [ "$made_{number}" = now ]; then'
        yield f"        mdadm --quiet --stop {array_path(array.name)} || :"
        yield f"        mdadm --quiet --zero-superblock {shlex.join(devices_of(array))} || :"
        yield "    fi"
    yield f"    say {said(tr('The array was not made; see above why. Its disks are left without it.'))} >&2"
    yield '    exit "$answer"'
    yield "}"
    yield "trap take_back EXIT"
    yield "trap 'exit 1' HUP INT TERM"


def _whole() -> Iterator[str]:
    """Yield the shell code after which nothing is removed any more."""
    later = tr("The array is made, but not all that follows; see above why. Run this again, and it goes on from here.")
    yield from comment(tr("The array is whole; nothing takes it back from here on."))
    yield "trap - HUP INT TERM"
    yield "trap '[ $? -eq 0 ] || say \"$later\" >&2' EXIT"
    yield f"later={said(later)}"


def _configuration(arrays: tuple[tuple[MdArray, Command], ...]) -> Iterator[str]:
    yield from comment(tr("Have mdadm know the array under its name, here and in the initramfs."))
    yield "changed=no"
    for array, _command in arrays:
        path = array_path(array.name)
        line = ArrayEntry(array.name, array.metadata, "$uuid").line
        yield f"uuid=$(mdadm --detail --export {path} | sed -n 's/^MD_UUID=//p')"
        yield f'if ! has_line "$conf" "UUID=$uuid" {line_of(array)}; then'
        yield f'    append "$conf" "{line}"'
        yield "    changed=yes"
        yield "fi"
    yield 'if ! grep -Fqx "MAILADDR $mail" "$conf"; then'
    yield "    if grep -q '^MAILADDR' \"$conf\"; then"
    yield '        sed -i "s/^MAILADDR.*/MAILADDR $mail/" "$conf"'
    yield "    else"
    yield '        append "$conf" "MAILADDR $mail"'
    yield "    fi"
    yield "    changed=yes"
    yield "fi"
    yield 'if [ "$changed" = yes ] && command -v update-initramfs >/dev/null; then'
    yield "    update-initramfs -u"
    yield "fi"


def _filesystem(plan: Plan, around: Surroundings) -> Iterator[str]:
    kind = around.kind or FileSystemKind.EXT4
    path = device_path(plan.top)
    make = words(mkfs_words(plan, kind, "@UUID@"), UUID="filesystem")
    other = tr("{array} holds something else than {kind}; nothing was made on it.", array=path, kind=kind)
    yield from comment(tr("A file system with the array's own stripe; one that the array held before is kept."))
    yield f"case $(signatures {path}) in"
    yield '"")'
    yield "    filesystem=$(cat /proc/sys/kernel/random/uuid)"
    yield f"    {make}"
    yield "    ;;"
    yield f"{kind}) ;;"
    yield f"*) stop {said(other)} ;;"
    yield "esac"


def _mount(plan: Plan, around: Surroundings) -> Iterator[str]:
    path = device_path(plan.top)
    entry = MountEntry("$filesystem", "$place", around.kind or FileSystemKind.EXT4)
    other = said(tr("{place} holds another file system; nothing is mounted over it.", place="$place"))
    yield from comment(tr("Have the file system mounted at each start, and now."))
    yield f"filesystem=$(blkid --probe --match-tag UUID --output value {path})"
    yield 'if ! has_line /etc/fstab "UUID=$filesystem" "$place" "[[:space:]]$place/?[[:space:]]"; then'
    yield f'    append /etc/fstab "{entry.line}"'
    yield "fi"
    yield 'mkdir -p "$place"'
    yield "[ ! -d /run/systemd/system ] || systemctl daemon-reload"
    yield 'if mountpoint -q "$place"; then'
    yield '    [ "$(findmnt --noheadings --first-only --output UUID --mountpoint "$place")" = "$filesystem" ] ||'
    yield f"        stop {other}"
    yield "else"
    yield '    unused "$place"'
    yield '    mount "$place"'
    yield "fi"


def _tuning(plan: Plan, around: Surroundings) -> Iterator[str]:
    if around.tuning.is_empty:
        return
    path = array_path(plan.name)
    disks = [TunedDisk(disk.id) for disk in plan.disks()]
    text = udev_rules("@UUID@", around.tuning, disks)
    text = text.replace("\\", "\\\\").replace("$", "\\$").replace("`", "\\`").replace("@UUID@", "$uuid")
    yield from comment(tr("Settings that hold at each start: udev sets them whenever the array comes up."))
    yield f"uuid=$(mdadm --detail --export {path} | sed -n 's/^MD_UUID=//p')"
    yield 'rules=/etc/udev/rules.d/90-raidwright-$(say "$uuid" | tr : -).rules'
    yield 'cat >"$rules" <<END'
    yield from text.rstrip("\n").split("\n")
    yield "END"
    yield "udevadm control --reload"
    yield f'udevadm trigger --action=change "$(readlink -f {path})"'
    yield "udevadm settle"


def _watch() -> Iterator[str]:
    masked = said(tr("{timer} can't be switched on here; see to it that the array is looked at.", timer="$timer"))
    yield from comment(tr("Have md's monitor run, which writes to whom mdadm.conf names, and a check each month."))
    yield "if [ -d /run/systemd/system ]; then"
    yield "    systemctl restart mdmonitor.service || :"
    yield "    timers=mdmonitor-oneshot.timer"
    yield "    # /etc/cron.d/mdadm checks as well, where there is cron."
    yield "    if ! { [ -e /etc/cron.d/mdadm ] && command -v cron >/dev/null; }; then"
    yield '        timers="$timers mdcheck_start.timer mdcheck_continue.timer"'
    yield "    fi"
    yield "    for timer in $timers; do"
    yield f'        systemctl enable --now "$timer" || say {masked}'
    yield "    done"
    yield "fi"
    ready = said(tr("{array} is ready.", array="$name"))
    yield f"say {ready}"
