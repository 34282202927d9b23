"""Loss probabilities, in sentences shared by the window and the command line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidwright.analysis.reliability.assumptions import AssumedRange, Driver
from raidwright.analysis.reliability.drivers import Bought, WhatIf
from raidwright.analysis.reliability.loss import CONFIDENCE, Cause, Chance, Loss
from raidwright.analysis.reliability.negligible import NEGLIGIBLE
from raidwright.core.messages import say
from raidwright.text.catalogue import decimal_size, ntr, tr, translated
from raidwright.text.large_numbers import BRIEFLY, IN_FULL, times_words, two_digits

_OVER_99 = 0.995
_PER_CENT = 0.0995  # above this a probability is given in 100
_HARDLY = 1.05  # a factor too small to mention


def chance_in_words(probability: float) -> str:
    """Return ``1 in 5,900``, ``34 in 100``, ``under 1 in 10 million``: two digits, since no more are known.

    Every probability for people has this form, alone, in a range or in a table.
    """
    if probability >= _OVER_99:
        return tr("over 99 in 100")
    if probability >= _PER_CENT:
        return tr("{number:.0f} in 100", number=probability * 100)
    if probability < NEGLIGIBLE:
        return _negligible(probability, IN_FULL)
    return one_in(probability)


def chance_in_brief(probability: float) -> str:
    """Return the same in brief: ``1 in 8.5 M``."""
    if probability < NEGLIGIBLE:
        return _negligible(probability, BRIEFLY)
    if probability < _PER_CENT:
        return tr("1 in {number}", number=two_digits(1 / probability, BRIEFLY))
    return chance_in_words(probability)


def _negligible(probability: float, names: Sequence[str]) -> str:
    return tr("under 1 in {number}", number=two_digits(1 / NEGLIGIBLE, names)) if probability else tr("never")


def odds_tick(exponent: int) -> str:
    """Return the odds of a probability of 10 to the minus ``exponent`` in brief: ``1 in 10,000``, ``1 in 1 M``."""
    return tr("1 in {number}", number=two_digits(float(10**exponent), BRIEFLY))


def one_in(probability: float) -> str:
    """Return ``1 in 410``, for a positive probability."""
    return tr("1 in {number}", number=two_digits(1 / probability))


def range_in_words(low: float, high: float) -> str:
    """Return ``1 in 1,600 to 1 in 13``, ``12 to 34 in 100``, or one of the two if they read the same."""
    ends = chance_in_words(low), chance_in_words(high)
    if ends[0] == ends[1]:
        return ends[0]
    if low >= _PER_CENT and high >= _OVER_99:
        return tr("{low:.0f} to over 99 in 100", low=low * 100)
    if low >= _PER_CENT:
        return tr("{low:.0f} to {high:.0f} in 100", low=low * 100, high=high * 100)
    return tr("{low} to {high}", low=ends[0], high=ends[1])


def chance_with_range(chance: Chance) -> str:
    """Return ``1 in 140 (1 in 1,600 to 1 in 13)``: the median, and its 90% range."""
    middle, ends = chance_in_words(chance.probability), range_in_words(chance.low, chance.high)
    return middle if middle == ends else tr("{likely} ({range})", likely=middle, range=ends)


def range_meaning() -> str:
    """Return the meaning of the range in brackets."""
    return tr(
        "The chance is the median of all outcomes when every assumption varies at once: half of them are better, half "
        "are worse. In brackets: where {confidence:.0f} of 100 outcomes lie.",
        confidence=CONFIDENCE * 100,
    )


def unbroken(text: str) -> str:
    """Return ``text`` with its odds kept on one line."""
    return re.sub(r"(?<=\d) in (?=\d)", "\N{NO-BREAK SPACE}in\N{NO-BREAK SPACE}", text)


def duration(hours: float) -> str:
    """Return ``25 minutes``, ``14 hours``, ``3 days``."""
    if (minutes := max(1, round(hours * 60))) < 60:
        return ntr("1 minute", "{count} minutes", minutes)
    if hours < 48:
        return ntr("1 hour", "{count} hours", round(hours))
    return ntr("1 day", "{count} days", round(hours / 24)) if hours < 1e5 else tr("over ten years")


def years_words(years: float) -> str:
    """Return ``5 years``, ``1 year``."""
    if years != round(years):
        return tr("{years:g} years", years=years)
    return ntr("1 year", "{count} years", round(years))


_DRIVERS = {
    Driver.FAILURE_RATE: say("how often disks fail"),
    Driver.NOTICE: say("how soon a failure is noticed"),
    Driver.REPLACEMENT: say("how soon a replacement is there"),
    Driver.REBUILD: say("how fast the rebuild is"),
    Driver.BATCH: say("whether disks of a batch fail together"),
    Driver.LATENT: say("how many sectors have become unreadable"),
    Driver.CHECKS: say("how often the array is checked"),
}


def driver_name(driver: Driver) -> str:
    """Return an assumption's name."""
    return translated(_DRIVERS[driver])


