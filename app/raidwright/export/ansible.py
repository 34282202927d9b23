"""Export of a plan as an Ansible playbook: only modules of ansible-core, and idempotent.

Sources: ``ansible-doc`` of ansible.builtin's command, lineinfile, copy, file, package and service, in ansible-core 2.14
(Debian 12) and later. The disks are checked by the script's own function, in a shell on the server.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from raidwright.core.layers.commands import create_commands, device_path
from raidwright.core.md.mdadm import array_path, by_id_path
from raidwright.core.model.plan import Plan
from raidwright.core.system.array_lines import ArrayEntry
from raidwright.core.system.config_files import MountEntry
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.core.system.tuning import TunedDisk, udev_rules
from raidwright.text.catalogue import tr

from .joined_script import PACKAGES as JOINED_PACKAGES
from .removal import removal_commands
from .script import arrays_of, build_script, devices_of, line_of
from .shell import comment, functions, why
from .surroundings import PACKAGES, Surroundings, mkfs_words

_UUID_OF = "{{ (%s.stdout_lines | select('match', 'MD_UUID=') | first).split('=')[1] }}"


def playbook(plan: Plan, surroundings: Surroundings) -> str:
    """Return the playbook; raises PlanRefused for what mdadm would refuse, InputError for invalid surroundings."""
    if plan.volume is not None:
        return _joined_playbook(plan, surroundings)
    around = surroundings.checked(plan)
    tasks = (
        _install(around),
        _look(),
        _build(plan, around),
        _configuration(plan),
        *((_mount(plan, around.kind),) if around.kind else ()),
        _tuning(plan, around),
        _watch(),
    )
    parts = [
        *_head(plan, around),
        "  tasks:",
        *_indented(4, _parted(tasks)),
        "",
        "  handlers:",
        *_indented(4, _handlers()),
    ]
    return "\n".join(parts) + "\n"


def _joined_playbook(plan: Plan, surroundings: Surroundings) -> str:
    """Return a playbook that brings the joined plan's script along and runs it where its volume isn't there."""
    script, path = build_script(plan, surroundings), f"/usr/local/sbin/make-array-{plan.name}"
    title = tr("Array {name}", name=plan.name)
    programs = _task(tr("Install the programs"), "package", name=[*PACKAGES[surroundings.kind], *JOINED_PACKAGES],
                     state="present", _tags=["packages"])  # fmt: skip
    parts = [
        "---",
        *comment(
            tr(
                "Makes the volume “{name}” over joined arrays, by a script that looks at every disk first; once: what "
                "is there is left alone.",
                name=plan.name,
            )
        ),
        f"- name: {_text(title)}",
        "  hosts: all",
        "  become: true",
        "  gather_facts: false",
        "  vars:",
        "    script: !unsafe |",
        *_indented(6, script.rstrip("\n").split("\n")),
        "",
        "  tasks:",
        *_indented(4, _parted((programs, *_run_script(path, device_path(plan.top))))),
    ]
    return "\n".join(parts) + "\n"


def _run_script(path: str, volume: str) -> tuple[Iterator[str], Iterator[str]]:
    return (
        _task(tr("Bring the script"), "copy", dest=path, content="{{ script }}", mode="0700"),
        _command(tr("Make {array}", array=volume), [path], creates=volume),
    )


def _parted(tasks: Iterable[Iterator[str]]) -> Iterator[str]:
    """Yield tasks with an empty line between them."""
    for number, line in enumerate(line for part in tasks for line in part):
        if number and line.startswith("- name:"):
            yield ""
        yield line


def _indented(by: int, lines: Iterable[str]) -> Iterator[str]:
    return (" " * by + line if line else "" for line in lines)


def _text(value: object) -> str:
    """Return a value as YAML, of which JSON is a subset."""
    return json.dumps(value, ensure_ascii=False)


def _head(plan: Plan, around: Surroundings) -> Iterator[str]:
    yield "---"
    yield from comment(
        tr(
            "Makes the array “{name}” ({level}) on each server that it is played for, once: what is there is left "
            "alone. A server of other disks has its own list of disks in its host_vars.",
            name=plan.name,
            level=plan.array.level,
        )
    )
    title = tr("Array {name}", name=plan.name)
    if not around.tuning.is_empty:
        yield "# yamllint disable rule:line-length"  # each udev rule is one line
    yield f"- name: {_text(title)}"
    yield "  hosts: all"
    yield "  become: true"
    yield "  gather_facts: false"
    yield "  vars:"
    yield "    disks:"
    for disk in plan.disks():
        yield f"      - path: {_text(by_id_path(disk))}"
        yield f"        serial: {_text(disk.serial)}"
        yield f"        bytes: {disk.size_bytes}"
        yield f"        holds: {_text(around.expected(disk))}"
    if around.kind:
        yield f"    place: {_text(around.place)}"
    yield f"    mail: {_text(around.mail)}"
    for number, _ in enumerate(arrays_of(plan)):
        yield f"    uuid_{number}: {_text(_UUID_OF % f'detail_{number}')}"
    yield from _indented(
        4, comment(tr("Stops where a disk isn't the one that was planned, is in use or holds anything."))
    )
    yield "    functions: !unsafe |"
    yield from _indented(6, ["set -eu", "export LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin", *functions()])
    yield "    looks: |"
    yield from _indented(6, _looks(plan, around))
    yield ""


def _looks(plan: Plan, around: Surroundings) -> Iterator[str]:
    """Yield checks of each array's disks, and of its entries in system files, unless the array runs on them."""
    numbers = {by_id_path(disk): number for number, disk in enumerate(plan.disks())}
    yield "udevadm settle"
    arrays = [array for array, _ in arrays_of(plan)]
    for array in arrays:
        devices = list(devices_of(array))
        yield f"if ! is_made {array_path(array.name)} {array.level} \\"
        *others, last = (f"{{{{ disks[{numbers[one]}].path | quote }}}}" if one in numbers else one for one in devices)
        yield from (f"    {one} \\" for one in others)
        yield f"    {last}; then"
        yield f"    unclaimed /etc/mdadm/mdadm.conf {line_of(array)}"
        if array is arrays[-1] and around.kind:
            yield "    place={{ place | quote }}"
            yield '    unclaimed /etc/fstab "$place" "[[:space:]]$place/?[[:space:]]"'
            yield '    unused "$place"'
        for one in devices:
            if one in numbers:
                disk = f"disks[{numbers[one]}]"
                yield f"    look {{{{ {disk}.path | quote }}}} {{{{ {disk}.serial | quote }}}} \\"
                yield f"        {{{{ {disk}.bytes }}}} {{{{ {disk}.holds | quote }}}}"
        yield "fi"


