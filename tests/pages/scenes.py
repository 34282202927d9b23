"""Scenes besides the stations' usual pages: empty pages, work, and errors; and the list of every page."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QDoubleSpinBox, QLineEdit
from raidwright.analysis.advice.matrix import read_shapes
from raidwright.core.errors import Denied, DiskRefused, JobFailed
from raidwright.core.md.layouts import Level
from raidwright.core.messages import say
from raidwright.core.protocol.facts import AlertFacts, DiskSignature, ScratchRecord
from raidwright.core.protocol.steps import JobStep
from raidwright.machine.connection import Connection, ConnectionState, Held
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.machine.values import Snapshot
from raidwright.operations.shootout.contest import Contest
from raidwright.operations.shootout.results import Findings
from raidwright.operations.shootout.shootout import Shootout, Standing
from raidwright.operations.shootout.studies import Study
from raidwright.runs.comparing import matched
from raidwright.suites import Suite
from raidwright.ui.station import Station
from raidwright.ui.stations.arrays.acts import Act
from raidwright.ui.stations.disks.page import DisksStation
from raidwright.ui.stations.plan import edits
from raidwright.ui.window import MainWindow

from tests.kit import sample, sample_arrays, sample_shootout
from tests.kit.pictures import plan_raid10_far
from tests.ui import places
from tests.ui.fake_session import Asked
from tests.ui.places import press
from tests.ui.test_arrays import TANK
from tests.ui.test_build import _reviewing_store
from tests.ui.test_interrupted_builds import CUT_OFF
from tests.ui.test_repair import DEGRADED, MEMBERS, NEW, REST, SMALL, USED, WHOLE, _array, _place, _seen

from . import dialogs, growing, menus
from .reaching import asked, fail, find, session_of, trigger

HERE = Connection(say("This computer"), state=ConnectionState.CONNECTED)
FAR = Connection("carol@server", state=ConnectionState.CONNECTED, far="ssh://carol@server")
DENIED = Denied("polkit could not say whether this is allowed, so it isn't.", code="denied-error")
UNREADABLE = JobFailed(
    "{who} can't be read ({why}), so what it holds could not be saved first, and nothing was "
    "written to any disk. It may be failing; build without it.",
    code="backup-read",
    who="WDC WD80EFZX VK0ABCD1",
    why="Input/output error",
)


def _walking(*choices: str) -> Callable[[MainWindow], None]:
    """The walk, so many answers in."""

    def go(window: MainWindow) -> None:
        places.plan(window)
        press(window, "plan-walk")
        places.settle()
        for choice in choices:
            press(window, f"walk-choice-{choice}")
            places.settle()

    return go


# Empty places


def _without(connection: Connection, problem: str = "") -> Callable[[MainWindow], None]:
    def go(window: MainWindow) -> None:
        session_of(window).reach(connection)
        session_of(window).show(Snapshot(problem=problem))

    return go


looking = _without(HERE._replace(state=ConnectionState.CONNECTING))
unseen = _without(
    FAR._replace(
        state=ConnectionState.FAILED,
        sentence=say("{host} doesn't answer. Is it on, and on this network?", host="carol@server"),
    )
)
no_disks = _without(HERE)
starting = _without(Connection("", is_practice=True, state=ConnectionState.STARTING))


def first_start(window: MainWindow) -> None:
    """The greeting."""
    station = window.findChild(DisksStation)
    assert station is not None
    station.greet()
    no_disks(window)


def _empty(station: Station) -> Callable[[MainWindow], None]:
    return lambda window: window.show_station(station)


plan_empty, prove_empty = _empty(Station.PLAN), _empty(Station.PROVE)
build_empty, measure_empty = _empty(Station.BUILD), _empty(Station.MEASURE)


def buying_empty(window: MainWindow) -> None:
    """Before buying, nothing compared yet."""
    no_disks(window)
    press(window, "disks-notice-also")


def buying_suggested(window: MainWindow) -> None:
    """Sets that were suggested, with prices of one's own."""
    buying_empty(window)
    space, pool = find(window, "buying-space"), find(window, "buying-pool")
    prices, currency = (
        (find(window, name) for name in ("buying-price", "buying-price-2")),
        find(window, "buying-currency"),
    )
    assert isinstance(space, QDoubleSpinBox)
    assert isinstance(pool, QLineEdit)
    assert isinstance(currency, QLineEdit)
    space.setValue(20)
    press(window, "buying-survive-2")
    press(window, "buying-suggest")
    find(window, "buying-table").row_activated.emit(1)  # type: ignore[attr-defined]
    currency.setText("EUR")
    currency.editingFinished.emit()
    pool.setText("4x8TB+2x12TB")
    for price, value in zip(prices, (159.9, 240.0), strict=True):
        assert isinstance(price, QDoubleSpinBox)
        price.setValue(value)
    press(window, "buying-add")


