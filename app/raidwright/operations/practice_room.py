"""Practice machines, for the user interface; imported late, since it imports the whole lab."""

from __future__ import annotations

from collections.abc import Callable

from raidwright.core.errors import MachineError
from raidwright.lab.image import Generation
from raidwright.lab.machine import Lab, LabSpec, find, start
from raidwright.lab.shelf import disks_from_text, names_of_kinds
from raidwright.machine.connection import Held, PracticeSpec


class PracticeRoom:
    """Options for practice machines, and access to the running ones."""

    def check(self, spec: PracticeSpec) -> None:
        """Raise InputError if the spec's disks are invalid, with the sentence of ``lab up``."""
        disks_from_text(spec.disks)

    def kinds(self) -> tuple[str, ...]:
        """Return the kinds of disks, by the names that ``lab up`` takes."""
        return tuple(names_of_kinds())

    def find(self, name: str) -> Lab:
        """Return the running machine called ``name``; raises InputError."""
        return find(name)

    def start(self, spec: PracticeSpec, say: Callable[[str], None]) -> Lab:
        """Start a machine, with progress of its image reported to ``say``; raises MachineError."""
        order = LabSpec(disks_from_text(spec.disks), Generation(spec.generation), pace=spec.pace)
        return start(order, say=say)

    def held(self, machine: Lab) -> Held:
        """Return the machine's writes that wait for space on this computer."""
        try:
            store = machine.store()
        except MachineError:
            return Held()  # the machine is ending, which is reported elsewhere
        return Held(store.held_writes, store.folder)
