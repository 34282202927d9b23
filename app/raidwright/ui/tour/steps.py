"""The tour's next step, derived from the window's present state, whatever the user did before."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, auto

from raidwright.analysis.layers.equivalent import as_array
from raidwright.core.model.plan import Plan
from raidwright.machine.connection import Connection, ConnectionState
from raidwright.machine.states.volume import State
from raidwright.text.array.condition import is_degraded, progress_words
from raidwright.text.catalogue import tr
from raidwright.ui.phase import Phase
from raidwright.ui.station import Station
from raidwright.ui.stations.arrays.repair.model import RepairStage

MIN_MEMBERS = 3


class TourStep(IntEnum):
    """The steps, in the tour's order."""

    START = auto()  # a practice machine
    CHOOSE = auto()  # disks, and a spare one
    PLAN = auto()  # a level that survives a failure
    BUILD = auto()
    WAIT = auto()  # for the first resync
    FAIL = auto()
    OPEN = auto()  # the page of the degraded array
    REPLACE = auto()
    REBUILD = auto()
    DONE = auto()


@dataclass(frozen=True, slots=True)
class WindowState:
    """The window's state: the machine, the numbers of ``chosen`` and other ``free`` disks, plan and array.

    ``has_failed``: a disk of the ``array`` has failed since the tour began. ``is_reviewed``: Build was opened with the
    plan.
    """

    connection: Connection
    chosen: int
    free: int
    plan: Plan | None
    phase: Phase
    array: State | None
    repair: RepairStage
    has_failed: bool
    is_reviewed: bool = False


def step_of(seen: WindowState) -> TourStep:
    """Return the next step."""
    if not seen.connection.is_practice or seen.connection.state is not ConnectionState.CONNECTED:
        return TourStep.START
    if seen.array is None:
        return _before_the_array(seen)
    if is_degraded(seen.array):
        if seen.repair is RepairStage.WAITING or any(place.is_coming for place in seen.array.places):
            return TourStep.REBUILD if seen.has_failed else TourStep.WAIT
        return TourStep.REPLACE if seen.repair is RepairStage.CHOOSE else TourStep.OPEN
    if seen.has_failed:
        return TourStep.DONE
    return TourStep.FAIL if seen.array.sync_action in ("idle", "") else TourStep.WAIT


def _before_the_array(seen: WindowState) -> TourStep:
    if seen.phase is not Phase.REVIEW:
        return TourStep.BUILD
    if seen.chosen < MIN_MEMBERS or not seen.free:
        return TourStep.CHOOSE
    is_redundant = seen.plan is not None and as_array(seen.plan.top).level.is_redundant
    return TourStep.BUILD if is_redundant and seen.is_reviewed else TourStep.PLAN


_STATIONS = {
    TourStep.START: Station.DISKS,
    TourStep.CHOOSE: Station.DISKS,
    TourStep.PLAN: Station.PLAN,
    TourStep.BUILD: Station.BUILD,
    TourStep.REPLACE: Station.ARRAYS,
}


def station_of(step: TourStep) -> Station | None:
    """Return the station of ``step``; None for a step that any station allows."""
    return _STATIONS.get(step)


def next_buttons(step: TourStep, seen: WindowState) -> tuple[str, ...]:
    """Return the object names of the next buttons; the first visible and enabled one counts."""
    if step is TourStep.OPEN and seen.array is not None:
        return (f"degraded-{seen.array.name}-open",)
    return {
        TourStep.START: ("tour-start",),
        TourStep.CHOOSE: ("disks-table",),
        TourStep.PLAN: ("plan-next", "disks-next"),
        TourStep.BUILD: ("build-button", "build-confirm"),
        TourStep.FAIL: ("tour-fail",),
        TourStep.REPLACE: ("repair-go", "repair-name"),
        TourStep.DONE: ("tour-leave",),
    }.get(step, ())


def words(step: TourStep, seen: WindowState) -> tuple[str, str]:
    """Return the instruction of the step, and its reason or place."""
    array, name = seen.array, seen.array.name if seen.array else ""
    if step is TourStep.START and seen.connection.state in (ConnectionState.STARTING, ConnectionState.CONNECTING):
        return tr("The practice machine is starting …"), tr(
            "A real Linux boots beside your system; no real disk is in it."
        )
    if step in (TourStep.WAIT, TourStep.REBUILD) and array is not None:
        return _waiting(step, progress_words(array))
    return {
        TourStep.START: (
            tr("Start a practice machine with five small disks."),
            tr("Nothing in it can touch a real disk. A machine that is practised on now ends."),
        ),
        TourStep.CHOOSE: (
            tr("Disks: choose four, and leave one free."),
            tr("The free one will take a failed disk's place later."),
        ),
        TourStep.PLAN: (
            tr("Plan: on the stage, click a disk to see what its failure would mean. Then review and build."),
            tr("A level that survives a failure is needed, such as raid5; raid0 is none."),
        ),
        TourStep.BUILD: (
            tr("Build: type the array's name, and build it."),
            tr("“Review and build” is at the foot of the station Plan."),
        ),
        TourStep.FAIL: (
            tr("“{name}” is healthy. Now let one of its disks fail.", name=name),
            tr("In practice md is told so (mdadm --fail); a real disk would not ask."),
        ),
        TourStep.OPEN: (
            tr("A disk has failed. The bar above says which, and what is left. Press “Replace …” there."),
            tr("Files can still be read and written: what is missing is computed, or read from its copy."),
        ),
        TourStep.REPLACE: (
            tr("Choose the free disk, type “{name}”, and begin the rebuild.", name=name),
            tr("With real disks: compare the serial number with the label before anything is pulled."),
        ),
        TourStep.DONE: (
            tr("“{name}” is healthy again. That is all there is to it.", name=name),
            tr("With real disks it takes hours instead of seconds, and the array can be used meanwhile."),
        ),
    }[step]


def _waiting(step: TourStep, progress: str) -> tuple[str, str]:
    if step is TourStep.WAIT:
        return tr("md synchronises the array for the first time. {progress}", progress=progress), tr(
            "It could be used already; the tour waits until it is done."
        )
    return tr("The rebuild: md fills the new disk from the others. {progress}", progress=progress), tr(
        "Until it is done, the array survives no more than it did before."
    )