def _imagined(station: Station) -> Callable[[MainWindow], None]:
    """A station with the plan of disks to buy."""

    def go(window: MainWindow) -> None:
        buying_suggested(window)
        press(window, "buying-plan")
        window.show_station(station)

    return go


def imagined_starting(window: MainWindow) -> None:
    """The practice machine with such disks is starting."""
    _imagined(Station.BUILD)(window)
    press(window, "ways-on-practice")


# Disks


def seeking(window: MainWindow) -> None:
    """A planned disk is gone, and another is sought."""
    session = session_of(window)
    session.show(sample.many_disks(6))
    for number in range(4):
        window.disks.toggle(sample.disk(number).id)
    window.plan.edit_fields(chunk_kib=64)
    session.show(Snapshot(tuple(one for place, one in enumerate(sample.many_disks(6).disks) if place != 1)))
    press(window, "gone-another")


def many_disks(window: MainWindow) -> None:
    """A full case."""
    session_of(window).show(sample.many_disks())
    window.disks.choose_all()


def many_planned(window: MainWindow) -> None:
    """A full case on the stage."""
    many_disks(window)
    window.show_station(Station.PLAN)


def practice_refused(window: MainWindow) -> None:
    """Disks that no practice machine can have."""
    window.disks.ask_for_practice()
    field = find(window, "practice-disks")
    assert isinstance(field, QLineEdit)
    field.setText("many")
    field.returnPressed.emit()


def disks_refused(window: MainWindow) -> None:
    """Disks that could not be measured."""
    window.disks.choose_all()
    press(window, "disks-measure")
    fail(window, "TakeBaselines", DENIED)


# Plan


def many_prove(window: MainWindow) -> None:
    """A full case may be written to."""
    many_disks(window)
    window.show_station(Station.PROVE)


def mixed_sizes(window: MainWindow) -> None:
    """Two disks larger than the others: what lies idle is said."""
    disks = (*(sample.disk(n) for n in range(2)), *(sample.disk(n, 4) for n in range(2, 5)))
    session_of(window).show(Snapshot(disks))
    window.disks.choose_all()
    window.show_station(Station.PLAN)


def journal(window: MainWindow) -> None:
    """A write journal beside a raid5, with the choices that meet the write hole."""
    session_of(window).show(sample.many_disks(5))
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    window.plan.choose_level(Level.RAID5)
    window.plan.edit(lambda plan: edits.with_journal(plan, sample.disk(4).id))


def joined(window: MainWindow) -> None:
    """Disks of unlike sizes, used whole."""
    _unlike(window, sample.unlike_disks())
    press(window, "bands-1")
    press(window, "kept-by-parity")


def _unlike(window: MainWindow, disks: Snapshot) -> None:
    session_of(window).show(disks)
    window.disks.choose_all()
    window.show_station(Station.PLAN)


def joined_failing(window: MainWindow) -> None:
    """One disk failed: both arrays go on without it."""
    joined(window)
    window.plan.toggle_failure(3)


def joined_lost(window: MainWindow) -> None:
    """Two disks failed: one array stops, the other keeps its data."""
    joined(window)
    window.plan.toggle_failure(0)
    window.plan.toggle_failure(1)


def joined_many(window: MainWindow) -> None:
    """A full case of three sizes, any two of which may fail."""
    _unlike(window, sample.unlike_disks(12, 8, 4))
    press(window, "bands-2")
    window.plan.toggle_failure(23)


def joined_space(window: MainWindow) -> None:
    """The space of joined arrays, by use."""
    joined(window)
    press(window, "usable-why")


def joined_speed(window: MainWindow) -> None:
    """The speed of joined arrays."""
    joined(window)
    press(window, "speed-details")


