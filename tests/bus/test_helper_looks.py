"""Looks at arrays: shared, one after the other, and waited out by what must have an array alone."""

from __future__ import annotations

import asyncio

import pytest
from raidwright_helper.jobs import looks as module
from raidwright_helper.jobs.looks import Looks


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAUSE_SECONDS", 0.05)


class Eye:
    """A look that counts, says how many were under way at once, and ends when ``lasts`` is set."""

    def __init__(self) -> None:
        self.times = self.under_way = self.most = 0
        self.begun, self.lasts = asyncio.Event(), asyncio.Event()

    async def look(self) -> int:
        """Look for a moment."""
        self.times += 1
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        self.begun.set()
        await self.lasts.wait()
        self.under_way -= 1
        return self.times


def test_a_flood_is_one_look_and_whoever_comes_later_gets_a_newer_answer() -> None:
    async def test() -> None:
        looks, eye = Looks(), Eye()
        flood = [asyncio.create_task(looks.shared((9, 10), eye.look, wakes=False)) for _ in range(100)]
        await eye.begun.wait()  # it may have seen what is old by now
        late = [asyncio.create_task(looks.shared((9, 10), eye.look, wakes=False)) for _ in range(100)]
        await asyncio.sleep(0)
        eye.lasts.set()
        assert set(await asyncio.gather(*flood)) == {1}
        assert set(await asyncio.gather(*late)) == {2}
        assert (eye.times, eye.most) == (2, 1)

    asyncio.run(test())


def test_what_needs_the_array_alone_waits_for_the_look_and_keeps_others_out() -> None:
    async def test() -> None:
        looks, eye = Looks(), Eye()
        look = asyncio.create_task(looks.shared((253, 9, 10), eye.look, wakes=False))
        await eye.begun.wait()
        assert eye.under_way == 1
        asyncio.get_running_loop().call_soon(eye.lasts.set)
        async with looks.kept_out({9}):  # one of the arrays of the volume that is looked at
            assert eye.under_way == 0
            later = asyncio.create_task(looks.shared((9,), eye.look, wakes=True))
            await asyncio.sleep(0.1)
            assert eye.times == 1
            assert await looks.shared((11,), eye.look, wakes=False) == 2  # other arrays are nobody's business
        assert await later == 3
        assert await look == 1

    asyncio.run(test())


def test_an_error_is_everybodys_and_a_caller_who_leaves_ends_nothing() -> None:
    async def test() -> None:
        looks, eye = Looks(), Eye()

        async def fails() -> int:
            raise OSError

        asked = [asyncio.create_task(looks.shared((9,), fails, wakes=False)) for _ in range(2)]
        for one in asked:
            with pytest.raises(OSError):  # noqa: PT011  (any)
                await one
        leaves = asyncio.create_task(looks.shared((9,), eye.look, wakes=False))
        stays = asyncio.create_task(looks.shared((9,), eye.look, wakes=False))
        await asyncio.sleep(0)
        leaves.cancel()
        eye.lasts.set()
        assert await stays == 1

    asyncio.run(test())
