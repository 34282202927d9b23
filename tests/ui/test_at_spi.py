"""The window for a screen reader, from outside, on a real accessibility bus: names, roles, and Tab's order."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.kit.at_spi import Node, Reader, State, session_bus
from tests.kit.screen import VirtualScreen

_ROOT = Path(__file__).parents[2]
# Every station, a page, a notice and a dialog; ``make pages`` covers every place.
SAMPLE = ("disks", "interrupted", "plan", "loss", "prove", "built", "repairing", "measured", "comparing", "settings")
_TABBED = ("disks", "plan", "prove", "build", "arrays", "measured", "settings")

# Controls; and focusable roles that aren't controls, since arrow keys work in them.
_CONTROLS = {
    *("push button", "toggle button", "button menu", "radio button", "check box", "combo box", "slider"),
    *("spin box", "text", "password text", "table", "list"),
}
_GONE_THROUGH = {"canvas", "chart", "paragraph", "dialog", "document frame", "label"}  # labels to copy from
_SAYS_NOTHING = {"filler", "panel", "layered pane", "scroll bar", "separator", "label", "frame", "unknown"}


class Walk(NamedTuple):
    """The window of another process, and its reader."""

    screen: VirtualScreen
    window: subprocess.Popen[str]
    reader: Reader

    async def go(self, place: str) -> list[Node]:
        """Return the nodes shown at ``place``."""
        assert self.window.stdin is not None
        assert self.window.stdout is not None
        self.window.stdin.write(f"{place}\n")
        self.window.stdin.flush()
        said = await asyncio.to_thread(self.window.stdout.readline)
        assert said.strip() == place
        owner, root = await self.reader.program("raidwright")
        return [node async for node in self.reader.nodes(owner, root) if node.is_shown]

    async def tab(self) -> str:
        """Return the next focused node after Tab."""
        await asyncio.to_thread(self.screen.run, "xdotool", "key", "Tab")
        return await asyncio.wait_for(self.reader.focused.get(), 60)


@contextmanager
def _window(screen: VirtualScreen, bus: str) -> Iterator[subprocess.Popen[str]]:
    environment = screen.environment | {
        "DBUS_SESSION_BUS_ADDRESS": bus,
        "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
        "PYTHONPATH": os.pathsep.join(map(str, (_ROOT, *sys.path))),
    }
    argv = [sys.executable, "-m", "tests.pages.spoken"]
    with subprocess.Popen(
        argv, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as window:
        try:
            yield window
        finally:
            assert window.stdin is not None
            window.stdin.close()
            window.wait(timeout=120)


@asynccontextmanager
async def _walk() -> AsyncIterator[Walk]:
    with VirtualScreen() as screen, session_bus(screen.display) as bus, _window(screen, bus) as window:
        async with Reader.on(bus) as reader:
            yield Walk(screen, window, reader)


def _walking(check: Callable[[Walk], Awaitable[None]]) -> None:
    async def walk() -> None:
        async with _walk() as there:
            await check(there)

    asyncio.run(walk())


def check_names_and_roles(places: Iterable[str]) -> None:
    """Assert that each control at ``places`` has a name and can be focused, and all focusable nodes have a role."""

    async def check(walk: Walk) -> None:
        for place in places:
            nodes = await walk.go(place)
            assert len([one for one in nodes if one.role in _CONTROLS]) > 3, place
            for one in nodes:
                focusable = State.FOCUSABLE in one.states
                assert one.name or one.role in _SAYS_NOTHING, (place, one)
                assert focusable or one.role not in _CONTROLS, (place, one)
                assert not focusable or one.role in _CONTROLS | _GONE_THROUGH, (place, one)

    _walking(check)


def test_every_control_has_a_name_a_role_and_the_focus() -> None:
    check_names_and_roles(SAMPLE)


def _unreached(nodes: list[Node], reached: list[str]) -> list[Node]:
    """Return usable nodes that Tab doesn't reach; it reaches one of radio buttons side by side."""
    beside = {one.parent for one in nodes if one.path in reached}
    return [
        one
        for one in nodes
        if one.role in _CONTROLS and one.is_open and one.path not in reached
        if one.role != "radio button" or one.parent not in beside
    ]


def _in_dialog(nodes: list[Node]) -> list[Node]:
    """Return the nodes in the open dialog, if there is one."""
    inside = {one.path for one in nodes if one.role == "dialog"}
    for one in nodes:  # each after its parent
        if one.parent in inside:
            inside.add(one.path)
    return [one for one in nodes if one.path in inside]


def test_tab_comes_to_each() -> None:
    async def check(walk: Walk) -> None:
        for place in _TABBED:
            nodes = await walk.go(place)
            await asyncio.sleep(0.3)  # for the place's initial focus
            while not walk.reader.focused.empty():
                walk.reader.focused.get_nowait()
            reached: list[str] = []
            while not reached or (came := await walk.tab()) != reached[0]:
                reached.append(came if reached else await walk.tab())
                assert len(reached) < 150, place
            assert len(reached) > 3, place
            assert not _unreached(_in_dialog(nodes) or nodes, reached), place

    _walking(check)
