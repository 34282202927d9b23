"""An array that becomes bigger: the three ways, what happens, the progress, and the end."""

from __future__ import annotations

from dataclasses import replace

from raidwright.core.layers.capacity import capacity_of
from raidwright.core.lvm.bands import banded
from raidwright.core.lvm.volume_changes import VolumeStanding
from raidwright.core.md.changes.values import ArrayContent
from raidwright.core.model.plan import Bitmap, Plan
from raidwright.core.protocol.facts import AlertFacts
from raidwright.core.protocol.results import ArrayChanged
from raidwright.core.protocol.steps import JobStep
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.machine.values import Snapshot
from raidwright.ui.station import Station
from raidwright.ui.stations.arrays.bigger.model import BiggerModel
from raidwright.ui.window import MainWindow

from tests.kit import sample, sample_growth
from tests.kit.seen_volume import seen_volume
from tests.ui.places import press, settle

from .reaching import asked, session_of

_PATIENT = "ST8000DM004-2CX188"


def _open(window: MainWindow, snapshot: Snapshot) -> None:
    session_of(window).show(snapshot)
    window.show_station(Station.ARRAYS)
    settle()
    press(window, "array-bigger")


def bigger(window: MainWindow) -> None:
    """A free disk of the same size."""
    _open(window, sample_growth.seen(sample_growth.FREE))
    done = asked(window, "LookForChange").done
    assert done is not None
    done(sample_growth.GROUND)
    settle()


def bigger_to_buy(window: MainWindow) -> None:
    """No free disk."""
    _open(window, sample_growth.seen())
    done = asked(window, "LookForChange").done
    assert done is not None
    done(sample_growth.GROUND)
    settle()


def bigger_busy(window: MainWindow) -> None:
    """md synchronises it."""
    _open(window, sample_growth.seen(sample_growth.FREE, sync_action="resync"))
    done = asked(window, "LookForChange").done
    assert done is not None
    done(replace(sample_growth.GROUND, busy="resync"))
    settle()


def bigger_joined(window: MainWindow) -> None:
    """A joined volume."""
    plan = banded([replace(sample.disk(tb).as_member(), size_bytes=tb * 10**12) for tb in (4, 8, 12)], 1).plan
    volume = seen_volume(Plan(replace(plan, name="tank")))
    free = sample.disk(14, 12, serial="ZR52E7H0")
    _open(window, Snapshot((free,), volume.bands))
    done = asked(window, "ExamineGrowth").done
    assert done is not None
    sectors = capacity_of(plan).array_sectors
    done(VolumeStanding(content=ArrayContent("ext4", "/srv/tank", sectors), size_sectors=sectors))
    settle()


def bigger_happens(window: MainWindow) -> None:
    """A disk is about to be added."""
    bigger(window)
    press(window, "bigger-choose-more")
    settle()


def bigger_safer(window: MainWindow) -> None:
    """It is about to become RAID 6."""
    bigger(window)
    press(window, "bigger-choose-safer")
    settle()


def bigger_progress(window: MainWindow) -> None:
    """The reshape runs."""
    bigger_happens(window)
    model = window.findChild(BiggerModel)
    assert model is not None
    model.change.type_name("media")
    model.go()
    update = asked(window, "ChangeArray").update
    assert update is not None
    update(JobProgress(JobStep.RESHAPE, 0.41))
    session_of(window).show(
        sample_growth.seen(sample_growth.FREE, sync_action="reshape", sync_fraction=0.41, sync_seconds_left=41_000)
    )
    settle()


def bigger_done(window: MainWindow) -> None:
    """It is bigger."""
    bigger_progress(window)
    done = asked(window, "ChangeArray").done
    assert done is not None
    sectors = sample_growth.CAPACITY.array_sectors // 3 * 4
    done(ArrayChanged(sample.ARRAY_UUID, "raid5", 5, sectors, 0, "XFS", checks=True))
    settle()


def good(window: MainWindow) -> None:
    """The judgement of an array that was never checked, and of which nobody is told."""
    session_of(window).show(sample_growth.seen(sample_growth.FREE))
    window.show_station(Station.ARRAYS)
    settle()
    done = session_of(window).record.alerts[-1].done
    assert done is not None
    done(AlertFacts(watches=True))
    press(window, "array-good")
    settle()


def good_patient(window: MainWindow) -> None:
    """A disk is failing, another retries for long, and there is no bitmap."""
    failing = replace(sample_growth.MEMBERS[1].health, failing=True)
    known: dict[str, dict[str, object]] = {
        sample_growth.MEMBERS[1].id: {"health": failing},
        sample_growth.MEMBERS[2].id: {"model": _PATIENT},
    }
    snapshot = sample_growth.with_disks(sample_growth.seen(sample_growth.FREE), known)
    bare = sample_growth.PLAN.on(replace(sample_growth.PLAN.array, bitmap=Bitmap.NONE))
    session_of(window).show(replace(snapshot, arrays=(sample_growth.media(bare),)))
    window.show_station(Station.ARRAYS)
    settle()
    press(window, "array-good")
    settle()


GROWING = (
    bigger,
    bigger_to_buy,
    bigger_busy,
    bigger_joined,
    bigger_happens,
    bigger_safer,
    bigger_progress,
    bigger_done,
    good,
    good_patient,
)