def _task(title: str, module: str, /, **values: object) -> Iterator[str]:
    """Yield a task; ``values`` with a leading ``_`` are the task's own keys, the others the module's."""
    yield f"- name: {_text(title)}"
    yield f"  ansible.builtin.{module}:"
    yield from (f"    {key}: {_text(value)}" for key, value in values.items() if not key.startswith("_"))
    yield from (f"  {key[1:]}: {_text(value)}" for key, value in values.items() if key.startswith("_"))


def _command(name: str, argv: Sequence[str], *, notes: Iterable[str] = (), **values: object) -> Iterator[str]:
    """Yield a task that runs ``argv``, a word per line; ``notes`` are comments above the words."""
    yield f"- name: {_text(name)}"
    yield "  ansible.builtin.command:"
    yield from _indented(4, notes)
    yield "    argv:"
    yield from (f"      - {_text(word)}" for word in argv)
    yield from (f"    {key}: {_text(value)}" for key, value in values.items() if not key.startswith("_"))
    yield from (f"  {key[1:]}: {_text(value)}" for key, value in values.items() if key.startswith("_"))


def _install(around: Surroundings) -> Iterator[str]:
    yield from _task(
        tr("Install the programs"), "package", name=list(PACKAGES[around.kind]), state="present", _tags=["packages"]
    )


