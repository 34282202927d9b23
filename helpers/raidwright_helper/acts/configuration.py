"""Preview-, Write- and RestoreConfiguration: an array in mdadm.conf, fstab and the initramfs, and its monitoring.

Only what was shown is written: the preview's token is a hash of the files' contents before and after, and any other
token is refused. Texts are made by ``raidwright.core.config_files`` from the array itself; of the caller's words only
an address and a host's name get in, both of a closed form.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from raidwright.core.ending import to_the_end
from raidwright.core.errors import DiskRefused, InputError, JobFailed
from raidwright.core.protocol import results
from raidwright.core.protocol.results import Configured
from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.array_lines import ArrayEntry, with_array_in, without_arrays, without_shape_words
from raidwright.core.system.config_files import (
    MountEntry,
    checked_array_name,
    checked_metadata,
    difference,
    with_keyword,
    with_mount,
    with_program,
    without_mounts,
)

from raidwright_helper.host import md
from raidwright_helper.host.array_entries import entries_of
from raidwright_helper.host.arrays import PinnedArray, find_filled, find_mountable
from raidwright_helper.host.etc_files import FSTAB
from raidwright_helper.host.guards import Pinned
from raidwright_helper.host.host import Host
from raidwright_helper.host.lvm import volume_over
from raidwright_helper.host.mdadm_files import ONE_OF_THEM
from raidwright_helper.host.outside import SYSTEMCTL, unit_argv
from raidwright_helper.host.runner import run
from raidwright_helper.host.seen import seen_array
from raidwright_helper.host.signatures import found_on
from raidwright_helper.host.tables import is_source
from raidwright_helper.jobs.jobs import Job
from raidwright_helper.records.changes import Changes, Edit, EtcChange, token_of
from raidwright_helper.records.occupants import Occupants

from . import alerts
from .filesystem import filesystem_on
from .mounting import verify_place

UPDATE_INITRAMFS = "/usr/sbin/update-initramfs"
_INITRAMFS_SECONDS = 600.0
_SYSTEMD_SECONDS = 60.0
CRON, CRON_JOB = "/usr/sbin/cron", "/etc/cron.d/mdadm"
REMINDER = "mdmonitor-oneshot.timer"
CHECK_TIMERS = ("mdcheck_start.timer", "mdcheck_continue.timer")
_NO_SUCH_UNIT = 5  # systemctl's code; an installation may lack mdadm's monitor


@dataclass(frozen=True, slots=True)
class ConfigurationRequest:
    """Content for the files. ``place`` "": fstab stays as it is; likewise homehost and mail address."""

    array_uuid: str
    array_name: str
    place: str = ""
    homehost: str = ""
    mail: str = ""


@dataclass(frozen=True, slots=True)
class ConfigurationPreview:
    """A preview of the changes."""

    edits: tuple[Edit, ...]
    timers: tuple[str, ...] = ()

    @property
    def token(self) -> str:
        """Token that WriteConfiguration requires."""
        return token_of(self.edits)

    def for_the_bus(self) -> results.Preview:
        """Return the diff, the token, and whether the initramfs will be regenerated."""
        lines = [line for edit in self.edits for line in difference(edit.path, edit.before or "", edit.after)]
        return results.Preview(self.token, tuple(lines), _wants_initramfs(self.edits), self.timers)


async def preview(host: Host, changes: Changes, request: ConfigurationRequest) -> ConfigurationPreview:
    """Return the files' new contents. Raises InputError, DiskRefused, JobFailed for a file that can't be used."""
    with contextlib.ExitStack() as until:
        find = find_mountable if request.place else find_filled
        found = await find(host, request.array_uuid, request.array_name, until)
        _verify_starts_unlocked(host, found)
        number = found.device.number
        arrays = [_checked(entry) async for entry in entries_of(host, number)]
        mount = await _mount_entry(host, found.device, request.place)
        on_it = await found_on(found.device.node) if mount else ()
    edits = _edits_of_mdadm(changes, arrays, request)
    if mount is not None:
        is_it = partial(is_source, host, number, signatures=on_it)
        edits.append(_edit(changes, FSTAB, lambda text: with_mount(text, mount, is_it)))
    return ConfigurationPreview(tuple(edit for edit in edits if edit.before != edit.after), await _timers_off())


def _verify_starts_unlocked(host: Host, found: PinnedArray) -> None:
    """Raise DiskRefused for an unlocked LUKS device: fstab's line needs one in crypttab, which isn't written here."""
    if host.attribute(found.device.number, "dm/uuid").startswith("CRYPT-"):
        raise DiskRefused(
            "{array} is encrypted (LUKS). Add it to crypttab and fstab by hand, so that the start asks for its key.",
            code="array-encrypted",
            array=found.label,
        )


def _edits_of_mdadm(changes: Changes, arrays: Sequence[ArrayEntry], request: ConfigurationRequest) -> list[Edit]:
    files = changes.read_mdadm_files()
    texts = {path: file.content for path, file in files.items()}
    for entry in arrays:
        texts = with_array_in(texts, entry)
    main, *further = texts
    for keyword, value in (("HOMEHOST", request.homehost), ("MAILADDR", request.mail)):
        texts[main] = with_keyword(texts[main], keyword, value) if value else texts[main]
    texts[main] = with_program(texts[main], alerts.PROGRAM, [texts[path] for path in further])
    return [Edit(path, file.text, texts[path], file.mode) for path, file in files.items() if texts[path] != file.text]


async def _timers_off() -> tuple[str, ...]:
    """Return the disabled timers that maintain arrays; cron runs the checks where Debian has its cron job."""
    is_checked = Path(CRON).exists() and Path(CRON_JOB).exists()
    wanted = (REMINDER,) if is_checked else (REMINDER, *CHECK_TIMERS)
    argv = (SYSTEMCTL, "list-unit-files", "--no-legend", "--no-pager", "--state=disabled", *wanted)
    found = (await run(argv, limit_s=_SYSTEMD_SECONDS, accept=(0, 1))).output
    return tuple(unit for unit in wanted if unit in found.split())


async def _watch(timers: Sequence[str], job: Job) -> None:
    """Restart the monitor and enable ``timers``, as shown; raises JobFailed."""
    try:
        again = await run((SYSTEMCTL, "restart", alerts.MONITOR), limit_s=_SYSTEMD_SECONDS, accept=(0, _NO_SUCH_UNIT))
        job.record.commands.append(again.command)
        if timers:
            on = await run((SYSTEMCTL, "enable", "--now", "--quiet", *timers), limit_s=_SYSTEMD_SECONDS)
            job.record.commands.append(on.command)
    except JobFailed as error:
        raise JobFailed(
            "The files stand as they should, but nobody watches the array yet: {sentence} Run it by hand.",
            code="effect",
            log=job.record.commands,
            sentence=error.sentence,
        ) from error


def _checked(entry: ArrayEntry) -> ArrayEntry:
    checked_array_name(entry.name)
    checked_metadata(entry.metadata)
    md.checked_uuid(entry.uuid)
    return entry


async def _mount_entry(host: Host, device: Pinned, place: str) -> MountEntry | None:
    if not place:
        return None
    if host.mount_point(device.number) != place:
        verify_place(host, place)
    filesystem = await filesystem_on(device.node)
    if filesystem is None:
        raise DiskRefused("The array holds no file system for fstab; make one first.", code="array-no-filesystem")
    return MountEntry(filesystem.uuid, place, filesystem.kind)


def _edit(changes: Changes, path: str, change: Callable[[str], str]) -> Edit:
    file = changes.read(path)
    return Edit(path, file.text, change(file.content), file.mode)


def _wants_initramfs(edits: Sequence[Edit]) -> bool:
    """Return whether the initramfs has a copy of a changed file, and this host has update-initramfs."""
    return any(ONE_OF_THEM.fullmatch(edit.path) for edit in edits) and Path(UPDATE_INITRAMFS).exists()


async def write(
    host: Host, changes: Changes, occupants: Occupants, request: ConfigurationRequest, token: str, job: Job
) -> Configured:
    """Write the change previewed under ``token``. Raises DiskRefused if a file changed since, InputError, JobFailed."""
    job.progress(JobStep.CONFIGURE, 0.1)
    shown = await preview(host, changes, request)
    if shown.token != token:
        raise DiskRefused(
            "A file has changed since the change was shown, or something else was shown; look at it once more.",
            code="configuration-changed",
        )
    if not shown.edits:
        raise InputError("The files say all this already; nothing was written.", code="configuration-same")
    change = await to_the_end(changes.make(job.record.uid, request.array_name, shown.edits))
    job.record.commands += [f"# wrote {edit.path}" for edit in change.edits]
    if (array := seen_array(host, request.array_uuid)) is not None:
        volume = volume_over(host, request.array_name, array.number)
        for number in (array.number,) if volume is None else host.slaves(volume):
            occupants.note(number)  # for the mail, once one of them is gone
    configured = await _with_effect(change, job)
    await _watch(shown.timers, job)
    return configured


async def have_monitor_call(changes: Changes, job: Job) -> None:
    """Have md's monitor run our program at each event, unless mdadm.conf names one already; raises JobFailed."""
    files = changes.read_mdadm_files()
    main, *further = files
    edit = _edit(
        changes, main, lambda text: with_program(text, alerts.PROGRAM, [files[path].content for path in further])
    )
    if edit.before == edit.after:
        return
    job.progress(JobStep.CONFIGURE, 0.3)
    await to_the_end(changes.make(job.record.uid, "md's monitor", [edit]))
    job.record.commands.append(f"# wrote {edit.path}")
    await _watch((), job)  # the initramfs has no monitor