def joined_review(window: MainWindow) -> None:
    """Joined arrays, reviewed before building."""
    joined(window)
    window.show_station(Station.BUILD)


def joined_explained(window: MainWindow) -> None:
    """The explanation of bands."""
    joined(window)
    press(window, "explain-bands")


def joined_walk(window: MainWindow) -> None:
    """The walk's picks for disks of unlike sizes."""
    _walking_unlike(window, "1", "files", "no")


def joined_walk_failures(window: MainWindow) -> None:
    """The walk's first question for disks of unlike sizes."""
    _walking_unlike(window)


def joined_walk_chunk(window: MainWindow) -> None:
    """The chunk of joined arrays, which the walk picked."""
    _walking_unlike(window, "1", "files", "no", "space")


def _walking_unlike(window: MainWindow, *choices: str) -> None:
    _unlike(window, sample.unlike_disks())
    press(window, "plan-walk")
    places.settle()
    for choice in choices:
        press(window, f"walk-choice-{choice}")
        places.settle()


def details(window: MainWindow) -> None:
    """Space, survival and later changes."""
    places.plan(window)
    press(window, "usable-why")


# Prove


def _shooting(window: MainWindow) -> Asked:
    window.disks.choose_all()
    window.show_station(Station.PROVE)
    return _begun(window)


def _begun(window: MainWindow) -> Asked:
    window.stations.prove.model.allow(True)
    press(window, "prove-begin")
    return asked(window, "Shootout")


def _contest(shooting: Asked) -> Contest:
    operation = shooting.arguments[0]
    assert isinstance(operation, Shootout)
    return operation.contest


def _end(shooting: Asked, findings: Findings) -> None:
    assert shooting.done is not None
    shooting.done(findings)


def proving(window: MainWindow) -> None:
    """A shoot-out on its way: one layout is measured, the second in part."""
    shooting = _shooting(window)
    contest = _contest(shooting)
    measurement = list(contest.measurements(contest.contestants[2]))[-1]
    assert shooting.update is not None
    shooting.update(Standing(JobStep.MEASURE, 0.45, 2, measurement, 840.0, sample_shootout.partly(contest)))


def proving_begun(window: MainWindow) -> None:
    """A shoot-out without any figure yet."""
    _shooting(window)


def proved(window: MainWindow) -> None:
    """A shoot-out that has ended."""
    shooting = _shooting(window)
    _end(shooting, sample_shootout.found(_contest(shooting)))


def proved_reads(window: MainWindow) -> None:
    """The same, one workload of it, with another layout chosen."""
    proved(window)
    press(window, "prove-view-random_read_4k_q32")
    window.stations.prove.model.look_at(2)


def proved_again(window: MainWindow) -> None:
    """The same, about to try more."""
    proved(window)
    press(window, "prove-again")


def proved_one(window: MainWindow) -> None:
    """A single layout."""
    window.disks.choose_all()
    window.show_station(Station.PROVE)
    for place in sorted(window.stations.prove.model.chosen)[1:]:
        window.stations.prove.model.toggle(place)
    shooting = _begun(window)
    _end(shooting, sample_shootout.found(_contest(shooting)))


def proved_many(window: MainWindow) -> None:
    """Every layout, in three states, with long names."""
    window.disks.choose_all()
    window.show_station(Station.PROVE)
    model = window.stations.prove.model
    model.make(model.matrix(read_shapes("raid10:f2,raid5"), (64,), (3, 4)))
    for place in set(range(len(model.offered))) - model.chosen:
        model.toggle(place)
    model.choose_rebuilding(True)
    model.choose_minutes(240)
    shooting = _begun(window)
    _end(shooting, sample_shootout.found(_contest(shooting)))


def proved_members(window: MainWindow) -> None:
    """Levels over their numbers of disks, with another kernel's run laid over them."""
    session_of(window).show(sample.many_disks(14))
    window.disks.choose_all()
    window.show_station(Station.PROVE)
    model = window.stations.prove.model
    for place in model.chosen:
        model.toggle(place)
    model.make(model.matrix(read_shapes("raid0,raid5,raid6"), (64,), (3, 4, 5, 6, 8, 10, 14)))
    model.choose_suite(Suite.BUFFERED)
    model.choose_minutes(600)
    shooting = _begun(window)
    contest = _contest(shooting)
    _end(shooting, sample_shootout.over_members(contest))
    for job in session_of(window).record.jobs:
        if job.what == "runs" and job.done is not None:
            job.done(sample_shootout.kept_runs(contest, "6.1.176", 0.86))
    window.stations.prove.model.overlays.choose("shootout-before")


