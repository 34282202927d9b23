"""A disk's membership of an array that doesn't run, in words."""

from __future__ import annotations

from raidwright.core.model.disk import Use, UseKind
from raidwright.text.catalogue import tr
from raidwright.text.times import day


def member_words(use: Use, *, is_short: bool = False) -> str:
    """Return a disk's membership of a stopped array, and how many of its members are here.

    ``is_short``: beside a label “stopped array”.
    """
    array, what = use.array, use.detail
    if is_short and array is not None and use.kind is UseKind.STOPPED_ARRAY_MEMBER:
        count = tr("{here} of {slots} disks here", here=array.here, slots=array.slots)
        when = tr("last written {when}", when=day(array.updated_s)) if array.updated_s else ""
        return " · ".join(filter(None, (f"“{what}”", count, when)))
    if array is None:
        return tr("old array member {what}", what=what)
    here, slots = array.here, array.slots
    if use.kind is UseKind.STALE_ARRAY_MEMBER:
        return tr("member of the array “{what}” ({here} of {slots} disks here)", what=what, here=here, slots=slots)
    if array.updated_s is None:
        return tr(
            "belongs to the stopped array “{what}” ({here} of {slots} disks here)", what=what, here=here, slots=slots
        )
    return tr(
        "belongs to the stopped array “{what}” ({here} of {slots} disks here, last written {when})",
        what=what,
        here=here,
        slots=slots,
        when=day(array.updated_s),
    )
