"""What is said at every station of chosen disks that have gone, and the ways on."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication

from raidwright.machine.connection import State
from raidwright.text import disks as words
from raidwright.ui.notices import Note, Offer, Severity

from .model import DisksModel

_LEAST_DISKS = 2


def note(model: DisksModel, plan_name: str, find_another: Callable[[], object]) -> Note | None:
    """What stands in the window of it; None while all are there. ``plan_name`` is "" while there is no plan."""
    gone, is_many = model.gone, len(model.gone) > 1
    whose = _tr("The plan “{name}”").format(name=plan_name) if plan_name else _tr("Your choice")
    if model.connection.state is State.FAILED or model.snapshot.problem:
        return _unseen(whose) if gone else None
    if not gone or model.connection.state is not State.CONNECTED:
        return None
    left = len(model.chosen) - len(gone)
    leave = _tr("Leave them out") if is_many else _tr("Leave it out")
    another = _tr("Choose another for one …") if is_many else _tr("Choose another …")
    return Note(
        Severity.WARN,
        _tr("Disks gone") if is_many else _tr("Disk gone"),
        _what(model, whose),
        _tr("The plan stays as it is, and isn't built without them. When they are back, this goes by itself.")
        if is_many
        else _tr("The plan stays as it is, and isn't built without it. When it is back, this goes by itself."),
        offers=(
            Offer("leave", leave if left >= _LEAST_DISKS else _tr("Let go of the plan"), model.leave_out_gone),
            Offer(
                "another",
                another,
                find_another,
                is_open=bool(model.others),
                hint="" if model.others else _tr("No other disk here is free. Plug one in first."),
            ),
        ),
    )


def _unseen(whose: str) -> Note:
    return Note(
        Severity.WARN,
        _tr("Not seen"),
        _tr("The machine can't be seen, so nobody knows whether the chosen disks are there."),
        _tr("{whose} stays as it is, and isn't built meanwhile.").format(whose=whose),
    )


def _what(model: DisksModel, whose: str) -> str:
    if len(model.gone) == len(model.chosen) > 1:
        return _tr("{whose} has none of its {n} disks here.").format(whose=whose, n=len(model.gone))
    lost = [
        _tr("{disk} ({why})").format(
            disk=words.name(row.disk), why=words.holds(row.disk) if row.is_there else _tr("not there any more")
        )
        for row in model.rows
        if row.is_gone
    ]
    return _tr("{whose} has lost {disks}.").format(whose=whose, disks=", ".join(lost))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Disks", text)
