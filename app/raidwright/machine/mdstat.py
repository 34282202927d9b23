"""Waiting for md's own events on this computer: the kernel flags /proc/mdstat after each (``md.c``, ``mdstat_poll``).

Some of them, such as the removal of a failed member, make no uevent, so that neither udev nor UDisks2 hears of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import select
from collections.abc import Callable, Iterator
from pathlib import Path

_MDSTAT = Path("/proc/mdstat")


@contextlib.contextmanager
def following_md(on_event: Callable[[], object]) -> Iterator[None]:
    """Call ``on_event`` after each event of md's within the block, in the running loop; nothing without md."""
    loop = asyncio.get_running_loop()
    try:
        file = _MDSTAT.open("rb", buffering=0)
    except OSError:
        yield
        return
    with file, select.epoll() as events:
        file.read()
        events.register(file.fileno(), select.EPOLLPRI)

        def seen() -> None:
            if events.poll(0):
                file.seek(0)
                while file.read(2**16):
                    pass
                on_event()

        loop.add_reader(events.fileno(), seen)
        try:
            yield
        finally:
            loop.remove_reader(events.fileno())
