"""Assumptions of the loss model: the one table of names, units, ranges, likely values and sources.

Files, options, the window and the model use these names. A figure that the user may set has ``ValidRange``.
"""

from __future__ import annotations

from dataclasses import dataclass

from raidwright.core.messages import Message, say


@dataclass(frozen=True, slots=True)
class ValidRange:
    """Valid range of a figure, its ``unit``, and an ``example``."""

    least: float
    most: float
    unit: Message
    example: str

    def refusal(self, value: float) -> Message | None:
        """Return why ``value`` is invalid, as a sentence's end after its name; None if it is valid."""
        if self.least <= value <= self.most:
            return None
        return say(
            "can’t be {value:g}; write a number from {span}, like {example}",
            value=value,
            span=self.span,
            example=self.example,
        )

    @property
    def span(self) -> Message:
        """Format the range: ``0 to 87600 (hours)``."""
        return say("{least:g} to {most:g} ({unit})", least=self.least, most=self.most, unit=self.unit)


@dataclass(frozen=True, slots=True)
class Default:
    """Default of an assumption: the likely value between a safer and a worse end, and its source."""

    safer: float
    likely: float
    worse: float
    source: Message


@dataclass(frozen=True, slots=True)
class Assumption(ValidRange):
    """An assumption: its ``purpose`` and default; None if the default depends on the disks and their array."""

    purpose: Message
    default: Default | None = None


ASSUMED = {
    "failure_rate": Assumption(
        0,
        1,
        say("failures a year and disk"),
        say("0.015, which is 1.5%"),
        say("failure rate a year of disks that the plan gives none: 0.015, or 1.5%"),
    ),
    "notice_hours": Assumption(
        0,
        87_600,
        say("hours"),
        "8",
        say("until somebody notices a failure"),
        Default(0.0, 8.0, 48.0, say("ours: mdadm's monitor writes a mail at once; somebody reads it the same day")),
    ),
    "replacement_hours": Assumption(
        0,
        87_600,
        say("hours"),
        "72",
        say("until a replacement is there"),
        Default(24.0, 72.0, 336.0, say("ours: a disk on the shelf, ordered, or sent in under warranty")),
    ),
    "rebuild_mb_s": Assumption(
        0.1,
        100_000,
        say("MB/s"),
        "120",
        say("the rebuild's speed in MB/s, in place of the predicted one"),
    ),
    "batch_factor": Assumption(
        1,
        100,
        say("times as often"),
        say("2 (1: by chance alone)"),
        say("how many times as often disks fail while one is missing; 1: independent"),
        Default(
            1.0,
            2.0,
            4.0,
            say(
                "safer: independent; worse: a second failure within an hour of the first was four times as frequent as "
                "independence says (Schroeder and Gibson, FAST 2007, 5.3); likely: ours, between the two"
            ),
        ),
    ),
    "latent_errors": Assumption(
        0,
        1,
        say("disks a year that develop some"),
        "0.03",
        say("unreadable sectors that appear, a year and disk"),
        Default(
            0.0131,
            0.0333,
            0.1,
            say(
                "disks that develop unreadable sectors: 3.45% of all and 8.5% of nearline ones in 32 months, as a rate "
                "a year (Bairavasundaram et al., SIGMETRICS 2007, 1.53 million disks of up to 0.5 TB); worse: ours, "
                "three times that, and more by the square root of the size for disks above 0.5 TB, since that study "
                "saw more of it on larger disks and had none of today's size"
            ),
        ),
    ),
    "unreadable_per_bit": Assumption(
        0,
        1e-9,
        say("errors a bit read"),
        "1e-15",
        say("chance that a bit can't be read, like 1e-15"),
        Default(
            0.0,
            0.0,
            3e-16,
            say(
                "likely: none beyond the field's latent errors; worse: the 95% limit after full reads of 1.3 PB "
                "without one (twenty 3 TB disks five times over, and a petabyte of monthly checks); data sheets "
                "promise one in 10^14 or 10^15"
            ),
        ),
    ),
    "check_days": Assumption(
        0,
        36_500,
        say("days"),
        say("30 (3650: as good as never)"),
        say("days between checks"),
        Default(
            7.0, 30.4, 3650.0, say("likely: Debian checks on the first Sunday of each month; worse: never checked")
        ),
    ),
    "age_years": Assumption(0, 100, say("years"), "3.5", say("the age of disks that the plan gives none")),
    "wear": Assumption(
        0.1,
        10,
        say("Weibull shape"),
        say("1.12 (1: disks don’t wear)"),
        say("Weibull shape of the disks' lives; 1: they don't wear"),
    ),
}