async def take_out(
    changes: Changes, name: str, arrays: Collection[ArrayEntry], sources: Collection[str], job: Job
) -> None:
    """Remove the lines of ``arrays`` from mdadm's files, and those of ``sources`` from fstab; raises JobFailed."""
    edits = [
        *(_edit(changes, path, lambda text: without_arrays(text, arrays)) for path in changes.read_mdadm_files()),
        _edit(changes, FSTAB, lambda text: without_mounts(text, sources.__contains__)),
    ]
    edits = [edit for edit in edits if edit.before is not None and edit.before != edit.after]
    if edits:
        change = await to_the_end(changes.make(job.record.uid, name, edits))
        job.record.commands += [f"# took the array's lines out of {edit.path}" for edit in change.edits]
        await _with_effect(change, job)


async def keep_named(changes: Changes, name: str, arrays: Sequence[ArrayEntry], job: Job) -> None:
    """Give each of a volume's ``arrays`` a line in mdadm's files if one of them has one; raises InputError, JobFailed.

    A line that is there loses what would keep mdadm from matching it now, such as an old level, and stays else.
    """
    files = changes.read_mdadm_files()
    texts = {path: file.content for path, file in files.items()}
    if all(without_arrays(text, arrays) == text for text in texts.values()):
        return  # nobody has set it up: its arrays start by what their superblocks say
    for entry in map(_checked, arrays):
        texts = with_array_in(texts, entry)
    edits = [Edit(path, file.text, texts[path], file.mode) for path, file in files.items() if texts[path] != file.text]
    if edits:
        job.progress(JobStep.CONFIGURE, 0.0)
        change = await to_the_end(changes.make(job.record.uid, name, edits))
        job.record.commands += [f"# wrote the arrays' lines to {edit.path}" for edit in change.edits]
        await _with_effect(change, job)


