"""What is said of a build that was cut off, and the ways on from it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale

from raidwright.core.protocol.facts import BuildRecord, BuildState, BuildStep
from raidwright.ui.notices import Note, Offer, Severity
from raidwright.ui.stations.interrupted_builds.model import InterruptedBuildsModel


def note(model: InterruptedBuildsModel) -> Note | None:
    """What stands in the window of it; None for nothing."""
    record = model.record
    if record is None:
        close = Offer("leave", _tr("Close"), model.leave)
        return Note(Severity.INFO, _tr("Done"), model.said, offers=(close,)) if model.said else None
    undo = _tr("Putting them back …") if model.job.is_busy else _tr("Put the disks back as they were")
    return Note(
        Severity.WARN,
        _tr("Failed") if record.state is BuildState.FAILED else _tr("Cut off"),
        _what_happened(record),
        _what_stands(record),
        model.job.failure,
        (
            Offer("undo", undo, model.undo, is_primary=True, is_open=not model.job.is_busy),
            Offer("leave", _tr("Not now"), model.leave, is_open=not model.job.is_busy),
        ),
    )


def _what_happened(record: BuildRecord) -> str:
    if record.state is BuildState.FAILED:
        sentence = _tr("“{name}” failed, and not all of its disks could be put back as they were.")
        return sentence.format(name=record.name)
    when = QLocale().toString(QDateTime.fromSecsSinceEpoch(record.began_s), QLocale.FormatType.ShortFormat)
    moments: dict[str, str] = {
        BuildStep.WIPE: _tr("while old signatures were being removed"),
        BuildStep.CREATE: _tr("while md was making the array"),
        BuildStep.UNDO: _tr("while it was being taken back"),
        BuildStep.DISMANTLE: _tr("while it was being taken apart"),
    }
    moment = moments.get(record.steps[-1] if record.steps else "", _tr("before anything was written"))
    return _tr("“{name}”, begun {when}, was cut off {moment}.").format(name=record.name, when=when, moment=moment)


def _what_stands(record: BuildRecord) -> str:
    disks = _tr("Its disks: {disks}.").format(disks="; ".join(record.disks))
    kept = _tr("What was overwritten on them is kept and can be put back.")
    if record.synchronises:
        kept += " " + _tr("Had md begun its first synchronisation, what it wrote between the disks' ends stays.")
    return f"{disks} {kept}"


def _tr(text: str) -> str:
    return QCoreApplication.translate("Past", text)
