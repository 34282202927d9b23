"""A window that builds an array, as a process of its own that can be killed; prints the outcome."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raidwright.core.errors import RaidwrightError
from raidwright.core.model.plan import Plan
from raidwright.core.model.plan_json import dump_plan, read_plan
from raidwright.machine.machine import Machine
from raidwright.operations.builds import CreateArray

from tests.kit.asking import ask

_PATIENCE_SECONDS = 300.0  # on a busy computer, too


@dataclass(frozen=True, slots=True)
class Told:
    """The helper's answer to the window: an error's code and sentence, both "" when the array was built."""

    code: str = ""
    sentence: str = ""


class Window:
    """A window that has just asked for ``plan``, with the signatures of ``wipe`` confirmed, at the bus ``address``."""

    def __init__(self, address: str, plan: Plan, wipe: Mapping[str, Sequence[str]]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.window"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdin
        json.dump({"address": address, "plan": dump_plan(plan), "wipe": wipe}, self._process.stdin)
        self._process.stdin.close()
        self._process.stdin = None
        self._told: Told | None = None

    def kill(self) -> None:
        """End it as a crash would; harmless when it has ended."""
        if self._told is None:
            self._process.kill()
            self._process.communicate()
            self._told = Told()

    def told(self) -> Told:
        """Wait for its end; return the helper's answer, an empty one when the window was killed."""
        if self._told is None:
            output, _ = self._process.communicate(timeout=_PATIENCE_SECONDS)
            self._told = Told(**json.loads(output))
        return self._told


async def _build(address: str, plan: dict[str, Any], wipe: dict[str, list[str]]) -> Told:
    try:
        async with Machine.connect(address) as machine:
            wanted = read_plan(plan)
            await ask(
                machine.helper,
                CreateArray(wanted, wanted.name, wipe={disk: tuple(names) for disk, names in wipe.items()}),
            )
    except RaidwrightError as error:
        return Told(error.code, error.sentence)
    return Told()


if __name__ == "__main__":
    told = asyncio.run(_build(**json.load(sys.stdin)))
    json.dump({"code": told.code, "sentence": told.sentence}, sys.stdout)
