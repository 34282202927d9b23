"""A joined plan in words: its arrays, what stays free and until when, and what failures cost."""

from __future__ import annotations

from collections.abc import Collection
from itertools import groupby

from raidwright.analysis.assessment import Assessment
from raidwright.core.lvm.bands import FreeTop
from raidwright.core.lvm.whole_disks import free_tops, stopped_bands, whole_disks
from raidwright.core.model.plan import LinearVolume, MdArray, Member, Plan
from raidwright.core.units import SECTOR_BYTES
from raidwright.text.catalogue import decimal_size, ended, joined, ntr, tr, with_semicolons
from raidwright.text.disk.facts import disk_name

from .candidates import short_size
from .names import long_name
from .survival import in_words


def band_name(band: MdArray) -> str:
    """Return “RAID 5 on four”: an array on as many slices."""
    return tr("{layout} on {count}", layout=long_name(band), count=in_words(len(band.members)))


def joined_gist(volume: LinearVolume) -> str:
    """Return “two arrays on slices, joined; heights are true”."""
    return ntr(
        "{number} array on slices; heights are true",
        "{number} arrays on slices, joined; heights are true",
        len(volume.arrays),
        number=in_words(len(volume.arrays)),
    )


def free_words(plan: Plan) -> str:
    """Return “4 TB of ST12000VN ZHZ1 stay free until another disk of 12 TB or more is added.”; "" for none."""
    tops = free_tops(plan.volume) if plan.volume else ()
    alike = groupby(tops, key=lambda top: (short_size(top.free_bytes), _disk_size(top), top.lacking))
    return joined(*(_free_sentence(*kind, [disk_name(top.disk) for top in tops]) for kind, tops in alike))


def free_in_brief(top: FreeTop) -> tuple[str, str]:
    """Return “4 TB stay free” and “until another 12 TB”, two lines."""
    free = tr("{size} stay free", size=short_size(top.free_bytes))
    if top.lacking < 1:
        return free, ""
    until = tr("until another {size}", size=_disk_size(top))
    if top.lacking > 1:
        until = tr("until {count} more of {size}", count=in_words(top.lacking), size=_disk_size(top))
    return free, until


def _free_sentence(free: str, size: str, lacking: int, disks: list[str]) -> str:
    said = {"free": free, "disks": disks, "size": size}
    if lacking < 1:
        return ntr(
            "{free} of {disks:and} are free: enough disks are as large, so another array could use them.",
            "{free} of each of {disks:and} are free: enough disks are as large, so another array could use them.",
            len(disks),
            **said,
        )
    if lacking == 1:
        return ntr(
            "{free} of {disks:and} can't be protected, and stay free until another disk of {size} or more is added.",
            "{free} of each of {disks:and} can't be protected, and stay free until another disk of {size} or more is "
            "added.",
            len(disks),
            **said,
        )
    more = in_words(lacking)
    return ntr(
        "{free} of {disks:and} can't be protected, and stay free until {more} more disks of {size} or more are added.",
        "{free} of each of {disks:and} can't be protected, and stay free until {more} more disks of {size} or more "
        "are added.",
        len(disks),
        more=more,
        **said,
    )


def _disk_size(top: FreeTop) -> str:
    return short_size(top.disk.size_bytes)


def lost_without(assessment: Assessment, failed: Collection[str]) -> str:
    """Return which arrays stop without the ``failed`` disks (ids), how much that is, and what is still there.

    "" if none stops.
    """
    volume, sizes = assessment.plan.volume, _band_bytes(assessment)
    stopped = stopped_bands(volume, failed) if volume else ()
    if volume is None or not stopped:
        return ""
    bands = volume.arrays
    if len(stopped) == len(bands):
        return tr("Everything is lost: no array can start without these disks. Only a backup brings it back.")
    kept = [place for place in range(len(bands)) if place not in stopped]
    lost = ntr(
        "{arrays:and} stops: {size} of {whole} are lost.",
        "{arrays:and} stop: {size} of {whole} are lost.",
        len(stopped),
        arrays=[band_name(bands[place]) for place in stopped],
        size=decimal_size(sum(sizes[place] for place in stopped)),
        whole=decimal_size(assessment.capacity.array_bytes),
    )
    rest = tr(
        "What {arrays:and} held, {size}, can still be read, but a file system over all of it may need a rescue.",
        arrays=[band_name(bands[place]) for place in kept],
        size=decimal_size(sum(sizes[place] for place in kept)),
    )
    return joined(lost, rest)


def beyond_words(assessment: Assessment) -> str:
    """Return what one failure more than survived costs: “the two smallest cost 12.0 TB; the two largest everything”."""
    plan, count = assessment.plan, max(0, assessment.survival.most()) + 1
    disks = sorted(whole_disks(plan.top), key=lambda disk: disk.size_bytes)
    if len(disks) < count:
        return ""
    least, most = (_cost(assessment, some) for some in (disks[:count], disks[-count:]))
    number = in_words(count)
    return with_semicolons(
        tr("the {number} smallest cost {what}", number=number, what=least),
        tr("the {number} largest {what}", number=number, what=most),
    )


def beyond_sentence(assessment: Assessment) -> str:
    """Return ``beyond_words`` as a sentence of its own."""
    beyond = beyond_words(assessment)
    return ended(tr("Lost together, {what}", what=beyond)) if beyond else ""


def _cost(assessment: Assessment, disks: list[Member]) -> str:
    volume, sizes = assessment.plan.volume, _band_bytes(assessment)
    stopped = stopped_bands(volume, [disk.id for disk in disks]) if volume else ()
    if len(stopped) == len(sizes):
        return tr("everything")
    if not stopped:
        return tr("nothing")
    return decimal_size(sum(sizes[place] for place in stopped))


def _band_bytes(assessment: Assessment) -> tuple[int, ...]:
    return tuple(sectors * SECTOR_BYTES for sectors in assessment.capacity.member_sectors)
