"""``raidwright array go-on``: md goes on with a reshape, a rebuild or a resync that waits."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import asdict

from raidwright.cli.options.array import confirmed_name, meant_array
from raidwright.cli.options.progress import say_progress
from raidwright.core.errors import InputError
from raidwright.core.md.running_state import Hold
from raidwright.core.protocol.results import Continued
from raidwright.machine.machine import Machine
from raidwright.machine.states.volume import State, Volume
from raidwright.operations.arrays import going_on
from raidwright.operations.changing import growth_left
from raidwright.text.array.changes import changed_text
from raidwright.text.array.holds import gone_on_words
from raidwright.text.array.states import state_line


async def go_on(options: argparse.Namespace, machine: Machine) -> tuple[Mapping[str, object], str]:
    """Let md go on, or finish a joined volume's growth that was cut off; return the JSON and the text.

    Without all members the array's name confirms it. Raises InputError if nothing waits.
    """
    array = meant_array(options.array, machine.snapshot)
    if isinstance(array, Volume) and array.is_growth_cut_off:
        name = confirmed_name(options.yes_name, array)
        changed = await growth_left(array).perform(machine, say_progress)
        return {"changed": asdict(changed)}, changed_text(name, changed)
    done = await continued(options, machine, array)
    return asdict(done), gone_on_words(array, done.missing)


async def continued(options: argparse.Namespace, machine: Machine, array: State) -> Continued:
    """Let md go on with what waits in ``array``; raises InputError if nothing does, or it is another computer's."""
    if not array.waits:
        raise InputError("Nothing of “{name}” waits for md to go on.", code="array-waits-not", name=array.name)
    if array.is_foreign and array.hold is not Hold.READ_ONLY:
        raise InputError(
            "“{name}” carries the name of the computer “{host}”. Going on writes to its disks: take it over first.",
            code="array-foreign",
            name=array.name,
            host=array.homehost,
        )
    is_short = array.degraded > 0
    if is_short or options.yes_name is not None:
        confirmed_name(options.yes_name, array, state_line(array).sentence)
    return await going_on(array, missing=is_short).perform(machine, say_progress)
