"""The helper's refusals appear in the caller's language, which only the caller knows."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from dbus_fast.signature import Variant
from dbus_fast.unpack import unpack_variants
from raidwright.core.protocol.errors import read_error
from raidwright.text.catalogue import translated

from tests.kit import pseudo

from .helper_house import PATIENCE_S, House, a_plan, variants

_UUID = "01234567:89abcdef:01234567:89abcdef"
_NAMES = re.compile(r"“[^”]*”|wwn-\w+")
_OPTIONS = variants({"confirmed_name": "tank"})


@pytest.mark.parametrize(
    ("member", "signature", "arguments"),
    [
        ("CreateArray", "a{sv}a{sv}", (a_plan(command="rm"), _OPTIONS)),
        ("CreateArray", "a{sv}a{sv}", (a_plan(name="../etc"), _OPTIONS)),
        ("CreateArray", "a{sv}a{sv}", (a_plan(level="raid7"), _OPTIONS)),
        ("CreateArray", "a{sv}a{sv}", (a_plan(chunk_kib=-4), _OPTIONS)),
        ("CreateArray", "a{sv}a{sv}", (a_plan(), variants({"confirmed_name": "{who}"}))),
        ("CreateArray", "a{sv}a{sv}", (a_plan(), _OPTIONS)),
        ("CreateArray", "a{sv}a{sv}", ({"level": Variant("u", 1)}, _OPTIONS)),
        ("RunWorkload", "ssa{sv}", (f"md:{_UUID}", "{0}", {})),
        ("RunWorkload", "ssa{sv}", ("wwn-0x1", "sequential_read", variants({"seconds": 601}))),
        ("RunWorkload", "ssa{sv}", ("wwn-0x1", "sequential_read", {})),
        ("StopArray", "ss", (_UUID, "tank")),
        ("Undo", "s", ("00" * 16,)),
        ("Undo", "s", ("none",)),
    ],
)
def test_a_refusal_is_said_in_another_language(
    house: House, member: str, signature: str, arguments: Sequence[object], tmp_path: Path
) -> None:
    async def test() -> None:
        async with house.open() as client:
            reply = await client.call(member, signature, *arguments)
        error = read_error(str(reply.error_name), unpack_variants(reply.body))
        assert error is not None
        assert translated(error.sentence) == error.sentence == reply.body[0]
        with pseudo.spoken(tmp_path / "languages"):
            said = translated(error.sentence)
        assert said.startswith("⟦"), said
        assert pseudo.english_in(said, _NAMES) == [], said

    asyncio.run(asyncio.wait_for(test(), 4 * PATIENCE_S))