def proved_members_table(window: MainWindow) -> None:
    """The same as a table."""
    proved_members(window)
    press(window, "prove-lines-as-table")


def proved_pair(window: MainWindow) -> None:
    """Two layouts of other numbers of disks, side by side."""
    window.disks.choose_all()
    window.show_station(Station.PROVE)
    trigger(window, f"prove-study-{Study.NEAR_OR_PARITY}")
    shooting = _begun(window)
    _end(shooting, sample_shootout.found(_contest(shooting)))


def proved_files(window: MainWindow) -> None:
    """File systems, aligned and not."""
    window.disks.choose_all()
    window.show_station(Station.PROVE)
    window.stations.prove.model.choose_suite(Suite.FILESYSTEM)
    window.stations.prove.model.choose_minutes(600)
    shooting = _begun(window)
    _end(shooting, sample_shootout.found(_contest(shooting)))


def proved_at_memory_speed(window: MainWindow) -> None:
    """Practice disks as fast as memory."""
    shooting = _shooting(window)
    _end(shooting, sample_shootout.found(_contest(shooting), at_memory_speed=True))


def proved_in_part(window: MainWindow) -> None:
    """Stopped before every layout was measured."""
    shooting = _shooting(window)
    contest = _contest(shooting)
    assert shooting.update is not None
    shooting.update(Standing(JobStep.MEASURE, 0.45, 2, None, 840.0, sample_shootout.partly(contest)))
    shooting.task.cancelled.emit()


def proved_planned(window: MainWindow) -> None:
    """The winner, about to be built."""
    proved(window)
    press(window, "prove-build")


def proved_on_plan(window: MainWindow) -> None:
    """The winner on the Plan station."""
    proved_planned(window)
    window.show_station(Station.PLAN)


def prove_failed(window: MainWindow) -> None:
    """A shoot-out that could not begin."""
    _shooting(window)
    fail(window, "Shootout", DENIED)


# Build


def removing(window: MainWindow) -> None:
    """A disk's contents are confirmed before they are removed."""
    store = _reviewing_store(window)
    done = asked(window, "ExamineSignatures").done
    assert done is not None
    done({store: (DiskSignature("gpt", 512), DiskSignature("1:ext4", 1049656, "photos"))})


def _begin_build(window: MainWindow) -> None:
    places.plan(window)
    window.show_station(Station.BUILD)
    window.stations.build.model.type_name("tank")
    window.stations.build.model.build()


def building_asks(window: MainWindow) -> None:
    """polkit is asked."""
    _begin_build(window)


def building(window: MainWindow) -> None:
    """On its way."""
    _begin_build(window)
    update = asked(window, "CreateArray").update
    assert update is not None
    update(JobProgress("stage-create", 0.3))


def build_failed(window: MainWindow) -> None:
    """The helper could not."""
    _begin_build(window)
    fail(window, "CreateArray", UNREADABLE)


def arrays(window: MainWindow) -> None:
    """An array that runs."""
    session_of(window).show(replace(sample.machine(), arrays=(TANK,)))
    window.show_station(Station.ARRAYS)


def every_array(window: MainWindow) -> None:
    """An array in each state."""
    session_of(window).show(sample_arrays.every_state())
    window.show_station(Station.ARRAYS)


def held_back(window: MainWindow) -> None:
    """Arrays that can't go on as they are."""
    session_of(window).show(sample_arrays.held_back())
    window.show_station(Station.ARRAYS)


def choosing_half(window: MainWindow) -> None:
    """A half is chosen of an array whose members parted."""
    held_back(window)
    window.stations.arrays.model.start(sample_arrays.parted(), read_only=False)


def helper_missing(window: MainWindow) -> None:
    """The root helper isn't there: planning alone."""
    problem = "The root helper isn't installed there."
    session_of(window).show(replace(sample.machine(), helper_problem=problem))
    window.show_station(Station.DISKS)


