"""Parts of a pasted report: each is one form of mdadm's or md's output on one array or device.

Sources: mdadm 2.6 to 4.6 ``Detail.c``, ``Examine.c``, ``super0.c``, ``super1.c``, ``super-mbr.c``, ``super-gpt.c``,
``bitmap.c``; the kernel's ``md.c`` ``md_seq_show``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum, auto

from .lines import clean_lines, whole_lines
from .rows import DeviceRow, goes_on, is_row, row_of

_HEADING = re.compile(r"(\.{0,2}/[^\s:]+(?::[^\s:]+)*):")
_FILE_HEADING = re.compile(r"(\S+):")  # of an image, above its superblock
_FACT = re.compile(r"([A-Za-z][A-Za-z' ]*?(?:\[\d+\])?)( *): *(.*)")
_VALUE = re.compile(r"[\w(/-]")
_EXPORTED = re.compile(r"(?:E: +|export +)?(?:UDISKS_)?(MD_\w+)=(.*)")
_MDSTAT = re.compile(r"(?:\[\w+\] +)*(md[\w-]*) : (.*)")  # a mail may have wrapped the personalities above
_MDSTAT_MORE = re.compile(
    r"\d+ blocks\b|\[[=>.]*\]|\[\d+/\d+\]|\[[U_E]+\]|bitmap:|(?:resync|recovery|reshape|check) *="
)
_MDSTAT_DEVICES = re.compile(r"\S+\[\d+\](?:\([A-Z]\))*(?: +\S+\[\d+\](?:\([A-Z]\))*)*")
_SCANNED = re.compile(r"(?:INACTIVE-)?ARRAY\s")
_TABLE = re.compile(r"Number +Major +Minor +Raid ?Device(?: +State)?")
_SLOT_ROLES = re.compile(r"\d+:(?:\d+|-)(?: \d+:(?:\d+|-))*")

KNOWN_FACTS = frozenset(
    """Magic|Version|Feature Map|Array UUID|UUID|Name|Cluster Name|Creation Time|Raid Level|Raid Devices|Avail Dev Size|
