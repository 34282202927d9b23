"""Values that an attacker would send: of every type, too long, too deep, and with names that bite."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from dbus_fast import Variant
from dbus_fast.signature import SignatureType, get_signature_tree

HOSTILE_TEXTS: tuple[str, ...] = (
    "",
    "-",
    "--assume-clean",
    "/dev/sda",
    "../../../dev/sda",
    "wwn-0x1:/dev/sda",
    "$(reboot)",
    "; reboot",
    "`id`",
    "a\nb",
    "a\x1b[2J\x07",
    "tänk",
    "\u202eknat",
    "\U0001f4bd",
    "%s%n%p",
    "missing",
    "raid1",
    "md:0a1b2c3d:0a1b2c3d:0a1b2c3d:0a1b2c3d",
    "md:../../etc",
    "exec_prerun=/bin/sh",
    "x" * 129,
    "x" * 1_000,
)
NUMBERS: tuple[int, ...] = (0, 1, -1, 4, 3, 2**31, 2**32, 2**63 - 1, -(2**63), 600, 601)
_TYPES = ("s", "b", "x", "t", "d", "y", "q", "o", "g", "as", "av", "ay", "a{sv}", "a{qv}", "(si)", "a(ss)", "v", "aas")
_MAX_ITEMS = 200  # the lab's line takes about a megabyte a second
_LONGEST_TEXT = 40_000
_DEEPEST = 40  # variants in variants; the bus takes about 60 in all


class Values:
    """A stream of values, the same for the same ``random``."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def text(self) -> str:
        """A hostile text, or a random one."""
        if self._random.random() < 0.002:
            return "x" * _LONGEST_TEXT
        if self._random.random() < 0.7:
            return self._random.choice(HOSTILE_TEXTS)
        return "".join(
            chr(self._random.choice((45, 58, 65, 97, 233, 9731))) for _ in range(self._random.randint(1, 40))
        )

    def variant(self, depth: int = 0) -> Variant:
        """Any value in a variant; now and then a tower of them."""
        if depth == 0 and self._random.random() < 0.03:
            tower = Variant("s", "x")
            for _ in range(self._random.randint(5, _DEEPEST)):
                tower = Variant("v", tower)
            return tower
        kind = self._random.choice(_TYPES if depth < 3 else _TYPES[:9])
        return Variant(kind, self.of(kind, depth + 1)[0])

    def of(self, signature: str, depth: int = 0) -> list[Any]:
        """A body of ``signature``."""
        return [self._of(kind, depth) for kind in get_signature_tree(signature).types]

    def _of(self, kind: SignatureType, depth: int) -> Any:  # noqa: PLR0911  (one line a type)
        random = self._random
        match kind.token:
            case "s":
                return self.text()
            case "b":
                return random.random() < 0.5
            case "o":
                return "/" + "/".join(random.choices(("org", "raidwright", "jobs", "x" * 30), k=random.randint(1, 5)))
            case "g":
                return random.choice(("", "s", "a{sv}", "(ii)"))
            case "d":
                return random.choice((0.0, -1.0, float("nan"), float("inf"), 1e308))
            case "v":
                return self.variant(depth)
            case "a":
                return self._array(kind.children[0], depth)
            case "(":
                return [self._of(child, depth) for child in kind.children]
        return self._number(kind.token)

    def _array(self, of: SignatureType, depth: int) -> Any:
        length = self._random.choice((0, 1, 2, 3))
        if of.signature == "y":
            return bytes(self._random.randbytes(length * 10))
        if of.signature.startswith("{"):
            key, value = of.children
            return {self._of(key, depth): self._of(value, depth) for _ in range(min(length, 50))}
        if not depth and self._random.random() < 0.01:
            return [self._of(of, 1)] * _MAX_ITEMS
        return [self._of(of, depth) for _ in range(length)]

    def _number(self, kind: str) -> int:
        bits = {"y": 8, "q": 16, "n": 16, "u": 32, "i": 32, "x": 64, "t": 64}[kind]
        number = self._random.choice(NUMBERS) % (1 << bits)
        return number - (1 << bits) if kind in "nix" and number >= 1 << (bits - 1) else number


def wire(value: object) -> Variant:
    """A plain value in a variant, as a decent client sends it."""
    match value:
        case Variant():
            return value
        case bool():
            return Variant("b", value)
        case int():
            return Variant("x", value)
        case dict():
            return Variant("a{sv}", {key: wire(item) for key, item in value.items() if item is not None})
        case Sequence() if not isinstance(value, str):
            return Variant("av", [wire(item) for item in value])
    return Variant("s", str(value))
