"""How likely a loss is, in sentences that both the window and the command line say."""

from __future__ import annotations

import re

from raidwright.analysis.reliability.assumptions import Driver
from raidwright.analysis.reliability.drivers import Bought, Change
from raidwright.analysis.reliability.loss import CONFIDENCE, Cause, Chance, Loss
from raidwright.core.sizes import decimal_size

_PRACTICALLY_NEVER = 1e-15
_IN_100 = " in 100"
_HARDLY = 1.05  # a factor that isn't worth a figure


def chance_in_words(probability: float) -> str:
    """``1 in 5,900``, ``34 in 100``, ``practically never``: two digits, since no more are known.

    Every chance that a person reads is said so, whether it stands alone, in a range or in a table.
    """
    if probability >= 0.995:
        return "over 99 in 100"
    if probability >= 0.0995:
        return f"{probability * 100:.0f}{_IN_100}"
    if probability < _PRACTICALLY_NEVER:
        return "never" if probability == 0 else "practically never"
    return one_in(probability)


def chance_in_brief(probability: float) -> str:
    """The same where there is little room: ``1 in 8.5 M``."""
    return chance_in_words(probability).replace(" million", " M").replace(" billion", " bn")


def one_in(probability: float) -> str:
    """``1 in 410``, for those that are above zero."""
    return f"1 in {_two_digits(1 / probability)}"


def _two_digits(number: float) -> str:
    rounded = float(f"{number:.2g}")
    for size, name in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if rounded >= size:
            return f"{rounded / size:,.10g} {name}"
    return f"{rounded:,.0f}"


def range_in_words(low: float, high: float) -> str:
    """``1 in 1,600 to 1 in 13``, ``12 to 34 in 100``, or one of the two when they read the same."""
    ends = chance_in_words(low), chance_in_words(high)
    if ends[0] == ends[1]:
        return ends[0]
    if ends[0].endswith(_IN_100) and ends[1].endswith(_IN_100):
        return f"{ends[0].removesuffix(_IN_100)} to {ends[1]}"
    return " to ".join(ends)


def chance_with_range(chance: Chance) -> str:
    """``1 in 140 (1 in 1,600 to 1 in 13)``: the likely one, and where it lies nine times in ten."""
    likely, ends = chance_in_words(chance.probability), range_in_words(chance.low, chance.high)
    return likely if likely == ends else f"{likely} ({ends})"


def range_meaning() -> str:
    """What the range in brackets is."""
    return (
        f"In brackets: where {CONFIDENCE * 100:.0f} of 100 outcomes lie when all assumptions vary at once, each as it "
        "is distributed."
    )


def unbroken(text: str) -> str:
    """``text`` with its odds in one piece, for where lines wrap."""
    return re.sub(r"(?<=\d) in (?=\d)", "\N{NO-BREAK SPACE}in\N{NO-BREAK SPACE}", text)


def duration(hours: float) -> str:
    """``14 hours``, ``3 days``."""
    if hours < 1:
        return "less than an hour"
    if hours < 48:
        return f"{hours:.0f} hours" if round(hours) != 1 else "1 hour"
    return f"{hours / 24:.0f} days" if hours < 1e5 else "years"


def years_words(years: float) -> str:
    """``5 years``, ``1 year``."""
    return "1 year" if years == 1 else f"{years:g} years"


_DRIVERS = {
    Driver.FAILURE_RATE: "how often disks fail",
    Driver.NOTICE: "how soon a failure is noticed",
    Driver.REPLACEMENT: "how soon a replacement is there",
    Driver.REBUILD: "how fast the rebuild is",
    Driver.BATCH: "whether disks of a batch fail together",
    Driver.LATENT: "how many sectors have become unreadable",
    Driver.CHECKS: "how often the array is checked",
}


def driver_name(driver: Driver) -> str:
    """What an assumption is about."""
    return _DRIVERS[driver]


def loss_sentences(loss: Loss) -> tuple[str, ...]:
    """What to know of a loss: the array's, sectors', and what no array helps against."""
    array, sectors, years = loss.array, loss.sectors, years_words(loss.years)
    said = [f"Over {years} the chance of losing the whole array is {chance_with_range(array)}; {cause_words(loss)}."]
    if sectors.probability > array.probability:
        why = f"; what matters most is {_DRIVERS[sectors.main_driver]}" if sectors.main_driver else ""
        said.append(
            f"Over {years} the chance of losing at least one sector, enough to spoil a file, is "
            f"{chance_with_range(sectors)}{why}."
        )
    said.append(
        "No array is a backup: fire, theft, a power surge or a wrong command takes all disks at once. "
        "Keep a copy elsewhere."
    )
    return tuple(said)


def cause_words(loss: Loss) -> str:
    """How the array is lost, mostly, as the end of a sentence."""
    rebuild = duration(loss.rebuild_hours)
    match loss.cause:
        case Cause.ANY_DISK:
            return "any disk that fails takes it"
        case Cause.WHILE_WAITING:
            return (
                f"mostly by more disks failing during the {duration(loss.waiting_hours)} until a replacement is there"
            )
        case Cause.WHILE_REBUILDING:
            return f"mostly by more disks failing during the {rebuild} of rebuild"
        case Cause.SPARES_USED_UP:
            return "mostly by more disks failing while the spares are used up and replacements aren’t there"
        case Cause.NOTHING:
            return "with these assumptions nothing can take it"


_CHANGES = {
    Change.EXTRA_DISK: "One more disk of redundancy",
    Change.SPARE: "A spare",
    Change.RAID1: "raid1 instead",
    Change.RAID5: "raid5 instead",
    Change.RAID6: "raid6 instead",
    Change.THREE_COPIES: "A third copy of everything",
    Change.ON_THE_SHELF: "A replacement on the shelf",
    Change.MONTHLY_CHECK: "A check every month, against none,",
}


def bought_sentence(bought: Bought) -> str:
    """“A spare makes losing the array 9.4 times less likely.” What helps sectors alone speaks of them.

    Where the space changes with it both are named.
    """
    what, before, after = "the array", bought.array_before, bought.array
    if bought.change is Change.MONTHLY_CHECK:
        what, before, after = "a sector", bought.sectors_before, bought.sectors
    change, space, space_before = _CHANGES[bought.change], decimal_size(bought.bytes), decimal_size(bought.bytes_before)
    if space != space_before:
        change += f" ({space}, not {space_before})"
    if after < _PRACTICALLY_NEVER:
        return f"{change} makes losing {what} practically impossible."
    if after < before / _HARDLY:
        times = before / after
        said = _two_digits(times) if times >= 10 else f"{times:.2g}"
        return f"{change} makes losing {what} {said} times less likely."
    if after > before * _HARDLY:
        return f"{change} makes losing {what} more likely: {chance_in_words(after)}, not {chance_in_words(before)}."
    return f"{change} hardly changes the chance of losing {what}."
