"""What the helper can do around an array: its file system, its settings, and the system's files that know of it.

The array is meant by its UUID and its name, which must belong together. Every method may raise Denied, Unreachable,
InputError (the two don't belong together, or a value is out of its limits), DiskRefused (in use, or it holds something)
and JobFailed.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from raidwright.core.protocol import codec, verbs
from raidwright.core.protocol.results import Configured, MadeFileSystem, Mounted, Preview, Settings, Unmounted
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.core.system.tuning import Lasting, Tuning

from .client import Helper, OnUpdate, variants
from .system_steps import (
    MakeFileSystem,
    Mount,
    PutFilesBack,
    ShowFiles,
    Step,
    StepResult,
    Tune,
    Unmount,
    Wishes,
    WriteFiles,
)


class SystemActs:
    """The acts around the arrays of the machine that ``helper`` is on."""

    def __init__(self, helper: Helper) -> None:
        self._helper = helper

    async def make_filesystem(
        self, uuid: str, name: str, kind: FileSystemKind, *, label: str = "", on_update: OnUpdate
    ) -> MadeFileSystem:
        """Make a file system on an array that holds nothing; ``name`` is what a person typed."""
        options = variants({"label": label} if label else {})
        return await self._helper.run_job(verbs.MAKE_FILESYSTEM, uuid, name, str(kind), options, on_update=on_update)

    async def mount(self, uuid: str, name: str, place: str, *, on_update: OnUpdate) -> Mounted:
        """Mount the array's file system at a folder right below /srv or /mnt."""
        return await self._helper.run_job(verbs.MOUNT, uuid, name, place, on_update=on_update)

    async def unmount(self, uuid: str, name: str, *, on_update: OnUpdate) -> Unmounted:
        """Unmount it from there."""
        return await self._helper.run_job(verbs.UNMOUNT, uuid, name, on_update=on_update)

    async def settings(self, uuid: str, name: str) -> Settings:
        """What is set now. Never prompts."""
        return codec.read(Settings, await self._helper.ask(verbs.EXAMINE_SETTINGS, uuid, name))

    async def tune(
        self, uuid: str, name: str, tuning: Tuning, *, lasting: Lasting = Lasting.NOW, on_update: OnUpdate
    ) -> Settings:
        """Set what ``tuning`` says; what is set then, read back."""
        wanted: dict[str, object] = {field.name: getattr(tuning, field.name) for field in fields(tuning)}
        wire = variants(wanted | {"lasting": str(lasting)})
        return await self._helper.run_job(verbs.TUNE, uuid, name, wire, on_update=on_update)

    async def preview(self, uuid: str, name: str, wishes: Wishes) -> Preview:
        """What would change in mdadm.conf and fstab. May ask for a password."""
        answer = await self._helper.ask(verbs.PREVIEW_CONFIGURATION, uuid, name, _wished(wishes))
        return codec.read(Preview, answer)

    async def configure(self, uuid: str, name: str, wishes: Wishes, token: str, *, on_update: OnUpdate) -> Configured:
        """Write what was previewed under ``token``; DiskRefused when a file has changed since."""
        wished = _wished(wishes)
        return await self._helper.run_job(verbs.WRITE_CONFIGURATION, uuid, name, wished, token, on_update=on_update)

    async def restore(self, *, on_update: OnUpdate) -> Configured:
        """Put back the files of the last change that stands; DiskRefused when one was changed since."""
        return await self._helper.run_job(verbs.RESTORE_CONFIGURATION, on_update=on_update)

    async def take(self, step: Step, *, on_update: OnUpdate) -> StepResult:
        """Do what a person decided after a build."""
        match step:
            case MakeFileSystem(array, kind, label):
                return await self.make_filesystem(array.uuid, array.name, kind, label=label, on_update=on_update)
            case Mount() | Unmount():
                return await self._mount_or_unmount(step, on_update)
            case ShowFiles(array, wishes):
                return await self.preview(array.uuid, array.name, wishes)
            case WriteFiles(array, wishes, token):
                return await self.configure(array.uuid, array.name, wishes, token, on_update=on_update)
            case PutFilesBack():
                return await self.restore(on_update=on_update)
            case Tune(array, tuning):
                return await self.tune(array.uuid, array.name, tuning, lasting=Lasting.ALWAYS, on_update=on_update)

    async def _mount_or_unmount(self, step: Mount | Unmount, on_update: OnUpdate) -> Mounted | Unmounted:
        if isinstance(step, Mount):
            return await self.mount(step.array.uuid, step.array.name, step.place, on_update=on_update)
        return await self.unmount(step.array.uuid, step.array.name, on_update=on_update)


def _wished(wishes: Wishes) -> dict[str, Any]:
    values = {field.name: getattr(wishes, field.name) for field in fields(wishes)}
    return dict(variants({name: value for name, value in values.items() if value}))
