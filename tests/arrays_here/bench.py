"""A practice machine whose disks outlive a power cut, and what command line and window say of the array in it."""

from __future__ import annotations

import contextlib
import io
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from raidwright.cli import main
from raidwright.lab.image import Generation, generation_unasked
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text

from tests.kit.blank import blank

from .states import ArrayCase
from .window import Card, card_of, seen_at

DISKS = disks_from_text("4x2GB")
_PATIENCE_SECONDS = 240
_LOOKS = 5
_CLEAN = f"""umount -q -A /mnt/a; udevadm settle; udevadm control --stop-exec-queue; mdadm --quiet --stop --scan
mdadm --quiet --stop --scan; for disk in /dev/sd[a-d]; do mdadm --quiet --zero-superblock $disk; wipefs -qa $disk; done
{blank("/dev/sd[a-d]")}
udevadm control --start-exec-queue; udevadm trigger --settle --subsystem-match=block; true"""
_FILE = "cat $1/photo"


@dataclass(frozen=True, slots=True)
class Judged:
    """The words on a case: state, the card's badge and the start's outcome, and the faults ("" if there is none)."""

    state: str
    card: str
    started: str
    fault: str


class Bench:
    """The machine; ``lab`` is its present life."""

    lab: Lab

    def __init__(self, store: Path, name: str, generation: Generation | None = None) -> None:
        self._store, self._name, self._generation = store, name, generation or generation_unasked()

    def __enter__(self) -> Self:
        self._boot()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.lab.stop()

    def _boot(self) -> None:
        self.lab = start(LabSpec(DISKS, store=self._store, generation=self._generation), name=self._name)
        self.run("udevadm settle")

    def run(self, script: str, *words: str, check: bool = True) -> str:
        """Run a shell script in the guest; return its output."""
        done = self.lab.exec(["sh", "-c", script, "sh", *words], check=check, timeout_seconds=_PATIENCE_SECONDS)
        return done.stdout.decode().strip()

    def command(self, *arguments: str, plain: bool = True) -> tuple[int, str]:
        """Run ``raidwright …`` on the machine; return its exit code, and its output or the refusal's sentence."""
        out, err = io.StringIO(), io.StringIO()
        asked = [*arguments, "--machine", f"lab:{self._name}", *(["--json"] if plain else [])]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main(asked)
        return status, out.getvalue() if not status else err.getvalue()

    def arrays(self) -> dict[str, dict[str, Any]]:
        """Return the listed arrays, by name."""
        _, text = self.command("array", "list")
        return {array["name"]: array for array in json.loads(text)}

    def judge(self, case: ArrayCase) -> Judged:
        """Make ``case``, look, start, and clean up."""
        self.run(case.made)
        if case.pulled is not None:
            self.lab.pull_disk(DISKS[case.pulled].serial)
            self.run("udevadm settle")
        if case.cut:
            self.lab.stop()
            self._boot()
        try:
            return self._judged(case)
        finally:
            self.clean(case)

    def _judged(self, case: ArrayCase) -> Judged:
        state = self._state(case)
        _, text = self.command("array", "list", plain=False)
        faults = [f"told as {state}"] if state not in case.told else []
        faults += [f"not said: {case.sentence}"] if case.sentence not in text else []
        card = card_of(seen_at(self.lab.bus_address("admin")), case.array)
        faults += self._card_faults(case, state, card)
        if state == "running" and not case.refusal:
            started, said = 0, ""
        else:
            started, said = self.command("array", "start", case.array, *case.start)
        if case.refusal:
            faults += ["it was started"] if not started else []
            faults += [f"refused otherwise: {said.strip()}"] if started and case.refusal not in said else []
        else:
            faults += list(self._runs(case, started, said))
        outcome = "refused" if started else "starts"
        return Judged(state, card.badge if card else "", outcome, "; ".join(faults))

    def _card_faults(self, case: ArrayCase, state: str, card: Card | None) -> Iterator[str]:
        """Yield what is wrong with the window's card: its words, and whether it offers to start the array."""
        if card is None:
            yield "no card in the window"
            return
        if case.sentence not in card.words:
            yield f"not on the card: {case.sentence}"
        may_start = state != "running" and (not case.refusal or case.refusal == "--missing")
        if may_start != ("start" in card.buttons):
            yield f"the card's buttons are {', '.join(card.buttons) or 'none'}"

    def _state(self, case: ArrayCase) -> str:
        """Return the state that is told, once udev and UDisks2 have had their time on a busy computer."""
        for _ in range(_LOOKS):
            state = str(self.arrays().get(case.array, {}).get("state", "not listed"))
            if state in case.told:
                break
            time.sleep(1)
        return state

    def _runs(self, case: ArrayCase, status: int, said: str) -> Iterator[str]:
        if status:
            yield f"refused: {said.strip()}"
            return
        mounted, said = self.command("filesystem", "mount", case.array, "--at", "/mnt/a")
        if mounted:
            yield f"it can't be mounted: {said.strip()}"
            return
        found = self.run(_FILE, json.loads(said)["place"], check=False)
        unmounted, said = self.command("filesystem", "unmount", case.array)
        if unmounted:
            yield f"it can't be unmounted: {said.strip()}"
        if found != "summer":
            yield f"the file on it reads “{found}”"

    def clean(self, case: ArrayCase) -> None:
        if case.pulled is not None:
            self.lab.stop()  # plugged in again it would have another letter
            self._boot()
        self.run("echo 200000 > /proc/sys/dev/raid/speed_limit_max; true")
        self.run(_CLEAN)
