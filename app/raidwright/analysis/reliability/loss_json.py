"""A loss as plain values, for ``raidwright loss --json`` and ``raidwright assess --json``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from raidwright.core.messages import say
from raidwright.core.model.assumed import ASSUMED

from .ageing import AGED_WEAR, PUBLISHED_YEARS
from .assumptions import AGED_WEAR_SOURCE, DISTRIBUTIONS, HOURS_A_YEAR, NO_AGE_SOURCE, AssumedRange
from .drivers import Bought, tornado
from .loss import CONFIDENCE, Chance, CurvePoint, Loss, Swing
from .simulation import Simulated

_TOLD_OTHERWISE = {"failure_rate", "rebuild_mb_s", "age_years", "wear"}  # listed per model, per plan, or only if used


def loss_as_json(loss: Loss) -> dict[str, object]:
    """Return the loss; ``probability``, ``low``, ``high`` are the array's, those of losing a sector in ``sectors``."""
    return {
        "years": loss.years,
        **_chance(loss.array),
        "confidence": CONFIDENCE,
        "sectors": _chance(loss.sectors),
        "cause": str(loss.cause),
        "waiting_hours": loss.waiting_hours,
        "rebuild_hours": loss.rebuild_hours,
        "rebuild_basis": "members" if loss.rebuild.measured else "typical",
        "curve": _curve(loss.curve),
        "sectors_curve": _curve(loss.sector_curve),
        "tornado": [_swing(swing) for swing in tornado(loss)],
        "sectors_tornado": [_swing(swing) for swing in tornado(loss, sectors=True)],
        "exact": loss.exact,
        "assumptions": _assumptions(loss),
    }


def bought_as_json(bought: Bought) -> dict[str, object]:
    """Return a change with the probabilities and the capacity before and after."""
    return {
        "change": str(bought.change),
        "array": [bought.array_before, bought.array],
        "sectors": [bought.sectors_before, bought.sectors],
        "array_bytes": [bought.bytes_before, bought.bytes],
    }


def simulated_as_json(simulated: Simulated) -> dict[str, object]:
    """Return the results of a simulation, with Wilson's 95% intervals."""
    answer: dict[str, object] = {"arrays": simulated.arrays, "confidence": 0.95}
    for name, losses in (("array", simulated.lost), ("sectors", simulated.sectors)):
        low, high = simulated.interval(losses)
        answer[name] = {"losses": losses, "probability": losses / simulated.arrays, "low": low, "high": high}
    return answer


class Listed(NamedTuple):
    """A row of the table of assumptions."""

    name: str
    unit: str
    assumed: AssumedRange


def assumptions_of(loss: Loss) -> tuple[Listed, ...]:
    """Return every assumption by its name, failure rates by model or disk; ages only if they have an effect."""
    assumptions = loss.assumptions
    rates = assumptions.rates_by_name(loss.plan)
    named = (
        *(
            (say("failure rate a year, {model}", model=name or say("model unknown")), "failure_rate", rate)
            for name, rate in rates.items()
        ),
        *((name, name, getattr(assumptions, name)) for name in ASSUMED if name not in _TOLD_OTHERWISE),
        ("rebuild_mb_s", "rebuild_mb_s", loss.rebuild.mb_s),
        *_ageing(loss),
    )
    return tuple(Listed(name, ASSUMED[kind].unit, assumed) for name, kind, assumed in named)


def _ageing(loss: Loss) -> Iterator[tuple[str, str, AssumedRange]]:
    if loss.assumptions.wear == 1:
        if loss.years > PUBLISHED_YEARS and "wear" not in dict(loss.plan.assumptions):
            yield say("wear of disks, as a Weibull shape"), "wear", AssumedRange(1.0, 1.0, 1.0, NO_AGE_SOURCE)
        return
    wear, ages = loss.assumptions.wear, {disk.failure_unit: disk.age_years for disk in loss.plan.disks()}
    source = AGED_WEAR_SOURCE if wear == AGED_WEAR else say("given by you")
    yield say("wear of disks, as a Weibull shape"), "wear", AssumedRange(wear, wear, wear, source)
    if None in ages.values():
        age = loss.assumptions.age_years
        yield (
            say("age in years"),
            "age_years",
            AssumedRange(age, age, age, say("of each disk that has none of its own; 0: new")),
        )
    for unit, own in ages.items():
        if own is not None:
            yield say("age in years, {unit}", unit=unit), "age_years", AssumedRange.given(own)


def _assumptions(loss: Loss) -> dict[str, object]:
    return {one.name: _assumed(one) for one in assumptions_of(loss)} | {
        "hours_a_year": HOURS_A_YEAR,
        "distributions": DISTRIBUTIONS,
        "age_years": loss.assumptions.age_years,
        "wear": loss.assumptions.wear,
        "a failure rate": say("of A a year, as published, is a constant rate of A/8760 an hour while a disk runs"),
    }


def _curve(points: tuple[CurvePoint, ...]) -> list[list[float]]:
    return [[point.years, point.probability, point.low, point.high] for point in points]


def _chance(chance: Chance) -> dict[str, object]:
    return {
        "probability": chance.probability,
        "low": chance.low,
        "high": chance.high,
        "main_driver": chance.main_driver and str(chance.main_driver),
    }


def _swing(swing: Swing) -> dict[str, object]:
    return {"driver": str(swing.driver), "safer": swing.safer, "worse": swing.worse}


def _assumed(listed: Listed) -> dict[str, object]:
    one = listed.assumed
    ends = {"safer": one.safer, "likely": one.likely, "worse": one.worse}
    return ends | {"unit": listed.unit, "distribution": one.distribution, "source": one.source}