def _look() -> Iterator[str]:
    yield from _command(
        tr("Look at every disk, unless the array runs on them"),
        ["/bin/sh", "-s"],
        stdin="{{ functions }}{{ looks }}",
        _changed_when=False,
    )


def _build(plan: Plan, around: Surroundings) -> Iterator[str]:
    """Yield one block: if it fails, the arrays that it made are removed again."""
    title = tr("Make the array, or leave the disks without it")
    yield f"- name: {_text(title)}"
    yield "  block:"
    yield from _indented(4, _made(plan, around))
    if around.kind:
        yield from _indented(4, _filesystem(plan, around.kind))
    yield "  rescue:"
    yield from _indented(4, _taken_back(plan))


def _made(plan: Plan, around: Surroundings) -> Iterator[str]:
    disks = {disk.id: number for number, disk in enumerate(plan.disks())}
    paths = {by_id_path(disk): disks[disk.id] for disk in plan.disks()}
    made = array_path(plan.name)
    for command in removal_commands(plan, {}, around.removed):
        argv = [_templated(word, paths) for word in command.argv]
        yield from _command(tr("Remove what may go"), argv, creates=made)
    commands = create_commands(plan.top, lambda disk: f"{{{{ disks[{disks[disk.id]}].path }}}}", asks=False)
    for number, ((array, _), command) in enumerate(zip(arrays_of(plan), commands, strict=True)):
        path = array_path(array.name)
        yield from _command(
            tr("Make {array}", array=path), command.argv, notes=why(command), creates=path, _register=f"made_{number}"
        )
        yield from _command(
            tr("Wait for {array}", array=path), ["udevadm", "settle", f"--exit-if-exists={path}"], _changed_when=False
        )
        if not array.assume_clean:  # it preserves the disks' contents
            yield from _command(
                tr("Clear {array} of what an older array of these disks left", array=path),
                ["wipefs", "--all", "--quiet", path],
                # “is changed” alone is for handlers, says ansible-lint, and they run too late
                _when=f"made_{number} is defined and made_{number} is changed",
                _changed_when=True,
            )


def _taken_back(plan: Plan) -> Iterator[str]:
    """Yield tasks that stop the arrays made by this play, the outer one first, and fail."""
    numbers = {by_id_path(disk): number for number, disk in enumerate(plan.disks())}
    for number, (array, _) in reversed(list(enumerate(arrays_of(plan)))):
        path, made = array_path(array.name), f"made_{number} is defined and made_{number} is changed"
        paths = [_templated(one, numbers) for one in devices_of(array)]
        for title, argv in (
            (tr("Stop {array}", array=path), ["mdadm", "--stop", path]),
            (tr("Have its devices forget {array}", array=path), ["mdadm", "--zero-superblock", *paths]),
        ):
            yield from _command(title, argv, _when=made, _changed_when=True, _failed_when=False)
    title = tr("Say that nothing was made")
    sentence = tr("The array was not made; see above why. Its disks are left without it.")
    yield from _task(title, "fail", msg=sentence)


def _templated(word: str, paths: dict[str, int]) -> str:
    for path, number in paths.items():
        if word == path or word.startswith(f"{path}-part"):
            return f"{{{{ disks[{number}].path }}}}{word.removeprefix(path)}"
    return word


def _configuration(plan: Plan) -> Iterator[str]:
    for number, (array, _) in enumerate(arrays_of(plan)):
        path, known = array_path(array.name), f"detail_{number}"
        yield from _command(
            tr("Ask for the UUID of {array}", array=path),
            ["mdadm", "--detail", "--export", path],
            _register=known,
            _changed_when=False,
        )
        yield from _line(
            tr("Have mdadm know {array} under its name", array=path),
            "/etc/mdadm/mdadm.conf",
            f"^ARRAY {path} ",
            ArrayEntry(array.name, array.metadata, f"{{{{ uuid_{number} }}}}").line,
            ["initramfs", "monitor"],
        )
    yield from _line(
        tr("Have md write to somebody"),
        "/etc/mdadm/mdadm.conf",
        "^MAILADDR ",
        "MAILADDR {{ mail }}",
        ["initramfs", "monitor"],
    )


