"""The assumptions' editors: name, meaning, the slider's stops, and the format of a value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from raidwright.analysis.reliability.ageing import AGED_WEAR
from raidwright.analysis.reliability.assumptions import AGED_WEAR_SOURCE, AssumedRange
from raidwright.analysis.reliability.loss import Loss
from raidwright.core.messages import Message, say
from raidwright.core.model.plan import Plan
from raidwright.text.catalogue import ntr, tr
from raidwright.text.plan.loss import duration

_E24 = (10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30, 33, 36, 39, 43, 47, 51, 56, 62, 68, 75, 82, 91)
_HOURS = (0.0, 1.0, 2.0, 4.0, 8.0, 12.0, 24.0, 36.0, 48.0, 72.0, 96.0, 120.0, 168.0, 240.0, 336.0, 504.0, 720.0)


@dataclass(frozen=True, slots=True)
class Scale:
    """An assumption: its name in ``assumed.ASSUMED``, title and meaning.

    ``stops`` are the slider's values, in the unit of the name; ``choices`` are named values. It has either or both.
    ``say`` formats a value.
    """

    name: str
    title: str
    meaning: str
    say: Callable[[float], str]
    stops: tuple[float, ...] = ()
    choices: tuple[tuple[float, str], ...] = ()

    def nearest(self, value: float) -> int:
        """Return the index of the stop nearest to ``value``."""
        return min(range(len(self.stops)), key=lambda place: abs(self.stops[place] - value))


def stated(loss: Loss, name: str) -> tuple[tuple[str, AssumedRange], ...]:
    """Return a loss's values of ``name``: one, or one per model or disk, each with its owner."""
    assumptions = loss.assumptions
    if name == "failure_rate":
        return (*_rates_of_models(loss), *_own([disk.afr for disk in loss.plan.disks()]))
    if name == "rebuild_mb_s":
        return (("", loss.rebuild.mb_s),)
    value = getattr(assumptions, name)
    if name == "replacement_hours":
        return ((_spares(loss.plan), value),)
    if isinstance(value, AssumedRange):
        return (("", value),)
    if name == "age_years":
        return _ages(loss)
    return (("", AssumedRange(value, value, value, _wear_source(loss))),)


def _spares(plan: Plan) -> str:
    arrays = tuple(plan.top.md_arrays())
    count = sum(len(array.spares) for array in arrays)
    if not count:
        return tr("no hot spare in this plan")
    return ntr("1 hot spare in this plan", "{count} hot spares in this plan", count)


def _rates_of_models(loss: Loss) -> tuple[tuple[str, AssumedRange], ...]:
    disks = (disk for disk in loss.plan.disks() if disk.afr is None)
    rates = {disk.model: loss.assumptions.rate_of(disk) for disk in disks}
    return tuple((model or tr("model unknown"), rate) for model, rate in rates.items())


def _own(own: Sequence[float | None]) -> tuple[tuple[str, AssumedRange], ...]:
    """Return the overrides of single disks as one range, from the smallest to the largest."""
    given = [value for value in own if value is not None]
    if not given:
        return ()
    source = say("given by you, disk by disk")
    return (("", AssumedRange(min(given), max(given), max(given), source)),)


def _ages(loss: Loss) -> tuple[tuple[str, AssumedRange], ...]:
    ages = [disk.age_years for disk in loss.plan.disks()]
    said, age = "age_years" in dict(loss.plan.assumptions), loss.assumptions.age_years
    source = say("given by you") if said else say("our assumption: new disks")
    of_all = (("", AssumedRange(age, age, age, source)),) if None in ages else ()
    return (*of_all, *_own(ages))


def _wear_source(loss: Loss) -> Message:
    if "wear" in dict(loss.plan.assumptions):
        return say("given by you")
    if loss.assumptions.wear == AGED_WEAR:
        return AGED_WEAR_SOURCE
    return say("our assumption, as long as no age is given: a published rate is the mean of disks of all ages")


def _between(least: float, most: float) -> tuple[float, ...]:
    """Return stops a tenth apart from ``least`` to ``most``, with two digits each."""
    every = (float(f"{mantissa}e{decade}") for decade in range(-4, 4) for mantissa in _E24)
    return tuple(value for value in every if least <= value <= most)


