"""Disk settings before a scratch array was tuned, to be restored when it is removed.

Read from sysfs, and the error recovery (SCT ERC) from the disk itself through smartctl.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from raidwright.core.errors import InputError, RaidwrightError
from raidwright.core.json_fields import Fields
from raidwright.core.model.names import is_disk_id
from raidwright.core.system.tuning import DISK_ATTRIBUTES, TIMEOUT_ATTRIBUTE

from .host import Host
from .runner import run
from .smart import SECONDS, answer_of, error_recovery_of, smartctl

_ERROR_RECOVERY = "scterc"  # smartctl's name; its value is both limits in tenths of a second: 70,70
_KNOWN = {*DISK_ATTRIBUTES.values(), TIMEOUT_ATTRIBUTE, _ERROR_RECOVERY}
_VALUE = re.compile(r"[a-z0-9-]{1,32}(,[0-9]{1,4})?")


@dataclass(frozen=True, slots=True)
class DiskSetting:
    """The previous value of ``attribute`` of the disk of this by-id name."""

    disk: str
    attribute: str
    value: str


def value_of(host: Host, number: int, attribute: str) -> str:
    """Return an attribute without the kernel's extras: ``[mq-deadline] none``, ``1000 (system)``; "" for none."""
    text = host.attribute(number, attribute)
    chosen = next((word[1:-1] for word in text.split() if word.startswith("[")), "")
    return chosen or text.partition(" ")[0]


async def error_recovery(node: str) -> tuple[int, int] | None:
    """Return the SCT ERC limits of the disk at ``node`` (``smart.error_recovery_of``)."""
    finished = await run(smartctl("--json", "-l", "scterc", node), limit_s=SECONDS, accept=range(256))
    return error_recovery_of(answer_of(finished.output))


async def settings_now(
    host: Host, disks: Mapping[str, int], attributes: Sequence[str], *, with_recovery: bool
) -> tuple[DiskSetting, ...]:
    """Return ``attributes`` of ``disks`` (numbers by by-id name), and their error recovery limits. Raises JobFailed."""
    wanted = (*attributes, *((TIMEOUT_ATTRIBUTE,) if with_recovery else ()))
    found = [
        DiskSetting(disk, attribute, value)
        for disk, number in disks.items()
        for attribute in wanted
        if (value := value_of(host, number, attribute))
    ]
    for disk, number in disks.items() if with_recovery else ():
        if (limits := await error_recovery(host.node(number))) is not None:
            found.append(DiskSetting(disk, _ERROR_RECOVERY, f"{limits[0]},{limits[1]}"))
    return tuple(found)


async def put_back(host: Host, disks: Mapping[str, int], settings: Sequence[DiskSetting], log: list[str]) -> None:
    """Restore the former ``settings`` of ``disks`` (numbers by by-id name); a failing or missing disk is skipped."""
    for setting in settings:
        if (number := disks.get(setting.disk)) is None:
            continue
        if setting.attribute == _ERROR_RECOVERY:
            with contextlib.suppress(RaidwrightError):
                argv = smartctl("-l", f"scterc,{setting.value}", host.node(number))
                log.append((await run(argv, limit_s=SECONDS)).command)
        elif value_of(host, number, setting.attribute) != setting.value:
            path = host.block_dir(number) / setting.attribute
            with contextlib.suppress(OSError):
                path.write_text(setting.value, encoding="ascii")
                log.append(f"echo {setting.value} > {path}")


def read_settings(value: object) -> tuple[DiskSetting, ...]:
    """Read the settings of a record; raises InputError."""
    if not isinstance(value, list):
        raise InputError("“settings” is no list", code="record-settings")
    return tuple(_read_all(value))


def _read_all(items: Sequence[object]) -> Iterator[DiskSetting]:
    for item in items:
        fields = Fields(item, "a setting")
        setting = DiskSetting(*(fields.require(name, str) for name in ("disk", "attribute", "value")))
        fields.finish()
        if not (is_disk_id(setting.disk) and setting.attribute in _KNOWN and _VALUE.fullmatch(setting.value)):
            raise InputError("a setting of a disk is none", code="record-settings")
        yield setting