def _line(name: str, path: str, pattern: str, line: str, handlers: list[str]) -> Iterator[str]:
    yield from _task(
        name,
        "lineinfile",
        path=path,
        regexp=pattern,
        line=line,
        create=True,
        mode="0644",
        **({"_notify": handlers} if handlers else {}),
    )


def _filesystem(plan: Plan, kind: FileSystemKind) -> Iterator[str]:
    path = array_path(plan.name)
    yield from _command(
        tr("Look what the array holds"),
        ["blkid", "--probe", "--match-tag", "TYPE", "--output", "value", path],
        _register="held",
        _changed_when=False,
        _failed_when=f"held.rc not in [0, 2] or held.stdout not in ['', '{kind}']",
    )
    yield from _command(
        tr("Make a file system with the array's own stripe"),
        mkfs_words(plan, kind, "{{ (inventory_hostname ~ '" + path + "') | to_uuid }}"),
        _when="held.stdout == ''",
        _changed_when=True,
    )


def _mount(plan: Plan, kind: FileSystemKind) -> Iterator[str]:
    yield from _command(
        tr("Ask for the file system's UUID"),
        ["blkid", "--probe", "--match-tag", "UUID", "--output", "value", array_path(plan.name)],
        _register="filesystem",
        _changed_when=False,
    )
    entry = MountEntry("{{ filesystem.stdout }}", "{{ place }}", kind)
    yield from _line(tr("Mount it at each start"), "/etc/fstab", r"\s{{ place }}/?\s", entry.line, [])
    yield from _command(
        tr("Look whether it is mounted"),
        ["findmnt", "--noheadings", "--first-only", "--output", "UUID", "--mountpoint", "{{ place }}"],
        _register="mounted",
        _changed_when=False,
        _failed_when="mounted.stdout not in ['', filesystem.stdout]",
    )
    yield from _task(
        tr("Make its folder"), "file", path="{{ place }}", state="directory", mode="0755", _when="mounted.rc != 0"
    )
    yield from _command(
        tr("Mount it"),
        ["/usr/bin/mount", "{{ place }}"],
        _when="mounted.rc != 0",
        _changed_when=True,
    )


def _tuning(plan: Plan, around: Surroundings) -> Iterator[str]:
    if around.tuning.is_empty:
        return
    number = len(list(arrays_of(plan))) - 1
    uuid, with_hyphens = f"{{{{ uuid_{number} }}}}", f"{{{{ uuid_{number} | replace(':', '-') }}}}"
    text = udev_rules("@UUID@", around.tuning, [TunedDisk(disk.id) for disk in plan.disks()])
    title = tr("Have udev set the settings at each start")
    yield f"- name: {_text(title)}"
    yield "  ansible.builtin.copy:"
    yield f"    dest: {_text(f'/etc/udev/rules.d/90-raidwright-{with_hyphens}.rules')}"
    yield "    content: |"
    yield from _indented(6, text.replace("@UUID@", uuid).rstrip("\n").split("\n"))
    yield '    mode: "0644"'
    yield "  notify: rules"


def _watch() -> Iterator[str]:
    for timer in ("mdcheck_start.timer", "mdcheck_continue.timer", "mdmonitor-oneshot.timer"):
        yield from _task(
            tr("Have {timer} run", timer=timer), "service", name=timer, enabled=True, state="started", _tags=["checks"]
        )


def _handlers() -> Iterator[str]:
    change = [["udevadm", "control", "--reload"], ["udevadm", "trigger", "--action=change", "--sysname-match=md*"]]
    yield from _command(
        tr("Make the initramfs anew"),
        ["update-initramfs", "-u"],
        removes="/usr/sbin/update-initramfs",
        _listen="initramfs",
        _changed_when=True,
    )
    yield from _task(
        tr("Start md's monitor anew"), "service", name="mdmonitor.service", state="restarted", _listen="monitor"
    )
    for argv in change:
        yield from _command(
            tr("Have udev know its rules: {what}", what=argv[1]), argv, _listen="rules", _changed_when=True
        )
