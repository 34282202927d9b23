"""The array option, by name or UUID, and the array's name as confirmation."""

from __future__ import annotations

import argparse
import sys

from raidwright.core.errors import DiskRefused, InputError
from raidwright.core.md.foreign_make import make_name
from raidwright.core.messages import say
from raidwright.core.model.names import array_uuid
from raidwright.core.model.plan import Member
from raidwright.machine.joined_volumes import with_volumes
from raidwright.machine.states.volume import State, Volume
from raidwright.machine.values import Array, Snapshot
from raidwright.text.catalogue import tr


def add_array_option(parser: argparse.ArgumentParser) -> None:
    """Add the array, and --yes-name, to ``parser``."""
    parser.add_argument("array", metavar="ARRAY", help=tr("its name, its UUID or its node (/dev/md0)"))
    parser.add_argument("--yes-name", metavar="NAME", help=tr("the array's name, to confirm without being asked"))


def meant_array(text: str, seen: Snapshot) -> State:
    """Return the array that ``text`` names; raises InputError."""
    known = with_volumes(seen.arrays)
    found = [array for array in known if text and text in (array.name, array.device)]
    found = found or [array for array in known if array.uuid == array_uuid(text)]
    if len(found) == 1:
        return found[0]
    if found:
        uuids = " or ".join(array.uuid for array in found)
        raise InputError(
            "Several arrays are called “{text}”; say which by its UUID: {uuids}.",
            code="array-ambiguous",
            text=text,
            uuids=uuids,
        )
    volume = next(
        (
            array.name
            for array in known
            if isinstance(array, Volume)
            for band in array.bands
            if text in (band.name, band.uuid)
        ),
        "",
    )
    if volume:
        raise InputError(
            "“{text}” is an array of the joined volume “{volume}”; name the volume.",
            code="array-of-volume",
            text=text,
            volume=volume,
        )
    names = [array.name for array in known] or say("none at all")
    raise InputError(
        "There is no array “{text}” on that machine; there is {known}.", code="array-unknown", text=text, known=names
    )


def single_array(text: str, seen: Snapshot) -> Array:
    """Return the array that ``text`` names; raises InputError, also for a joined volume."""
    array = meant_array(text, seen)
    if isinstance(array, Volume):
        raise refused_for_volume(array)
    return array


def refused_for_volume(array: Volume) -> InputError:
    """Return the error for an act that is none on a joined volume."""
    return InputError(
        "“{name}” is a joined volume of {bands:and}. Raidwright doesn't do this with a joined volume yet.",
        code="array-of-volume",
        name=array.name,
        bands=[band.name for band in array.bands],
    )


def confirmed_name(given: str | None, array: State, what: str = "") -> str:
    """Return the array's name, once a person has confirmed it; ``what`` is printed before the question.

    Raises InputError, also for an array with external metadata, which is never changed.
    """
    if array.make:
        raise InputError(
            "“{name}” is {make}. The firmware and mdmon look after it, and Raidwright only looks at it. Nothing was "
            "done.",
            code="array-foreign-make",
            name=array.name,
            make=make_name(array.make),
        )
    return typed_name(given, array.name, what)


def typed_name(given: str | None, name: str, what: str = "") -> str:
    """Return ``name``, once a person has typed it; ``what`` is printed before the question. Raises InputError."""
    if given is None:
        if not sys.stdin.isatty():
            raise InputError("To confirm, give the array's name: --yes-name {name}.", code="not-confirmed", name=name)
        if what:
            print(what, file=sys.stderr)
        print(tr("Type the array's name, {name}, to go on: ", name=name), end="", file=sys.stderr, flush=True)
        given = sys.stdin.readline().strip()
    if given != name:
        raise InputError(
            "The name given is “{given}”, the array's is “{name}”. Nothing was done.",
            code="not-confirmed",
            given=given,
            name=name,
        )
    return given


def ambiguous_disk(text: str, *, is_several: bool) -> InputError:
    """Return the error for ``text`` that names several disks, or none."""
    if is_several:
        sentence = say(
            "Several disks go by “{text}”; take its by-id name or its serial number from “raidwright disks”.", text=text
        )
    else:
        sentence = say(
            "No disk goes by “{text}”; take its by-id name or its serial number from “raidwright disks”.", text=text
        )
    return InputError(sentence, code="disk-unknown")


def refused_as_input(refused: DiskRefused) -> InputError:
    """Turn a refusal into an InputError, exit code 2: the request can't be met as it is."""
    return InputError(refused.sentence, code=refused.code, **refused.fields)


def partition_called(text: str, seen: Snapshot) -> Member | None:
    """Return the partition that a by-id name such as ``wwn-…-part2`` names; None for any other text."""
    name, _, number = text.rpartition("-part")
    ids = {disk.id for disk in seen.disks if name and name in (disk.id, *disk.by_id)}
    return next((one for one in seen.slices if one.disk in ids and str(one.partition) == number), None)


def meant_disk(act: str, text: str, seen: Snapshot, array: State) -> Member:
    """Return a member of the array, or a disk or partition that may have been one; nodes aren't stable names.

    A former member is itself meant by its disk's name, also where it is a partition and others are in use.
    """
    formers = [one.member for one in array.former] if act == "re-add" else []
    known = ([one for one in some if text in (one.id, one.disk, one.serial)] for some in (formers, array.members))
    part = partition_called(text, seen)
    others = [disk.as_member() for disk in seen.disks if text in (disk.id, disk.serial, *disk.by_id)]
    found = next(filter(None, known), others or ([part] if part else []))
    if len(found) == 1:
        return found[0]
    raise ambiguous_disk(text, is_several=bool(found))
