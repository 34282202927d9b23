"""The notice on chosen disks that are missing, at every station, and its remedies."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from raidwright.machine.connection import ConnectionState
from raidwright.text.catalogue import ntr, tr
from raidwright.text.disk import facts as words
from raidwright.text.shown import Note, Offer, Severity

from .model import DisksModel

if TYPE_CHECKING:
    from raidwright.ui.draft import Draft
    from raidwright.ui.frame.notices import Notices

_MIN_DISKS = 2


def say_gone(
    notices: Notices,
    model: DisksModel,
    draft: Callable[[], Draft],
    find_another: Callable[[], object],
    *,
    is_ours: bool,
) -> None:
    """Show the notice, or remove it; ``is_ours``: the disks are in use by the window's own work."""
    if is_ours or not model.gone:
        notices.say("gone", None)
    else:
        plan = draft().plan
        notices.say("gone", note(model, plan.name if plan else "", find_another))


def absent(model: DisksModel, *, is_ours: bool) -> tuple[frozenset[str], str]:
    """Return the ids of the chosen disks that are missing or in use, and the sentence on those in use."""
    if is_ours:
        return frozenset(), ""
    return frozenset(disk.id for disk in model.gone), words.in_use_words(model.in_use)


def note(model: DisksModel, plan_name: str, find_another: Callable[[], object]) -> Note | None:
    """Return the notice; None while no disk is missing. ``plan_name`` is "" without a plan."""
    gone, is_many = model.gone, len(model.gone) > 1
    whose = tr("The plan “{name}”", name=plan_name) if plan_name else tr("Your choice")
    if model.connection.state is ConnectionState.FAILED or model.snapshot.problem:
        return _unseen(whose) if gone else None
    if not gone or model.connection.state is not ConnectionState.CONNECTED:
        return None
    if not any(row.is_gone and not row.is_there for row in model.rows):
        return _taken(model, whose, find_another)
    return Note(
        Severity.WARN,
        tr("Disks gone") if is_many else tr("Disk gone"),
        _what(model, whose),
        tr("The plan stays as it is, and isn't built without them. This message goes away once they are back.")
        if is_many
        else tr("The plan stays as it is, and isn't built without it. This message goes away once it is back."),
        offers=_offers(model, find_another),
    )


def _taken(model: DisksModel, whose: str, find_another: Callable[[], object]) -> Note:
    """Return the notice on chosen disks that are here, and can't be taken any more."""
    is_many = len(model.gone) > 1
    return Note(
        Severity.WARN,
        tr("Disks in use") if is_many else tr("Disk in use"),
        tr("{whose} has chosen {disks}.", whose=whose, disks=_named(model)),
        tr("The plan stays as it is, and isn't built with them. This message goes away once they are free.")
        if is_many
        else tr("The plan stays as it is, and isn't built with it. This message goes away once it is free."),
        offers=_offers(model, find_another),
    )


def _offers(model: DisksModel, find_another: Callable[[], object]) -> tuple[Offer, ...]:
    """Return the remedies: without these disks, or with another."""
    gone, is_many = model.gone, len(model.gone) > 1
    left = len(model.chosen) - len(gone)
    leave = tr("Leave them out") if is_many else tr("Leave it out")
    another = tr("Choose another for one …") if is_many else tr("Choose another …")
    return (
        Offer("leave", leave if left >= _MIN_DISKS else tr("Discard the plan"), model.leave_out_gone),
        Offer(
            "another",
            another,
            find_another,
            is_open=bool(model.others),
            hint="" if model.others else tr("No other disk here is free. Plug one in first."),
        ),
    )


def _unseen(whose: str) -> Note:
    return Note(
        Severity.WARN,
        tr("Not seen"),
        tr("The machine can't be seen, so nobody knows whether the chosen disks are there."),
        tr("{whose} stays as it is, and isn't built meanwhile.", whose=whose),
    )


def _what(model: DisksModel, whose: str) -> str:
    if len(model.gone) == len(model.chosen) > 1:
        return ntr(
            "{whose} doesn't have its {count} disk here.",
            "{whose} has none of its {count} disks here.",
            len(model.gone),
            whose=whose,
        )
    return tr("{whose} has lost {disks}.", whose=whose, disks=_named(model))


def _named(model: DisksModel) -> list[str]:
    return [
        tr(
            "{disk} ({why})",
            disk=words.name(row.disk),
            why=words.holds(row.disk) if row.is_there else tr("not there any more"),
        )
        for row in model.rows
        if row.is_gone
    ]