def build_without_helper(window: MainWindow) -> None:
    """The same where an array would be built."""
    helper_missing(window)
    window.show_station(Station.BUILD)


def array_ends(window: MainWindow) -> None:
    """An array is about to be taken apart, and is refused."""
    arrays(window)
    window.stations.arrays.model.open(TANK, Act.TAKE_APART)
    window.stations.arrays.model.type_name("tank")
    window.stations.arrays.model.confirm()
    fail(
        window,
        "DismantleArray",
        DiskRefused(
            "md is busy with {array} ({action}); wait until it is idle.", code="b", array="tank", action="check"
        ),
    )


def degraded(window: MainWindow) -> None:
    """A disk is lost, said over the first station."""
    session_of(window).show(_seen(DEGRADED, NEW))


def repairing(window: MainWindow) -> None:
    """The choice of a replacement disk."""
    session_of(window).show(_seen(DEGRADED, NEW, SMALL, USED))
    window.stations.arrays.repair.open(DEGRADED)
    window.stations.arrays.repair.choose(NEW.id)


def rebuilding(window: MainWindow) -> None:
    """The new disk is filled."""
    repairing(window)
    window.stations.arrays.repair.type_name("tank")
    window.stations.arrays.repair.confirm()
    coming = _array(*REST, _place(NEW, 2, "spare"), sync_action="recover", sync_fraction=0.34, sync_seconds_left=720)
    session_of(window).show(Snapshot((*MEMBERS[:2], MEMBERS[3], NEW), (coming,)))


def next_steps(window: MainWindow) -> None:
    """Next steps after a finished build."""
    places.built(window)
    done = session_of(window).record.alerts[-1].done
    assert done is not None
    done(AlertFacts(watches=True))
    window.stations.build.model.take_snapshot(replace(sample.machine(), arrays=(WHOLE,)))


# Measure


def _start(window: MainWindow) -> None:
    session_of(window).show(replace(sample.machine(), arrays=(sample.array(16 * 10**12),)))
    window.show_station(Station.MEASURE)
    press(window, "measure-start")


def measuring(window: MainWindow) -> None:
    """A run on its way."""
    _start(window)
    update = asked(window, "Measure").update
    assert update is not None
    for one in sample.samples(6):
        update(one)


def own_job(window: MainWindow) -> None:
    """A job of one's own, about to be measured on an array that may hold something."""
    session_of(window).show(replace(sample.machine(), arrays=(sample.array(16 * 10**12),)))
    window.show_station(Station.MEASURE)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "database-of-the-wiki.fio"
        path.write_text(
            "[reads]\ndirect=1\nrw=randread\nbs=16k\n[log]\nstonewall\ndirect=1\nrw=write\nbs=64k\n", encoding="utf-8"
        )
        window.stations.measure.model.take_job(path)


def measure_failed(window: MainWindow) -> None:
    """A run that was refused."""
    _start(window)
    fail(window, "Measure", DENIED)


def _tried(window: MainWindow, *, is_measured: bool) -> None:
    plan_raid10_far(window)
    plan = window.plan.draft.plan
    assert plan is not None
    own = sample_shootout.own_runs(plan, sample_shootout.region_of(plan)) if is_measured else ()
    session_of(window).show(Snapshot(sample.machine().disks, (sample_shootout.array_of(plan),)))
    window.show_station(Station.MEASURE)
    window.stations.measure.model.prefer_array(sample.ARRAY_UUID)
    done = asked(window, "runs").done
    assert done is not None
    done((*own, *sample_shootout.trial_runs(plan)))


def tried(window: MainWindow) -> None:
    """A built array whose layout was tried, not measured yet."""
    _tried(window, is_measured=False)


def tried_measured(window: MainWindow) -> None:
    """The same, measured as in its trial."""
    _tried(window, is_measured=True)


def tried_compared(window: MainWindow) -> None:
    """As built against its trial."""
    tried_measured(window)
    press(window, "trial-compare")
    trial = window.stations.measure.model.trial
    done = asked(window, "compare").done
    assert trial is not None
    assert done is not None
    done(matched(tuple(reversed(trial.runs)), trial.as_built))


