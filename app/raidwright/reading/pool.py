"""Pools as text: ``4x8TB+2x4TB``, with a disk's kind or contents after colons (``4x1TB:ssd``, ``1x2TB:ext4``).

A comma does as well as a plus. ``4x4TB:usb`` are disks in enclosures of their own, ``2x4TB@usb3`` two behind one link.
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass, replace

from raidwright.core.errors import InputError
from raidwright.core.model.plan import Baseline, Member
from raidwright.core.units import decimal_text, marketing_bytes, parse_size

_GROUP = re.compile(r"(?:(\d{1,3})\s*[x×*]\s*)?([\d.,]+\s*[A-Za-z]+)((?::[a-z0-9-]+)*(?:@[a-z0-9-]+)?)")
_DECIMAL_COMMA = re.compile(r"(?:^|(?<=[+,x×*\s]))\d+,\d+\s*[A-Za-z]+(?=[:@+,\s]|$)")
MAX_DISKS = 256
_USB = "usb"
_KINDS = {  # kinds of planned disks
    "hdd": Baseline(kind="hdd"),
    "hdd7200": Baseline(kind="hdd", rpm=7200),
    "hdd5400": Baseline(kind="hdd", rpm=5400),
    "smr": Baseline(kind="smr"),
    "ssd": Baseline(kind="ssd"),
    "nvme": Baseline(kind="nvme"),
    "ssd-plp": Baseline(kind="ssd", power_loss_protection=True),
    "nvme-plp": Baseline(kind="nvme", power_loss_protection=True),
}


@dataclass(frozen=True, slots=True)
class PoolGroup:
    """``count`` equal disks of ``size_bytes`` (an actual disk's bytes), with the further text (``:ext4@usb3``)."""

    count: int
    size_bytes: int
    said: str = ""


def parse_pool(text: str) -> tuple[PoolGroup, ...]:
    """Return the groups in ``text``, in order; raises InputError with an example if it can't be parsed."""
    pointed = _DECIMAL_COMMA.sub(lambda match: _pointed(match[0]), text)
    groups = tuple(_parse_group(part) for part in re.split("[+,]", pointed))
    if sum(group.count for group in groups) > MAX_DISKS:
        raise InputError("“{text}” is more than {most} disks.", code="pool", text=text, most=MAX_DISKS)
    return groups


def _pointed(size: str) -> str:
    """Return “1,8TB” as “1.8TB”; a size that could be meant otherwise unchanged."""
    number = size.rstrip(" ").rstrip(string.ascii_letters).rstrip()
    return (decimal_text(number) or number) + size[len(number) :]


def _parse_group(text: str) -> PoolGroup:
    match = _GROUP.fullmatch(re.sub(r"\s*([:@])\s*", r"\1", text.strip().lower()))
    if not match or match[1] == "0":
        raise InputError(
            "“{group}” is not a group of disks; write it like 4x8TB or 4x8TB+2x4TB.",
            code="pool",
            text=text,
            group=text.strip(),
        )
    return PoolGroup(int(match[1] or 1), marketing_bytes(parse_size(match[2])), match[3])


def imagined_members(groups: tuple[PoolGroup, ...]) -> tuple[Member, ...]:
    """Return one member per disk, in order, with ids ``disk-1``, ``disk-2`` … for planning before buying.

    A group may give its kind (``:ssd``), that each is on USB (``:usb``), and the link that its disks share (``@usb3``).
    Raises InputError for any other word.
    """
    each = enumerate((group for group in groups for _ in range(group.count)), start=1)
    return tuple(Member(f"disk-{n}", group.size_bytes, baseline=_baseline(group, n)) for n, group in each)


def _baseline(group: PoolGroup, number: int) -> Baseline | None:
    kind, link = kind_said(group), link_said(group, number)
    baseline = _KINDS[kind] if kind else None
    return replace(baseline or Baseline(), link=link) if link else baseline


def kind_said(group: PoolGroup) -> str:
    """Return the kind of disk that the group names (``:ssd``), "" for none; raises InputError for any other word."""
    kind = ""
    for word in _words(group):
        if word == _USB:
            continue
        if word not in _KINDS:
            raise InputError(
                "“{word}” is no kind of disk; there are {kinds}.", code="pool", word=word, kinds=[*_KINDS, _USB]
            )
        if kind:
            raise InputError("“{said}” names more than one kind of disk.", code="pool", said=group.said)
        kind = word
    return kind


def is_on_usb(group: PoolGroup) -> bool:
    """Return whether the group's disks are on USB, each by itself."""
    return _USB in _words(group)


def link_said(group: PoolGroup, number: int) -> str:
    """Return the link that the group's disks share (``@usb3``), or disk ``number``'s own USB; "" for none."""
    shared = group.said.partition("@")[2]
    return shared or (f"usb3-{number}" if is_on_usb(group) else "")


def _words(group: PoolGroup) -> list[str]:
    return group.said.partition("@")[0].split(":")[1:]
