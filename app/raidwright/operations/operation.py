"""What every operation is: a frozen value that says what is wanted, and can be performed on a machine.

Neither Qt nor the bus is imported here, since the window makes these values before it stands.
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
    """Something that can be done with a machine; it ends with a ``Result``."""

    __slots__ = ()

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> Result:
        """Do it; ``on_update`` gets what the helper's job tells meanwhile.

        Raises Denied, Unreachable, InputError (it makes no sense), DiskRefused (something is in the way, or would be
        lost) and JobFailed.
        """
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Request(Operation[Result]):
    """What one verb of the helper does, whose name it bears."""

    verb: ClassVar[Verb[Any]]

    def arguments(self) -> tuple[object, ...]:
        """The verb's arguments as plain values: the fields in their order, where a request doesn't say otherwise."""
        values = (getattr(self, one.name) for one in fields(self))
        return tuple(plain for value in values for plain in (value if isinstance(value, Named) else (_plain(value),)))

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> Result:
        """Have the helper do it, as ``Operation.perform`` says."""
        result: Result = await machine.helper.do(self.verb, *self.arguments(), on_update=on_update)
        return result


def _plain(value: object) -> object:
    match value:
        case Member():
            return dump_member(value)
        case tuple():
            return [_plain(one) for one in value]
    return value
