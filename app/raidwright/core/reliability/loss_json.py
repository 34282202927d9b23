"""A loss as plain values, for ``raidwright loss --json`` and ``raidwright assess --json``."""

from __future__ import annotations

from .assumptions import HOURS_A_YEAR, Assumed
from .drivers import Bought, tornado
from .loss import Chance, Loss, Swing
from .simulation import Simulated

_LISTED = ("notice_hours", "replacement_hours", "batch_factor", "latent_errors", "unreadable_per_bit", "check_days")


def loss_as_json(loss: Loss) -> dict[str, object]:
    """``probability``, ``low`` and ``high`` are the array's; ``sectors`` has those of losing at least one sector."""
    return {
        "years": loss.years,
        **_chance(loss.array),
        "sectors": _chance(loss.sectors),
        "cause": str(loss.cause),
        "waiting_hours": loss.waiting_hours,
        "rebuild_hours": loss.rebuild_hours,
        "rebuild_basis": "members" if loss.rebuild.measured else "typical",
        "curve": [[point.years, point.probability, point.low, point.high] for point in loss.curve],
        "tornado": [_swing(swing) for swing in tornado(loss)],
        "sectors_tornado": [_swing(swing) for swing in tornado(loss, sectors=True)],
        "exact": loss.exact,
        "assumptions": _assumptions(loss),
    }


def bought_as_json(bought: Bought) -> dict[str, object]:
    """A change with the probabilities before and after."""
    return {
        "change": str(bought.change),
        "array": [bought.array_before, bought.array],
        "sectors": [bought.sectors_before, bought.sectors],
    }


def simulated_as_json(simulated: Simulated) -> dict[str, object]:
    """What was seen in a simulation, with Wilson's 95% intervals."""
    answer: dict[str, object] = {"arrays": simulated.arrays, "confidence": 0.95}
    for name, losses in (("array", simulated.lost), ("sectors", simulated.sectors)):
        low, high = simulated.interval(losses)
        answer[name] = {"losses": losses, "probability": losses / simulated.arrays, "low": low, "high": high}
    return answer


def assumptions_of(loss: Loss) -> tuple[tuple[str, Assumed], ...]:
    """Every assumption by its name, failure rates by model."""
    assumptions = loss.assumptions
    models = {disk.model: assumptions.rate_of(disk.failure_unit, disk.model) for disk in loss.plan.disks()}
    return (
        *((f"failure rate a year, {model or 'model unknown'}", rate) for model, rate in models.items()),
        *((name, getattr(assumptions, name)) for name in _LISTED),
        ("rebuild_mb_s", loss.rebuild.mb_s),
    )


def _assumptions(loss: Loss) -> dict[str, object]:
    return {name: _assumed(one) for name, one in assumptions_of(loss)} | {
        "hours_a_year": HOURS_A_YEAR,
        "age_years": loss.assumptions.age_years,
        "wear": loss.assumptions.wear,
        "a failure rate": "of A a year, as published, is a constant rate of A/8760 an hour while a disk runs",
    }


def _chance(chance: Chance) -> dict[str, object]:
    return {
        "probability": chance.probability,
        "low": chance.low,
        "high": chance.high,
        "main_driver": chance.main_driver and str(chance.main_driver),
    }


def _swing(swing: Swing) -> dict[str, object]:
    return {"driver": str(swing.driver), "safer": swing.safer, "worse": swing.worse}


def _assumed(assumed: Assumed) -> dict[str, object]:
    return {"safer": assumed.safer, "likely": assumed.likely, "worse": assumed.worse, "source": assumed.source}
