"""The tour's next step, derived from the window's present state, whatever the user did before."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, auto

from raidwright.core.model.plan import Plan
from raidwright.machine.connection import Connection, State
from raidwright.machine.values import Array
from raidwright.text.arrays import is_degraded, progress_words
from raidwright.text.catalogue import tr
from raidwright.ui.rail import Station
from raidwright.ui.stations.build.phase import Phase
from raidwright.ui.stations.repair.model import RepairStage

MIN_MEMBERS = 3


class Step(IntEnum):
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
class Seen:
    """The window's state: the machine, the numbers of ``chosen`` and other ``free`` disks, plan and array.

    ``has_failed``: a disk of the ``array`` has failed since the tour began. ``is_reviewed``: Build was opened with the
    plan.
    """

    connection: Connection
    chosen: int
    free: int
    plan: Plan | None
    phase: Phase
    array: Array | None
    repair: RepairStage
    has_failed: bool
    is_reviewed: bool = False


def step_of(seen: Seen) -> Step:
    """Return the next step."""
    if not seen.connection.is_practice or seen.connection.state is not State.CONNECTED:
        return Step.START
    if seen.array is None:
        return _before_the_array(seen)
    if is_degraded(seen.array):
        if seen.repair is RepairStage.WAITING or any(place.is_coming for place in seen.array.places):
            return Step.REBUILD if seen.has_failed else Step.WAIT
        return Step.REPLACE if seen.repair is RepairStage.CHOOSE else Step.OPEN
    if seen.has_failed:
        return Step.DONE
    return Step.FAIL if seen.array.sync_action in ("idle", "") else Step.WAIT


def _before_the_array(seen: Seen) -> Step:
    if seen.phase is not Phase.REVIEW:
        return Step.BUILD
    if seen.chosen < MIN_MEMBERS or not seen.free:
        return Step.CHOOSE
    is_redundant = seen.plan is not None and seen.plan.level.is_redundant
    return Step.BUILD if is_redundant and seen.is_reviewed else Step.PLAN


_STATIONS = {
    Step.START: Station.DISKS,
    Step.CHOOSE: Station.DISKS,
    Step.PLAN: Station.PLAN,
    Step.BUILD: Station.BUILD,
    Step.REPLACE: Station.BUILD,
}


def station_of(step: Step) -> Station | None:
    """Return the station of ``step``; None for a step that any station allows."""
    return _STATIONS.get(step)


def next_buttons(step: Step, seen: Seen) -> tuple[str, ...]:
    """Return the object names of the next buttons; the first visible and enabled one counts."""
    if step is Step.OPEN and seen.array is not None:
        return (f"degraded-{seen.array.name}-open",)
    return {
        Step.START: ("tour-start",),
        Step.CHOOSE: ("disks-table",),
        Step.PLAN: ("plan-next", "disks-next"),
        Step.BUILD: ("build-button", "build-confirm"),
        Step.FAIL: ("tour-fail",),
        Step.REPLACE: ("repair-go", "repair-name"),
        Step.DONE: ("tour-leave",),
    }.get(step, ())


def words(step: Step, seen: Seen) -> tuple[str, str]:
    """Return the instruction of the step, and its reason or place."""
    array, name = seen.array, seen.array.name if seen.array else ""
    if step is Step.START and seen.connection.state in (State.STARTING, State.CONNECTING):
        return tr("The practice machine is starting …"), tr(
            "A real Linux boots beside your system; no real disk is in it."
        )
    if step in (Step.WAIT, Step.REBUILD) and array is not None:
        return _waiting(step, progress_words(array))
    return {
        Step.START: (
            tr("Start a practice machine with five small disks."),
            tr("Nothing in it can touch a real disk. A machine that is practised on now ends."),
        ),
        Step.CHOOSE: (
            tr("Disks: choose four, and leave one free."),
            tr("The free one will take a failed disk's place later."),
        ),
        Step.PLAN: (
            tr("Plan: on the stage, click a disk to see what its failure would mean. Then review and build."),
            tr("A level that survives a failure is needed, such as raid5; raid0 is none."),
        ),
        Step.BUILD: (
            tr("Build: type the array's name, and build it."),
            tr("“Review and build” is at the foot of the station Plan."),
        ),
        Step.FAIL: (
            tr("“{name}” is whole. Now let one of its disks fail.", name=name),
            tr("In practice md is told so (mdadm --fail); a real disk would not ask."),
        ),
        Step.OPEN: (
            tr("A disk has failed. The bar above says which, and what is left. Press “Replace …” there."),
            tr("Files can still be read and written: what is missing is computed, or read from its copy."),
        ),
        Step.REPLACE: (
            tr("Choose the free disk, type “{name}”, and begin the rebuild.", name=name),
            tr("With real disks: compare the serial number with the label before anything is pulled."),
        ),
        Step.DONE: (
            tr("“{name}” is whole again. That is all there is to it.", name=name),
            tr("With real disks it takes hours instead of seconds, and the array can be used meanwhile."),
        ),
    }[step]


def _waiting(step: Step, progress: str) -> tuple[str, str]:
    if step is Step.WAIT:
        return tr("md synchronises the array for the first time. {progress}", progress=progress), tr(
            "It could be used already; the tour waits until it is done."
        )
    return tr("The rebuild: md fills the new disk from the others. {progress}", progress=progress), tr(
        "Until it is done, the array survives no more than it did before."
    )