Array Size|Used Dev Size|Used Size|Device Size|Data Offset|New Offset|Super Offset|Recovery Offset|Unused Space|State|
Device UUID|Internal Bitmap|PPL|Reshape pos'n|Delta Devices|New Level|New Layout|New Chunksize|Flags|Update Time|
Bad Block Log|Checksum|Events|Layout|Chunk Size|Rounding|Device Role|Array Slot|Array State|Total Devices|
Preferred Minor|Persistence|Intent Bitmap|Active Devices|Working Devices|Failed Devices|Spare Devices|
Consistency Policy|Rebuild Status|Resync Status|Reshape Status|Check Status|Container|Member Arrays|Eedk|
MBR Magic|GPT Magic|GPT Revision|Filename|Events Cleared|Chunksize|Daemon|Write Mode|Sync Size|Bitmap|Cluster nodes|
Cluster name|Node Slot|Journal""".replace("\n", "").split("|")
)
_RUN_TOGETHER = re.compile(rf"\s{{2,}}(?=(?:{'|'.join(sorted(KNOWN_FACTS, key=len, reverse=True))}) *: )")
_OF_PARTITIONS = re.compile(r"Partition\[\d+\]")
_FIRMWARE = re.compile(r"Intel |de11de11|DDF")
_OF_DETAIL = {"Raid Level", "Raid Devices", "Total Devices", "Persistence"}
_ROUND_MDSTAT = re.compile(r"Personalities *:|unused devices:")
_AROUND = re.compile(  # text around a report in a session: commands, bare prompts, the ends of mdstat and of a line
    r".*(?:\bmdadm +-|/proc/mdstat)|replacing\)$|[^ ]*[$#%>]$|[-=_]+$"
)
_ASKED = re.compile(r"\bmdadm\b(?=.*(?:-Y\b|--export\b)).*?\s(/dev/md[\w/.-]+)")
_BEGINNINGS = ("Magic", "Version", "MBR Magic", "GPT Magic")


class ReportForm(Enum):
    """Forms of a report."""

    DETAIL = auto()
    EXAMINE = auto()
    DETAIL_EXPORT = auto()
    EXAMINE_EXPORT = auto()
    MDSTAT = auto()
    SCAN = auto()
    BITMAP = auto()
    PARTITIONS = auto()
    FIRMWARE = auto()  # IMSM, DDF: firmware RAID
    EMPTY = auto()


@dataclass(slots=True)
class ReportPart:
    """One part: ``facts`` by mdadm's names, ``rows`` of its table of devices, ``strange`` lines among them.

    ``lines`` are those of a part without facts (mdstat, ARRAY lines). ``device`` is its heading, "" if there was none.
    """

    device: str = ""
    facts: dict[str, str] = field(default_factory=dict)
    rows: list[DeviceRow] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)
    form_said: ReportForm | None = None
    has_table: bool = False
    in_table: bool = False

    @property
    def form(self) -> ReportForm:
        """The form of output that the part has."""
        if self.form_said:
            return self.form_said
        facts = self.facts
        is_firmware = _FIRMWARE.match(facts.get("Magic", "")) or facts.get("Raid Level") == "container"
        signs = {
            ReportForm.PARTITIONS: facts.keys() & {"MBR Magic", "GPT Magic"},
            ReportForm.BITMAP: "Filename" in facts,
            ReportForm.FIRMWARE: is_firmware or "Container" in facts,
            ReportForm.EXAMINE: "Magic" in facts,
            ReportForm.DETAIL: self.has_table or facts.keys() & _OF_DETAIL,
        }
        return next((form for form, sign in signs.items() if sign), ReportForm.EMPTY)


@dataclass(slots=True)
class Paste:
    """All parts, mdadm's own messages, and the other lines that aren't part of a report.

    ``is_of_mdstat`` if a line of /proc/mdstat is there that isn't of an array.
    """

    parts: list[ReportPart] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    is_of_mdstat: bool = False
    filtered: tuple[str, ...] = ()  # facts of reports that lack all others
    before: str = ""  # the line before
    command: str = ""  # the last one that ran mdadm --detail --export

    def of(self, *forms: ReportForm) -> list[ReportPart]:
        """Return the parts of these forms, in order."""
        return [part for part in self.parts if part.form in forms]


def parts_of(text: str) -> Paste:
    """Split ``text``; raises InputError for a row of a table that isn't understood."""
    paste = Paste()
    for whole in whole_lines(clean_lines(text)):
        for line in _RUN_TOGETHER.split(whole):
            if _ROUND_MDSTAT.match(line):
                paste.is_of_mdstat = True
            elif line:
                _take(paste, line)
    empty = [part for part in paste.parts if part.form is ReportForm.EMPTY]
    paste.filtered = tuple(dict.fromkeys(name for part in empty for name in part.facts))
    paste.parts = [part for part in paste.parts if part.form is not ReportForm.EMPTY or part.strange]
    return paste


def _take(paste: Paste, line: str) -> None:
    _take_file_heading(paste, line)
    part = paste.parts[-1] if paste.parts else None
    if heading := _HEADING.fullmatch(line):
        paste.parts.append(ReportPart(heading[1]))
    elif line.startswith("mdadm: "):
        paste.messages.append(line.removeprefix("mdadm: "))
    elif _takes_other_form(paste, part, line):
        return
    elif _TABLE.fullmatch(line):
        part = _with_place(paste, None if part and part.has_table else part, set())
        part.has_table = part.in_table = True
    elif part and part.in_table and is_row(line):
        part.rows.append(row_of(line, is_examined="Magic" in part.facts))
    elif part and part.in_table and part.rows and (whole := goes_on(part.rows[-1], line)):
        part.rows[-1] = whole
    elif not _takes_fact(paste, part, line):
        if part:
            part.in_table = False
        _take_other(paste, line)


