"""The unattended journey: a practice machine, a virtual screen, the real window, and a report with pictures."""

from __future__ import annotations

import html
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from raidwright.lab import machine, shelf

from . import steps
from .pilot import Pilot
from .screen import VirtualScreen

_DISKS = "4x8TB+2TB:ext4"
_NAME = "tank"
_SECONDS = 5
_PROVE_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Stop:
    """A stop of the journey: its picture's file name, and a description."""

    picture: str
    words: str


def make_journey(folder: Path, say: Callable[[str], None]) -> Path:
    """Go from the disks to a measured array and write ``index.html`` and its pictures to ``folder``."""
    started = time.monotonic()
    say("No display here, so the journey is made on a virtual screen, on a practice machine.")
    name = f"journey-{os.getpid()}"
    spec = machine.LabSpec(shelf.disks_from_text(_DISKS))
    folder.mkdir(parents=True, exist_ok=True)
    stops = []
    with machine.start(spec, name=name, say=say) as lab, VirtualScreen() as screen:
        runs = {"XDG_DATA_HOME": str(folder.resolve() / "data")}
        with Pilot(screen, ["gui", "--machine", f"lab:{name}"], runs) as pilot:
            for stop in _travel(pilot):
                screen.picture(folder / stop.picture)
                say(f"  {stop.words}")
                stops.append(stop)
        detail = lab.exec(["mdadm", "--detail", f"/dev/md/{_NAME}"]).stdout.decode()
    report = folder / "index.html"
    report.write_text(_page(stops, detail), encoding="utf-8")
    say(f"The report, with {len(stops)} pictures, after {time.monotonic() - started:.0f} s: {report.resolve()}")
    return report


def _travel(pilot: Pilot) -> Iterator[Stop]:
    steps.choose_disks(pilot, 5)
    yield Stop("1-disks.png", "Disks: four are free and chosen; the fifth holds a file system and is left alone.")
    usable = steps.plan_raid10_far(pilot, _NAME, "256 KiB")
    yield Stop("2-plan.png", f"Plan: raid10, far, 256 KiB chunks: {usable.text} usable.")
    sentence = steps.fail_second_of_four(pilot)
    yield Stop("3-failed.png", f"Plan, with a disk failed: {sentence.text}")
    yield from _prove(pilot)
    pilot.click("rail-plan")
    yield from _build_and_measure(pilot)


def _prove(pilot: Pilot) -> Iterator[Stop]:
    layouts = (steps.offered("n2"), steps.offered("f2"))
    steps.prove(pilot, layouts, suite="buffered", slice_gib="0.25", repeats=1, minutes=2)
    steps.first_figures(pilot, layouts, _PROVE_SECONDS)
    yield Stop("4-proving.png", "Prove: two candidates are built on a slice of the disks and measured, one by one.")
    pilot.wait("prove-build", seconds=_PROVE_SECONDS)
    verdict = pilot.wait("prove-verdict")
    yield Stop("5-proved.png", f"Prove: {verdict.text} The disks are as they were.")


def _build_and_measure(pilot: Pilot) -> Iterator[Stop]:
    steps.review(pilot)
    yield Stop("6-review.png", "Build: what would be written where; nothing happens before the name is typed.")
    steps.build(pilot, _NAME)
    verdict = pilot.wait("built-verdict")
    yield Stop("7-built.png", f"Build: the array stands ({verdict.text}).")
    pilot.click("built-measure")
    steps.measure(pilot, "Sequential read", _SECONDS)
    time.sleep(_SECONDS / 2)
    yield Stop("8-measuring.png", "Measure: the curve grows while fio reads.")
    read = steps.measured(pilot, _SECONDS)
    yield Stop("9-read.png", f"Measure: {read.text} MB/s sequential read.")
    steps.measure(pilot, "Sequential write", _SECONDS)
    write = steps.measured(pilot, _SECONDS)
    yield Stop("10-write.png", f"Measure: {write.text} MB/s sequential write.")


def _page(stops: list[Stop], detail: str) -> str:
    figures = "\n".join(
        f'<figure><img src="{stop.picture}" alt="{html.escape(stop.words)}">'
        f"<figcaption>{html.escape(stop.words)}</figcaption></figure>"
        for stop in stops
    )
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Raidwright: the journey</title>
<style>body{{font:16px/1.5 sans-serif;max-width:1100px;margin:2rem auto;color:#1b2430;background:#f6f7f9}}
img{{width:100%;border:1px solid #e1e5ea;border-radius:10px}}figure{{margin:2rem 0}}pre{{background:#fff;padding:1rem}}
</style><h1>From the disks to a measured array</h1>
<p>Made by the real program with real X events, on the practice machine's real md. The disks take as long as real
ones of 7200 rpm.</p>
{figures}
<h2>What mdadm says of the array</h2><pre>{html.escape(detail)}</pre></html>
"""
