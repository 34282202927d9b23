"""Parser of mdadm's and the kernel's reports on an array into a plan: ``read_report``.

Supported are ``mdadm --detail``, its ``--export``, ``mdadm --examine`` of the members, and ``/proc/mdstat``; each is
parsed by modules of ``reports/``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from raidwright.core.errors import InputError, PlanRefused
from raidwright.core.json_fields import printable
from raidwright.core.md.capacity import capacity_of
from raidwright.core.messages import Message, say, say_count, sentences
from raidwright.core.model.plan import MdArray

from .known_texts import TextKind, known_text
from .reports.arrays import arrays_of, outermost
from .reports.line_breaks import with_line_breaks
from .reports.mdstat import take_component
from .reports.parts import Paste, parts_of
from .reports.planned import SizeOf, plan_of
from .reports.reported import Reported

_MAX_CHARACTERS = 1 << 20
_MAX_MESSAGES = 3
_OF_LOST_BREAKS = ("report-nothing", "report-cut", "report-table", "report-heading")
_LISTED_ARRAYS = re.compile(r"(?<![\w/-])md(?:\d+|_d\d+)(?![\w-])")  # of lsblk, without /dev
_ARRAY_NODES = re.compile(r"/dev/md(?:/[\w.-]+|_?d?\d+)\b")
_LOOKED_FOR = (TextKind.REPORT, TextKind.ARRAY_LINES)


@dataclass(frozen=True, slots=True)
class ReportedPlan:
    """The plan of a reported array.

    ``unsaid`` isn't in the report, and was chosen or left out; ``unplanned`` is in it, but not supported by plans.
    """

    plan: MdArray
    unsaid: tuple[Message, ...] = ()
    unplanned: tuple[Message, ...] = ()


def read_report(text: str, size_of: SizeOf = lambda _path: None, chosen: str = "") -> ReportedPlan:
    """Parse a report on one array; raises InputError for other text, and for what plans don't support.

    ``size_of`` returns a device's known size in bytes by its path; None if unknown, so that the report decides.
    ``chosen`` is the array that is meant where the text is of several, by its node, name or UUID.
    """
    if len(text) > _MAX_CHARACTERS:
        raise InputError("That is too long for a report of mdadm's.", code="report-long")
    try:
        return _read(text, size_of, chosen)
    except InputError as error:
        if error.code not in _OF_LOST_BREAKS:
            raise _what_it_is(text, error) from error
        try:
            return _read(with_line_breaks(text), size_of, chosen)
        except InputError as second:
            is_better = error.code == "report-nothing" and second.code != "report-nothing"
            raise (second if is_better else _what_it_is(text, error)) from error


def _read(text: str, size_of: SizeOf, chosen: str) -> ReportedPlan:
    paste = parts_of(text)
    array, inner = outermost(arrays_of(paste, chosen))
    plan = plan_of(array, inner, size_of)
    try:
        plan = _of_said_size(plan, array)
    except PlanRefused as error:  # the cause is in the report's members: two that were dropped, for example
        raise _for_its_members(error, array) from error
    return ReportedPlan(plan, tuple(array.unsaid), (*array.unplanned, *_rest_of(paste)))


def _what_it_is(text: str, error: InputError) -> InputError:
    """Return the refusal of a text that is no report, for what it is instead."""
    if error.code != "report-nothing":
        return error
    known = known_text(text, _LOOKED_FOR)
    nodes = list(dict.fromkeys(_ARRAY_NODES.findall(text)))
    if known and nodes and known.kind is TextKind.OTHER_SYSTEM:
        return InputError(
            "This is of {program}, which lies on arrays of md here: {nodes:and}. Paste what mdadm --detail prints of "
            "each of them.",
            code=error.code,
            program=known.program,
            nodes=nodes,
        )
    if known and known.program == "lsblk" and (names := dict.fromkeys(_LISTED_ARRAYS.findall(text))):
        return InputError(
            "This is a list of devices ({program}), without md's slots, chunk and layout. Paste what mdadm --detail "
            "prints of {nodes:or}.",
            code=error.code,
            program=known.program,
            nodes=[f"/dev/{name}" for name in names],
        )
    return InputError(known.way_out, code=error.code) if known else error


def _rest_of(paste: Paste) -> list[Message]:
    """Return the rest of the paste: mdadm's own messages, and lines that aren't part of a report."""
    told = [say("mdadm's message “{line}”.", line=printable(line)) for line in dict.fromkeys(paste.messages)]
    told = told[:_MAX_MESSAGES]
    if paste.others:
        told.append(
            say_count(
                "A line that isn't of a report: “{line}”.",
                "{count} lines that aren't of a report, the first of them “{line}”.",
                len(paste.others),
                line=printable(paste.others[0]),
            )
        )
    return told


def _for_its_members(error: PlanRefused, array: Reported) -> InputError:
    """Return the refusal of a plan that can't be, for the reason that the report's devices give."""
    if len(set(array.offsets.values())) > 1 and "data_offset_kib" in array.unknown:
        return InputError(
            "The data of {array} begin at different places on its disks ({places}), and no plan holds that.",
            code="report-offsets",
            array=array.title,
            places=[f"{path}: {sectors}" for path, sectors in array.offsets.items()],
        )
    why: list[Message] = [error.sentence, *array.left_out]
    if array.unexamined:
        why = [
            say(
                "{array} can't start without the disks that weren't examined (slots {slots}). Paste mdadm --examine of "
                "all its disks.",
                slots=[str(slot) for slot in array.unexamined],
                array=array.title,
            ),
            *array.left_out,
            *array.outdated,
        ]
    elif error.code == "missing-member" and array.spares:
        why.append(
            say_count(
                "{devices:and} is recorded as a spare: which slot it had, if any, isn't in its superblock.",
                "{devices:and} are recorded as spares: which slots they had, if any, isn't in their superblocks.",
                len(array.spares),
                devices=array.spares,
            )
        )
    return InputError(sentences(why), code=error.code)


def _of_said_size(plan: MdArray, array: Reported) -> MdArray:
    """Return the plan with exactly the reported size; raises InputError if it can't have it."""
    size_kib = array.array_kib
    if not plan.level.is_redundant and None in plan.members:
        capacity_of(plan)  # refuses it, since nothing can stand for the missing one
    if size_kib is None or not plan.level.is_redundant:
        return plan
    if plan.component_size_kib is None and capacity_of(plan).array_sectors != size_kib * 2:
        take_component(array)  # mdadm prints a member's share only if the disk has more room than that
        plan = replace(plan, component_size_kib=array.component_kib)
    if capacity_of(plan).array_sectors != size_kib * 2:
        raise InputError(
            "The array is said to have {said_kib} KiB, and a plan of what is said of it has {planned_kib}; "
            "no plan can say it exactly.",
            code="report-size",
            said_kib=size_kib,
            planned_kib=capacity_of(plan).array_sectors // 2,
        )
    return plan
