"""The steps through the stations, by clicks and keys, one function per station."""

from __future__ import annotations

from raidwright.core.errors import RaidwrightError
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import MdArray, Plan
from raidwright.text.plan.names import long_name

from .pilot import Pilot, Sight

_SMALLEST_CHUNK = "4 KiB"
_LIST_SECONDS = 120.0
_BUILD_SECONDS = 240.0


def choose_disks(pilot: Pilot, count: int) -> Sight:
    """Wait until ``count`` disks are listed and choose all free ones; return the resulting table."""
    pilot.wait("disks-table", lambda table: len(table.text.splitlines()) == count, seconds=_LIST_SECONDS)
    pilot.click("disks-choose-all")
    return pilot.wait("disks-table", lambda table: "✓" in table.text)


def skip_walk(pilot: Pilot) -> None:
    """On the Plan station, for whoever comes there for the first time: go on without being led."""
    pilot.click("walk-skip")
    pilot.wait("plan-next")


def plan_raid10_far(pilot: Pilot, name: str, chunk: str) -> Sight:
    """On the Plan station: raid10, two far copies, ``chunk`` (the slider's text); return the predicted capacity."""
    pilot.click("disks-next")
    pilot.click("level-raid10")
    pilot.click("copies-2")
    pilot.click("arrangement-f")
    pilot.click("chunk")
    _set_chunk(pilot, chunk)
    pilot.click("array-name")
    pilot.key("ctrl+a")
    pilot.write(name)
    pilot.wait("command-words", lambda words: f"/dev/md/{name} " in words.text and "--layout=f2" in words.text)
    return pilot.wait("usable")


def _set_chunk(pilot: Pilot, chunk: str) -> None:
    """Move the focused slider to ``chunk``; wait for each key's effect before the next."""
    pilot.key("Home")
    said = pilot.wait("chunk-text", lambda text: text.text == _SMALLEST_CHUNK).text
    while said != chunk:
        pilot.key("Right")
        said = pilot.wait("chunk-text", lambda text, before=said: text.text != before).text  # type: ignore[misc]


def fail_second_of_four(pilot: Pilot) -> Sight:
    """Click the second column of the stage; return the sentence on its failure."""
    before = pilot.wait("stage-sentence").text
    pilot.click("stage", across=0.375)
    return pilot.wait("stage-sentence", lambda sentence: sentence.text != before)


def review(pilot: Pilot) -> Sight:
    """Go from the plan to the Build station; return its button, which waits for the array's name."""
    pilot.click("plan-next")
    return pilot.wait("build-button", lambda button: not button.enabled)


def confirm(pilot: Pilot, name: str) -> None:
    """Type the array's name and press Build."""
    pilot.click("build-confirm")
    pilot.write(name)
    pilot.click("build-button")


def build(pilot: Pilot, name: str) -> Sight:
    """Confirm and wait; return the verdict on the result."""
    confirm(pilot, name)
    return pilot.wait("built-verdict", seconds=_BUILD_SECONDS)


def offered(layout: str) -> str:
    """Return the name under which the Prove station offers raid10 with ``layout`` on four disks."""
    return long_name(Plan(MdArray(Level.RAID10, (None,) * 4, layout=layout)).top)


def prove(
    pilot: Pilot, candidates: tuple[str, ...], *, suite: str, slice_gib: str, repeats: int, minutes: int
) -> Sight:
    """On the Prove station: choose exactly ``candidates`` and begin; returns while it runs."""
    pilot.click("rail-prove")
    table = pilot.wait("prove-candidates", lambda table: all(one in table.text for one in candidates))
    for sign, layout, *_rest in (line.split("\t") for line in table.text.splitlines()):
        if (sign == "✓") != (layout in candidates):
            pilot.click("prove-candidates", part=layout)
    pilot.click(f"prove-suite-{suite}")
    for box, value in (("slice", slice_gib), ("repeats", repeats), ("minutes", minutes)):
        pilot.click(f"prove-{box}", across=0.2)
        pilot.key("ctrl+a")
        pilot.write(str(value))
        pilot.key("Tab")
    pilot.click("prove-allow", across=0.04)  # text beside its label isn't part of it
    pilot.click("prove-begin")
    return pilot.wait("prove-cancel", lambda button: button.enabled)


def first_figures(pilot: Pilot, candidates: tuple[str, ...], seconds: float) -> Sight:
    """Return the figures of a shoot-out once one of its ``candidates`` is among them."""
    return pilot.wait("prove-figures", lambda table: any(one in table.text for one in candidates), seconds=seconds)


def measure(pilot: Pilot, workload: str, seconds: int) -> Sight:
    """On the Measure station: choose ``workload`` by its name and start it; returns while the curve grows."""
    pilot.click("measure-workload")
    pilot.write(workload)  # a list jumps to the typed text
    pilot.key("Return")
    pilot.wait("measure-workload", lambda chosen: chosen.text.startswith(workload))
    pilot.click("measure-seconds")
    pilot.key("ctrl+a")
    pilot.write(str(seconds))
    pilot.key("Tab")
    pilot.click("measure-start")
    return pilot.wait("measure-cancel", lambda button: button.enabled)


def measured(pilot: Pilot, seconds: int) -> Sight:
    """Wait for the running workload to end; return the speed shown. Raises with the error shown instead."""
    pilot.wait("measure-start", lambda button: button.enabled, seconds=seconds + 180)
    if (failure := pilot.look("measure-failure", None)) is not None and failure.text:
        raise RaidwrightError(f"The station says: {failure.text}", code="journey")
    return pilot.wait("measure-mb-s", lambda figure: figure.text[:1].isdigit())