def _share(rate: float) -> str:
    return tr("{share:.2g}% a year", share=rate * 100)


def _time(hours: float) -> str:
    return duration(hours) if hours else tr("at once")


def _speed(mb_s: float) -> str:
    return tr("{mb_s:.0f} MB/s", mb_s=mb_s)


def _times(factor: float) -> str:
    return tr("{factor:g} times as often", factor=factor) if factor != 1 else tr("by chance alone")


def _bits(chance: float) -> str:
    return tr("1 in {bits:.0e} bits", bits=1 / chance).replace("e+", "0^") if chance else tr("none more")


def _days(days: float) -> str:
    return tr("every {days:.0f} days", days=days) if days < 3650 else tr("never")


def _age(years: float) -> str:
    return tr("{years:g} years", years=years) if years else tr("new")


def _wear(shape: float) -> str:
    return tr("shape {shape:g}", shape=shape) if shape != 1 else tr("no wear")


def scales() -> tuple[Scale, ...]:
    """Return every assumption, those that the user can influence or knows best first."""
    return (*_failing(), *_mending(), *_reading(), *_ageing())


def _failing() -> tuple[Scale, ...]:
    return (
        Scale(
            "failure_rate",
            tr("How often disks fail"),
            tr("Of 100 such disks that run for a year, so many fail."),
            _share,
            stops=_between(0.001, 0.2),
        ),
        Scale(
            "batch_factor",
            tr("Disks of a batch fail together"),
            tr("While one disk is missing, the others fail more often than chance says: same age, heat and load."),
            _times,
            choices=((1.0, tr("by chance")), (2.0, "2 ×"), (4.0, "4 ×"), (8.0, "8 ×")),
        ),
    )


def _mending() -> tuple[Scale, ...]:
    return (
        Scale(
            "notice_hours",
            tr("Until a failure is noticed"),
            tr("A mail from the monitor, or the day that somebody looks."),
            _time,
            stops=_HOURS,
        ),
        Scale(
            "replacement_hours",
            tr("Until a new disk is in"),
            tr("A hot spare in the plan takes over at once; then this is how soon the spare is replaced."),
            _time,
            stops=_HOURS[1:],
            choices=((24.0, tr("on the shelf")), (72.0, tr("ordered")), (336.0, tr("sent in"))),
        ),
        Scale(
            "rebuild_mb_s",
            tr("How fast the rebuild is"),
            tr("Each disk is read or written as a whole at this speed; work goes on meanwhile."),
            _speed,
            stops=_between(10, 1000),
        ),
    )


def _reading() -> tuple[Scale, ...]:
    return (
        Scale(
            "check_days",
            tr("How often the array is checked"),
            tr("A check reads everything, and repairs what can’t be read any more while there is another copy."),
            _days,
            choices=((7.0, tr("weekly")), (30.4, tr("monthly")), (91.0, tr("quarterly")), (3650.0, tr("never"))),
        ),
        Scale(
            "latent_errors",
            tr("Sectors that become unreadable"),
            tr("So many disks develop some in a year, and nobody sees it before they are read."),
            _share,
            stops=_between(0.001, 0.3),
        ),
        Scale(
            "unreadable_per_bit",
            tr("Errors on top, while reading"),
            tr("What data sheets promise at most; disks do far better."),
            _bits,
            choices=((0.0, tr("none")), (1e-15, tr("1 in 10^15")), (1e-14, tr("1 in 10^14"))),
        ),
    )


def _ageing() -> tuple[Scale, ...]:
    return (
        Scale(
            "age_years",
            tr("How old the disks are"),
            tr("Old disks fail more often. Disk by disk you can say it of each."),
            _age,
            stops=tuple(half / 2 for half in range(41)),
        ),
        Scale(
            "wear",
            tr("Whether disks wear out"),
            tr(
                "Not at all: an old disk fails as often as a new one. As in the field: slowly more often for five "
                "years, then up to three times as often at ten. Else a Weibull life, of shape 1.5 to 3. A published "
                "rate is then the mean of the first five years."
            ),
            _wear,
            choices=(
                (1.0, tr("not at all")),
                (AGED_WEAR, tr("as in the field")),
                (1.5, tr("slowly")),
                (2.0, tr("steadily")),
                (3.0, tr("fast")),
            ),
        ),
    )