async def take_out_words(changes: Changes, entry: ArrayEntry, words: Collection[str], job: Job) -> None:
    """Remove ``words`` on the array's shape from its lines in mdadm's files; raises JobFailed."""
    edits = [
        _edit(changes, path, lambda text: without_shape_words(text, entry, words))
        for path in changes.read_mdadm_files()
    ]
    edits = [edit for edit in edits if edit.before is not None and edit.before != edit.after]
    if edits:
        job.progress(JobStep.CONFIGURE, 0.0)
        change = await to_the_end(changes.make(job.record.uid, entry.name, edits))
        job.record.commands += [f"# took {' '.join(words)} out of {edit.path}" for edit in change.edits]
        await _with_effect(change, job)


async def restore(changes: Changes, job: Job) -> Configured:
    """Restore the files of the last change. Raises InputError, DiskRefused, JobFailed."""
    job.progress(JobStep.CONFIGURE, 0.1)
    change = await to_the_end(changes.take_back())
    job.record.commands += [f"# put {edit.path} back" for edit in change.edits]
    return await _with_effect(change, job)


async def _with_effect(change: EtcChange, job: Job) -> Configured:
    """Reload systemd, restart mdadm's monitor and update the initramfs after a change of their files."""
    paths, log = {edit.path for edit in change.edits}, job.record.commands
    try:
        if FSTAB in paths:
            log.append((await run((SYSTEMCTL, "daemon-reload"), limit_s=_SYSTEMD_SECONDS)).command)
        if any(map(ONE_OF_THEM.fullmatch, paths)):
            argv = (SYSTEMCTL, "try-restart", alerts.MONITOR)
            log.append((await run(argv, limit_s=_SYSTEMD_SECONDS, accept=(0, _NO_SUCH_UNIT))).command)
        if _wants_initramfs(change.edits):
            job.progress(JobStep.INITRAMFS, 0.3)
            made = await to_the_end(run(unit_argv((UPDATE_INITRAMFS, "-u")), limit_s=_INITRAMFS_SECONDS))
            log.append(made.command)
    except JobFailed as error:
        raise JobFailed(
            "{paths} stand as they should, but not all took effect: {sentence} Run it by hand.",
            code="effect",
            log=log,
            paths=change.paths,
            sentence=error.sentence,
        ) from error
    return Configured(tuple(sorted(paths)), job.record.log, change.id)
