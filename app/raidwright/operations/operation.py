"""Base classes of operations: frozen values that describe a task, and can be performed on a machine.

Neither Qt nor the bus is imported here, since the window makes these values while it starts.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from raidwright.core.model.plan import Member
from raidwright.core.model.plan_json import dump_member
from raidwright.core.protocol.verb import Verb
from raidwright.machine.helper.job_progress import OnUpdate, ignore
from raidwright.machine.values import Named

if TYPE_CHECKING:
    from raidwright.machine.machine import Machine

Result = TypeVar("Result")


class Operation(Generic[Result]):
    """A task for a machine; it ends with a ``Result``."""

    __slots__ = ()

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> Result:
        """Perform the task; ``on_update`` gets the progress and samples of the helper's job.

        Raises Denied, Unreachable, InputError (invalid), DiskRefused (something is in the way, or would be lost) and
        JobFailed.
        """
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Request(Operation[Result]):
    """A call of one verb of the helper; named after it."""

    verb: ClassVar[Verb[Any]]

    def arguments(self) -> tuple[object, ...]:
        """Return the verb's arguments as plain values: by default the fields in their order."""
        values = (getattr(self, one.name) for one in fields(self))
        return tuple(plain for value in values for plain in (value if isinstance(value, Named) else (_plain(value),)))

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> Result:
        """Call the helper, as ``Operation.perform``."""
        result: Result = await machine.helper.do(self.verb, *self.arguments(), on_update=on_update)
        return result


def _plain(value: object) -> object:
    match value:
        case Member():
            return dump_member(value)
        case tuple():
            return [_plain(one) for one in value]
    return value