def tried_built(window: MainWindow) -> None:
    """The page of a built array that was tried and measured."""
    places.built(window)
    plan = window.plan.draft.plan
    assert plan is not None
    window.stations.measure.model.runs = (
        *sample_shootout.own_runs(plan, sample_shootout.region_of(plan)),
        *sample_shootout.trial_runs(plan),
    )
    window.stations.measure.model.runs_changed.emit()


# Over every station


def interrupted(window: MainWindow) -> None:
    """A build was cut off; a shoot-out left something; writes wait."""
    session = session_of(window)
    builds, scratch = session.record.looks_back[-1].done, session.record.scratch[-1].done
    assert builds is not None
    assert scratch is not None
    builds((CUT_OFF,))
    scratch((ScratchRecord("a" * 32, ("WDC WD80EFZX VK0ABCD0",), say("The array is in use.")),))
    session.held_changed.emit(Held(11, "/var/tmp/raidwright"))  # noqa: S108 -- only shown


def link_lost(window: MainWindow) -> None:
    """A machine afar has gone."""
    session = session_of(window)
    session.reach(FAR)
    session.show(Snapshot(problem=say("The connection to the machine was lost.")))


def touring(window: MainWindow) -> None:
    """The tour's first step."""
    trigger(window, "menu-tour")


PAGES: dict[str, Callable[[MainWindow], None]] = {
    **{go.__name__: go for go in places.PLACES},
    "first_start": first_start,
    "looking": looking,
    "unseen": unseen,
    "no_disks": no_disks,
    "starting": starting,
    "buying_empty": buying_empty,
    "buying_suggested": buying_suggested,
    "build_imagined": _imagined(Station.BUILD),
    "prove_imagined": _imagined(Station.PROVE),
    "imagined_starting": imagined_starting,
    "plan_empty": plan_empty,
    "prove_empty": prove_empty,
    "build_empty": build_empty,
    "measure_empty": measure_empty,
    "seeking": seeking,
    "many_disks": many_disks,
    "many_planned": many_planned,
    "many_prove": many_prove,
    "practice_refused": practice_refused,
    "disks_refused": disks_refused,
    "mixed_sizes": mixed_sizes,
    "journal": journal,
    **{go.__name__: go for go in (joined, joined_failing, joined_lost, joined_many, joined_space, joined_speed)},
    **{go.__name__: go for go in (joined_review, joined_explained)},
    **{go.__name__: go for go in (joined_walk_failures, joined_walk, joined_walk_chunk)},
    "walk_failures": _walking(),
    "walk_purpose": _walking("2"),
    "walk_growth": _walking("2", "files"),
    "walk_picks": _walking("2", "files", "yes"),
    "walk_picks_machines": _walking("1", "machines", "no"),
    "walk_chunk": _walking("2", "files", "yes", "ours"),
    "details": details,
    "proving": proving,
    "proving_begun": proving_begun,
    "proved": proved,
    "proved_reads": proved_reads,
    "proved_again": proved_again,
    "proved_one": proved_one,
    "proved_many": proved_many,
    "proved_members": proved_members,
    "proved_members_table": proved_members_table,
    "proved_pair": proved_pair,
    "proved_files": proved_files,
    "proved_at_memory_speed": proved_at_memory_speed,
    "proved_in_part": proved_in_part,
    "proved_planned": proved_planned,
    "proved_on_plan": proved_on_plan,
    "prove_failed": prove_failed,
    "removing": removing,
    "building_asks": building_asks,
    "building": building,
    "build_failed": build_failed,
    "arrays": arrays,
    "every_array": every_array,
    "arrays_empty": _empty(Station.ARRAYS),
    **{go.__name__: go for go in (held_back, choosing_half, helper_missing, build_without_helper)},
    "array_ends": array_ends,
    "degraded": degraded,
    "repairing": repairing,
    "rebuilding": rebuilding,
    "next_steps": next_steps,
    "tried": tried,
    "tried_measured": tried_measured,
    "tried_compared": tried_compared,
    "tried_built": tried_built,
    "measuring": measuring,
    "own_job": own_job,
    "measure_failed": measure_failed,
    "interrupted": interrupted,
    "link_lost": link_lost,
    "touring": touring,
    **{go.__name__: go for go in dialogs.DIALOGS},
    **menus.MENUS,
    **{go.__name__: go for go in growing.GROWING},
}