def loss_sentences(loss: Loss) -> tuple[str, ...]:
    """Return the sentences on a loss: the array's, sectors', and risks that no array covers."""
    array, sectors, years = loss.array, loss.sectors, years_words(loss.years)
    said = [
        tr(
            "Over {years} the chance of losing the whole array is {chance}; {cause}.",
            years=years,
            chance=chance_with_range(array),
            cause=cause_words(loss),
        )
    ]
    if sectors.probability > array.probability:
        chance = chance_with_range(sectors)
        if sectors.main_driver:
            sentence = tr(
                "Over {years} the chance of losing at least one sector, enough to spoil a file, is {chance}; what "
                "matters most is {driver}.",
                years=years,
                chance=chance,
                driver=driver_name(sectors.main_driver),
            )
        else:
            sentence = tr(
                "Over {years} the chance of losing at least one sector, enough to spoil a file, is {chance}.",
                years=years,
                chance=chance,
            )
        said.append(sentence)
    said.append(
        tr(
            "No array is a backup: fire, theft, a power surge or a wrong command takes all disks at once. "
            "Keep a copy elsewhere."
        )
    )
    return tuple(said)


def cause_words(loss: Loss) -> str:
    """Return the main cause of an array's loss, as the end of a sentence."""
    rebuild = duration(loss.rebuild_hours)
    match loss.cause:
        case Cause.ANY_DISK:
            return tr("any disk that fails takes it")
        case Cause.WHILE_WAITING:
            return tr(
                "mostly by more disks failing during the {duration} until a replacement is there",
                duration=duration(loss.waiting_hours),
            )
        case Cause.WHILE_REBUILDING:
            return tr("mostly by more disks failing during the {duration} of rebuild", duration=rebuild)
        case Cause.SPARES_USED_UP:
            return tr("mostly by more disks failing while the spares are used up and replacements aren’t there")
        case Cause.NOTHING:
            return tr("with these assumptions nothing can take it")


_CHANGES = {
    WhatIf.EXTRA_DISK: say("One more disk of redundancy"),
    WhatIf.SPARE: say("A spare"),
    WhatIf.RAID1: say("raid1 instead"),
    WhatIf.RAID5: say("raid5 instead"),
    WhatIf.RAID6: say("raid6 instead"),
    WhatIf.THREE_COPIES: say("A third copy of everything"),
    WhatIf.ON_THE_SHELF: say("A replacement on the shelf"),
    WhatIf.MONTHLY_CHECK: say("A check every month, against none,"),
}


def bought_sentence(bought: Bought) -> str:
    """Return “A spare makes losing the array 9.4 times less likely.”, or of sectors for changes that affect only them.

    If the space changes too, both are named.
    """
    is_of_sectors = bought.change is WhatIf.MONTHLY_CHECK
    before, after = (bought.sectors_before, bought.sectors) if is_of_sectors else (bought.array_before, bought.array)
    said = {"change": _change_words(bought), "what": tr("a sector") if is_of_sectors else tr("the array")}
    if max(before, after) < NEGLIGIBLE:
        return tr("{change} makes no difference that counts: other dangers to {what} are far larger.", **said)
    if after < before / _HARDLY:
        factor = times_words(before / after)
        return tr("{change} makes losing {what} {factor} times less likely.", **said, factor=factor)
    if after > before * _HARDLY:
        now, then = chance_in_words(after), chance_in_words(before)
        return tr("{change} makes losing {what} more likely: {after}, not {before}.", **said, after=now, before=then)
    return tr("{change} hardly changes the chance of losing {what}.", **said)


def _change_words(bought: Bought) -> str:
    change, space, space_before = (
        translated(_CHANGES[bought.change]),
        decimal_size(bought.bytes),
        decimal_size(bought.bytes_before),
    )
    if space == space_before:
        return change
    return tr("{change} ({space}, not {space_before})", change=change, space=space, space_before=space_before)


def assumed_words(name: str, unit: str, assumed: AssumedRange) -> str:
    """Return an assumption: its likely value, its range if it has one, and its source."""
    said = {"name": name, "likely": assumed.likely, "unit": unit, "source": assumed.source}
    if assumed.safer == assumed.worse:
        return tr("{name}: {likely:g} {unit}; {source}", **said)
    ends = {"safer": assumed.safer, "worse": assumed.worse, "distribution": assumed.distribution}
    return tr("{name}: {likely:g} {unit}, from {safer:g} to {worse:g} ({distribution}); {source}", **said, **ends)