def _take_other(paste: Paste, line: str) -> None:
    if _ASKED.search(line):
        paste.command = line
    if not _AROUND.match(line):
        paste.others.append(line)


def _take_file_heading(paste: Paste, line: str) -> None:
    before, paste.before = paste.before, line
    if (file := _FILE_HEADING.fullmatch(before)) and paste.others[-1:] == [before] and line.startswith("Magic "):
        paste.others.pop()
        paste.parts.append(ReportPart(file[1]))


def _takes_other_form(paste: Paste, part: ReportPart | None, line: str) -> bool:
    """Add a line of ``--export``, mdstat or ``--scan``; return True if it is one."""
    if exported := _EXPORTED.fullmatch(line):
        key, value = exported[1], exported[2].strip().strip("\"'")
        is_new = part is None or part.form_said is not ReportForm.DETAIL_EXPORT or key in part.facts
        if part is None or is_new:
            asked = _ASKED.search(paste.command) if paste.command else None
            part = ReportPart(asked[1] if asked else "", form_said=ReportForm.DETAIL_EXPORT)
            paste.parts.append(part)
            paste.command = ""
        part.facts[key] = value
        return True
    if array := _MDSTAT.fullmatch(line):
        paste.parts.append(ReportPart(f"/dev/{array[1]}", lines=[array[2]], form_said=ReportForm.MDSTAT))
        return True
    if part and part.form_said is ReportForm.MDSTAT and _MDSTAT_MORE.match(line):
        part.lines.append(line)
        return True
    if part and part.form_said is ReportForm.MDSTAT and len(part.lines) == 1 and _MDSTAT_DEVICES.fullmatch(line):
        part.lines[0] += f" {line}"  # wrapped by a mail
        return True
    if _SCANNED.match(line):
        paste.parts.append(ReportPart(lines=[line], form_said=ReportForm.SCAN))
        return True
    return bool(part and part.form_said is ReportForm.SCAN and re.match(r"(?:devices|spares|container)=", line))


def _takes_fact(paste: Paste, part: ReportPart | None, line: str) -> bool:
    if _OF_PARTITIONS.match(line):
        return True
    match = _FACT.fullmatch(line)
    name = " ".join(match[1].split()) if match else ""
    if match is None or name not in KNOWN_FACTS:
        return _takes_strange(part, line, is_fact=bool(match and match[2] and _VALUE.match(match[3])))
    if part is None and name not in (*_BEGINNINGS, "Raid Level", "Filename"):
        return False
    part = _with_place(paste, part, {name} & {*_BEGINNINGS, "Filename"})
    part.in_table = False
    value = match[3].strip()
    if part.facts.setdefault(name, value) != value and name in ("Magic", "Version", "Array UUID", "Raid Level"):
        part.strange.append(line)
    return True


def _takes_strange(part: ReportPart | None, line: str, *, is_fact: bool) -> bool:
    """Record an unknown line in mdadm's format among known ones; return True if it is one."""
    if part is None or part.form_said or not part.facts or part.form is ReportForm.PARTITIONS:
        return False
    if is_fact or line.startswith("WARNING"):
        part.strange.append(line)
        return True
    return bool(part.strange and _SLOT_ROLES.fullmatch(line))


def _with_place(paste: Paste, part: ReportPart | None, begins: Iterable[str]) -> ReportPart:
    """Return the part that a line belongs to: a new one without a heading if it repeats a fact already present."""
    is_below_other = "Magic" in begins and bool(part and part.facts) and not (part and "Filename" in part.facts)
    if part is None or part.form_said or is_below_other or any(name in {*part.facts, "Filename"} for name in begins):
        device = ""
        paste.parts.append(part := ReportPart(device))
    return part
