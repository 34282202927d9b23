"""The notice on an interrupted build, and its remedies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from raidwright.core.messages import say
from raidwright.core.protocol.facts import BuildRecord, BuildState, BuildStep
from raidwright.text.catalogue import joined, tr, translated, with_semicolons
from raidwright.text.shown import Note, Offer, Severity
from raidwright.text.times import moment

from .model import InterruptedBuildsModel

if TYPE_CHECKING:
    from raidwright.ui.window_stations import WindowStations

_MOMENTS: Mapping[str, str] = {
    BuildStep.WIPE: say("while old signatures were being removed"),
    BuildStep.PARTITION: say("while partition tables were being written"),
    BuildStep.CREATE: say("while md was making the array"),
    BuildStep.VOLUME: say("while LVM was joining the arrays"),
    BuildStep.JOIN: say("while a disk was joining the array"),
    BuildStep.UNDO: say("while it was being undone"),
    BuildStep.DISMANTLE: say("while it was being taken apart"),
    BuildStep.RESCUE: say("while it was being rescued"),
}
_MAKING_ARRAYS = say("while md was making its arrays")
_BEFORE = say("before anything was written")


def told(stations: WindowStations) -> InterruptedBuildsModel:
    """Return a model that tells of such builds in the window's notices."""
    model = InterruptedBuildsModel(stations.session, stations)
    model.changed.connect(lambda: stations.notices.say("interrupted", note(model)))
    return model


def note(model: InterruptedBuildsModel) -> Note | None:
    """Return the notice; None for none."""
    record = model.record
    if record is None:
        close = Offer("leave", tr("Close"), model.leave)
        return Note(Severity.INFO, tr("Done"), model.said, offers=(close,)) if model.said else None
    undo = tr("Putting them back …") if model.job.is_busy else tr("Put the disks back as they were")
    return Note(
        Severity.WARN,
        tr("Build failed") if record.state is BuildState.FAILED else tr("Cut off"),
        _what_happened(record),
        _what_stands(record),
        model.job.failure,
        (
            Offer("undo", undo, model.undo, is_primary=True, is_open=not model.job.is_busy),
            Offer("leave", tr("Not now"), model.leave, is_open=not model.job.is_busy),
        ),
    )


def _what_happened(record: BuildRecord) -> str:
    if record.state is BuildState.FAILED:
        return tr("“{name}” failed, and not all of its disks could be put back as they were.", name=record.name)
    last = record.steps[-1] if record.steps else ""
    is_of_volume = last == BuildStep.CREATE and BuildStep.PARTITION in record.steps
    step = translated(_MAKING_ARRAYS if is_of_volume else _MOMENTS.get(last, _BEFORE))
    return tr(
        "“{name}”, begun {when}, was cut off {moment}.", name=record.name, when=moment(record.began_s), moment=step
    )


def _what_stands(record: BuildRecord) -> str:
    disks = tr("Its disks: {disks}.", disks=with_semicolons(*record.disks))
    kept = tr("What was overwritten on them is kept and can be put back.")
    if not record.synchronises:
        return joined(disks, kept)
    stays = tr("Had md begun its first sync, what it wrote between the disks' ends stays.")
    return joined(disks, kept, stays)
