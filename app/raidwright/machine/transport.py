"""Transport to a machine's system bus: a local socket, or ssh."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from raidwright.core.errors import Unreachable

from .bus import Bus
from .prompts import Person
from .ssh.agent import agent
from .ssh.host import SCHEME, parse_host
from .ssh.tunnel import Tunnel, tunnel


@contextlib.asynccontextmanager
async def way_to(address: str, person: Person) -> AsyncIterator[Bus]:
    """Open the bus at ``address`` (D-Bus's, or ``ssh://host``, whose polkit then puts its questions to ``person``).

    Raises Unreachable, and Denied if ssh can't log in.
    """
    async with contextlib.AsyncExitStack() as stack:
        if is_far(address):
            through = await stack.enter_async_context(tunnel(parse_host(address), person))
            bus = await _bus_through(through)
            stack.push_async_callback(bus.close)
            await stack.enter_async_context(agent(bus, through, person))
        else:
            bus = await Bus.connect(address)
            stack.push_async_callback(bus.close)
        yield bus


def is_far(address: str) -> bool:
    """Return True for a machine reached over ssh, where no desktop's agent answers polkit."""
    return address.startswith(SCHEME)


async def _bus_through(through: Tunnel) -> Bus:
    try:
        return await Bus.connect(through.bus_address)
    except Unreachable as error:
        raise through.no_bus() from error
