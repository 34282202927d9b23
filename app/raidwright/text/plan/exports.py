"""Export formats of a plan: one table for the window and the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from raidwright.core.errors import InputError
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.layers.commands import create_commands, device_path
from raidwright.core.md.known import Kernel
from raidwright.core.md.mdadm import array_path
from raidwright.core.md.mdadm_versions import MDADM_4_4, MdadmVersion
from raidwright.core.messages import Message, say
from raidwright.core.model.plan import MdArray, Plan
from raidwright.core.system.array_lines import ArrayEntry
from raidwright.core.system.config_files import MountEntry
from raidwright.export.ansible import playbook
from raidwright.export.recovery_card import BuiltArray, recovery_card
from raidwright.export.removal import removal_commands
from raidwright.export.script import arrays_of, build_script
from raidwright.export.surroundings import Surroundings
from raidwright.export.unattended import cloud_config
from raidwright.runs.run import Run
from raidwright.text.reports.shopping_list import Prices, shopping_list, shopping_page


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """A plan to export, its surroundings, and its array's data: "" if unknown, ``runs`` newest first, with samples.

    ``inner`` are the UUIDs of a nested array's inner arrays, in slot order; ``mdadm`` is the version of the command,
    ``made_by`` the Linux that made the array, None if that isn't known; ``prices`` are those of its disks.
    """

    plan: Plan
    around: Surroundings = field(default_factory=Surroundings)
    uuid: str = ""
    filesystem_uuid: str = ""
    runs: tuple[Run, ...] = ()
    inner: tuple[str, ...] = ()
    mdadm: MdadmVersion = MDADM_4_4
    made_by: Kernel | None = None
    prices: Prices = field(default_factory=Prices)


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """An export format: ``suffix`` ends the file's name, ``text`` makes its text and may raise InputError.

    ``tells_runs``: it needs the runs, too; ``is_printed``: the text is a page of HTML to print.
    """

    title: Message
    suffix: str
    text: Callable[[ExportRequest], str]
    tells_runs: bool = False
    is_printed: bool = False


def _commands(wanted: ExportRequest) -> str:
    capacity_of(wanted.plan.top, wanted.mdadm)  # refuses what mdadm would refuse
    removals = removal_commands(wanted.plan, {}, wanted.around.removed)
    return "".join(f"{command.shell()}\n" for command in (*removals, *create_commands(wanted.plan.top)))


def _mdadm_conf(wanted: ExportRequest) -> str:
    if wanted.plan.volume:
        return "".join(f"{_by_name(array)}\n" for array, _ in arrays_of(wanted.plan))
    *inner, whole = (array for array, _ in arrays_of(wanted.plan))
    lines = [_by_name(array) for array in inner]
    if wanted.uuid:
        lines.append(ArrayEntry(whole.name, whole.metadata, wanted.uuid).line)
    else:
        lines.append(_by_name(whole))
    return "".join(f"{line}\n" for line in lines)


def _by_name(array: MdArray) -> str:
    host = f"{array.homehost}:" if array.homehost else ""  # mdadm adds this computer's own homehost itself
    return f"ARRAY {array_path(array.name)} metadata={array.metadata} name={host}{array.name}"


def _fstab(wanted: ExportRequest) -> str:
    around = wanted.around.checked(wanted.plan)
    if around.kind is None:
        raise InputError("Without a file system there is nothing for fstab.", code="export-fstab")
    entry = MountEntry(wanted.filesystem_uuid or "UUID", around.place, around.kind)
    hint = "" if wanted.filesystem_uuid else f"# UUID: blkid --match-tag UUID {device_path(wanted.plan.top)}\n"
    return f"{hint}{entry.line}\n"


def _report(wanted: ExportRequest) -> str:
    from raidwright.text.reports.of_plan import report  # noqa: PLC0415 -- imports numpy

    return report(wanted.plan, wanted.runs, wanted.made_by)


def _card(wanted: ExportRequest) -> str:
    built = BuiltArray(wanted.uuid, inner=wanted.inner, made_by=wanted.made_by) if wanted.uuid else None
    return recovery_card(wanted.plan, built)


FORMS: Mapping[str, ExportFormat] = {
    "mdadm": ExportFormat(say("The mdadm command"), ".txt", _commands),
    "script": ExportFormat(say("A shell script"), ".sh", lambda wanted: build_script(wanted.plan, wanted.around)),
    "mdadm.conf": ExportFormat(say("Lines for mdadm.conf"), ".conf", _mdadm_conf),
    "fstab": ExportFormat(say("A line for fstab"), ".fstab", _fstab),
    "ansible": ExportFormat(say("An Ansible playbook"), ".yml", lambda wanted: playbook(wanted.plan, wanted.around)),
    "cloud-init": ExportFormat(
        say("Cloud-config"), ".cloud-config.yml", lambda wanted: cloud_config(wanted.plan, wanted.around)
    ),
    "card": ExportFormat(
        say("The recovery card"),
        "-recovery.txt",
        _card,
    ),
    "report": ExportFormat(say("A report (HTML)"), ".html", _report, tells_runs=True),
    "pdf": ExportFormat(say("A report (PDF)"), ".pdf", _report, tells_runs=True, is_printed=True),
    "shopping-list": ExportFormat(
        say("A shopping list"), "-disks.txt", lambda wanted: shopping_list(wanted.plan, wanted.prices)
    ),
    "shopping-pdf": ExportFormat(
        say("A shopping list (PDF)"),
        "-disks.pdf",
        lambda wanted: shopping_page(wanted.plan, wanted.prices),
        is_printed=True,
    ),
}
