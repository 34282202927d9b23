"""``raidwright array rescue``: examine an array that doesn't start, try on overlays, and bring it back."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace

from raidwright.cli.options.array import ambiguous_disk, partition_called, typed_name
from raidwright.cli.options.plans import plan_text
from raidwright.cli.options.progress import say_progress
from raidwright.core.errors import InputError, JobFailed
from raidwright.core.md.layouts import Level
from raidwright.core.md.rescue.hypothesis import Hypothesis
from raidwright.core.model.disk import UseKind
from raidwright.core.model.names import array_uuid
from raidwright.core.model.plan import Member, Metadata
from raidwright.core.protocol.results import FileSystemCheck, RescueTried, RescueVerdict
from raidwright.core.sizes import decimal_size
from raidwright.machine.machine import Machine
from raidwright.machine.values import Snapshot
from raidwright.operations.rescue import RescueArray, TryRescue
from raidwright.operations.rescue_case import ExamineRescue, RescueCase
from raidwright.reading.card import Kept, kept_facts
from raidwright.text.array import rescue as words
from raidwright.text.catalogue import joined, tr, translated
from raidwright.text.disk.facts import disk_label, holds

_ALL = "all"
_MAX_SHOWN = 24
_USED_ITSELF = frozenset({UseKind.SYSTEM, UseKind.MOUNTED, UseKind.SWAP, UseKind.LOG, UseKind.PROCESS})


async def rescue(options: argparse.Namespace, machine: Machine) -> tuple[object, str]:
    """Examine, try or rescue; return the plain result and the text."""
    case = await _examined(options, machine)
    if options.try_ and options.for_real:
        raise InputError("Try it first, look at what was found, then do it for real.", code="rescue-both")
    if options.for_real:
        return await _for_real(options, case.hypothesis(options.for_real), machine)
    if options.try_ == _ALL:
        return await _try_all(options, case, machine)
    if options.try_:
        hypothesis = case.hypothesis(options.try_)
        tried = await TryRescue(hypothesis.attempt).perform(machine, say_progress)
        return _tried_json(int(options.try_), tried), "\n".join(_tried_lines(tried, with_files=options.files))
    return _as_json(case), "\n".join(_lines(case))


async def _examined(options: argparse.Namespace, machine: Machine) -> RescueCase:
    uuid, named = _targets(options.targets, machine.snapshot)
    card = plan_text(options.card) if options.card else ""
    return await ExamineRescue(uuid, tuple(named.values()), card, _kept(options)).perform(machine)


def _targets(texts: list[str], seen: Snapshot) -> tuple[str, dict[str, Member]]:
    """Return the UUID of the array that is meant ("" if none is named), and the named disks."""
    uuid, disks = "", dict[str, Member]()
    for text in texts:
        arrays = [array for array in seen.arrays if text in (array.name, array.uuid) or array.uuid == array_uuid(text)]
        if len(arrays) == 1 and not uuid:
            uuid = arrays[0].uuid
            continue
        member = _disk(text, seen)
        disks[member.id] = member
    return uuid, disks


def _disk(text: str, seen: Snapshot) -> Member:
    whole = [disk for disk in seen.disks if text in (disk.id, disk.serial, *disk.by_id)]
    part = partition_called(text, seen)
    known = [part] if part else [member for array in seen.arrays for member in array.members if text == member.id]
    found = [disk.as_member() for disk in whole] or known
    if len(found) != 1:
        raise ambiguous_disk(text, is_several=bool(found))
    if whole and any(use.kind in _USED_ITSELF and not use.partition and not use.through for use in whole[0].uses):
        raise InputError(
            "{disk} is in use now ({what}), as no member of an array that doesn't start is. Leave it out, or unmount "
            "or stop that first.",
            code="rescue-in-use",
            disk=disk_label(found[0]),
            what=holds(whole[0]),
        )
    return replace(found[0], baseline=None)


def _kept(options: argparse.Namespace) -> Kept | None:
    """Return the facts of --level and its options; None without."""
    if not options.level:
        return None
    return kept_facts(
        Level(options.level),
        options.layout or "",
        options.chunk_kib,
        Metadata(options.metadata),
        data_offset_kib=options.data_offset_kib,
    )


async def _try_all(options: argparse.Namespace, case: RescueCase, machine: Machine) -> tuple[object, str]:
    results, lines, good = list[object](), list[str](), dict[int, RescueTried]()
    for number, hypothesis in enumerate(case.examined.hypotheses, start=1):
        print(tr("Hypothesis {number} …", number=number), file=sys.stderr)
        try:
            tried = await TryRescue(hypothesis.attempt).perform(machine, say_progress)
        except JobFailed as failed:  # mdadm refuses it: the next one
            results.append({"number": number, "verdict": "not-started", "why": failed.sentence})
            lines.append(tr("{number}: {words}", number=number, words=translated(failed.sentence)))
            continue
        results.append(_tried_json(number, tried))
        lines += [f"{number}: {line}" for line in _tried_lines(tried, with_files=options.files)]
        if tried.verdict is RescueVerdict.GOOD:
            good = {number: tried}
            break
        if tried.verdict is RescueVerdict.UNPROVEN:  # another way may look as good
            good[number] = tried
    if len(good) > 1:
        told = tr(
            "Several of them look good: {numbers:and}. Compare their files before you choose one.", numbers=[*good]
        )
        lines += [told, *words.compared_words(good)]
    return results, "\n".join(lines) or tr("There is nothing to try.")


async def _for_real(options: argparse.Namespace, hypothesis: Hypothesis, machine: Machine) -> tuple[object, str]:
    attempt = hypothesis.attempt
    for risk in words.risk_words(hypothesis):
        print(risk, file=sys.stderr)
    name = typed_name(options.yes_name, attempt.name)
    done = await RescueArray(attempt, name).perform(machine, say_progress)
    back = tr(
        "Until something is written, “raidwright builds --undo {build_id}” puts the superblocks back, once it is "
        "unmounted and stopped.",
        build_id=done.build_id,
    )
    return asdict(done), joined(words.rescued_words(hypothesis, done), back)


def _as_json(case: RescueCase) -> object:
    return {
        "disks": [
            {
                "id": row.disk,
                "serial": case.disks[row.disk].serial,
                "standing": str(row.standing),
                "uuid": row.superblock.uuid if row.superblock else "",
                "name": row.superblock.name if row.superblock else "",
                "slot": row.superblock.slot if row.superblock else None,
                "events": row.superblock.events if row.superblock else None,
                "behind": row.behind,
                "updated_s": row.superblock.updated_s if row.superblock else None,
                "data_offset_sectors": row.superblock.data_offset_sectors if row.superblock else None,
                "differs": list(row.differs),
                "same_slot": list(row.same_slot),
                "holds": list(row.own),
                "is_zero": row.is_zero,
            }
            for row in case.examined.disks
        ],
        "hypotheses": [
            {
                "number": number,
                "way": str(one.way),
                "reason": str(one.reason),
                "name": one.attempt.name,
                "slots": list(one.slots),
                "left_out": list(one.left_out),
                "behind": one.behind,
                "lacks_journal": one.lacks_journal,
                "data_offset_kib": one.attempt.plan.data_offset_kib if one.attempt.plan else None,
                "is_offset_guessed": one.is_offset_guessed,
                "begins_with": one.begins_with,
            }
            for number, one in enumerate(case.examined.hypotheses, start=1)
        ],
        "lost": translated(case.examined.lost) if case.examined.lost else None,
        "ruled_out": case.examined.refuted,
        "not_listed": case.examined.cut,
    }


def _lines(case: RescueCase) -> Iterator[str]:
    if case.examined.lost:
        yield translated(case.examined.lost)
        yield ""
    for row in case.examined.disks:
        yield f"{disk_label(case.disks[row.disk])}: {words.examined_words(row)}"
    if case.examined.lost:
        yield from words.unlisted_words(case.examined)
        return
    yield ""
    yield tr("What may bring it back, in the order to try it (--try 1; nothing is written to a disk):")
    shown = case.examined.hypotheses[:_MAX_SHOWN]
    for number, hypothesis in enumerate(shown, start=1):
        yield f"{number}. {words.hypothesis_words(hypothesis, case.disks)}"
        yield f"   {words.slots_words(hypothesis, case.disks)}"
    if more := len(case.examined.hypotheses) - len(shown):
        yield tr("{count} more; --try all tries one after the other.", count=more)
    yield from words.unlisted_words(case.examined)


def _tried_json(number: int, tried: RescueTried) -> object:
    files = [dict(zip(("bytes", "sha256", "path"), words.file_parts(line), strict=True)) for line in tried.files]
    return {"number": number} | asdict(tried) | {"verdict": str(tried.verdict), "files": files}


def _tried_lines(tried: RescueTried, *, with_files: bool) -> Iterator[str]:
    yield words.tried_words(tried)
    if tried.check is FileSystemCheck.ERRORS or tried.verdict is RescueVerdict.BROKEN:
        yield from (f"    {line}" for line in tried.checked)
    if with_files:
        for size, digest, path in map(words.file_parts, tried.files):
            sign = "✕" if digest == "!" else " "
            yield f"  {sign} {decimal_size(size):>10}  {path}"
