"""The practice machines, for whoever shows them; imported late, since it brings all that one is made of."""

from __future__ import annotations

from collections.abc import Callable

from raidwright.core.errors import MachineError
from raidwright.lab.image import Generation
from raidwright.lab.machine import Lab, LabSpec, find, start
from raidwright.lab.shelf import disks_from_text, names_of_kinds
from raidwright.machine.connection import Held, PracticeSpec


class PracticeRoom:
    """What a practice machine can be asked for, and those that there are."""

    def check(self, spec: PracticeSpec) -> None:
        """Raise InputError when its disks can't be had: the sentence that ``lab up`` would say."""
        disks_from_text(spec.disks)

    def kinds(self) -> tuple[str, ...]:
        """The kinds of disks that there are, by the names that ``lab up`` takes."""
        return tuple(names_of_kinds())

    def find(self, name: str) -> Lab:
        """The one called ``name``; raises InputError."""
        return find(name)

    def start(self, spec: PracticeSpec, say: Callable[[str], None]) -> Lab:
        """Boot one, of whose image ``say`` hears; raises MachineError."""
        order = LabSpec(disks_from_text(spec.disks), Generation(spec.generation), pace=spec.pace)
        return start(order, say=say)

    def held(self, machine: Lab) -> Held:
        """Which of its writes wait for room on this computer."""
        try:
            store = machine.store()
        except MachineError:
            return Held()  # it is ending, which is told elsewhere
        return Held(store.held_writes, store.folder)
