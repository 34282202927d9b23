"""Findings on the disks' health: SMART status, age and temperature."""

from __future__ import annotations

from collections.abc import Iterator

from raidwright.core.messages import say, say_count

from .finding import Facts, Finding, Severity, Stake, Verify, ids_of

_WORN_PERCENT = 100
_HOURS_A_YEAR = 8766
_OLD_YEARS, _VERY_OLD_YEARS = 5, 7
_HOT_SPINNING_CELSIUS, _HOT_FLASH_CELSIUS = 50.0, 70.0  # data sheets allow spinning disks at most 60 °C


def verify_health(facts: Facts) -> Iterator[Finding]:
    """Find disks whose SMART status is FAILED, or that have bad sectors."""
    failing = ids_of(disk for disk in facts.disks if disk.health.failing)
    if failing:
        yield Finding(
            Severity.DANGER,
            "disk-failing",
            say_count(
                "{disks}: SMART overall health FAILED.",
                "{disks}: SMART overall health FAILED.",
                len(failing),
                disks=facts.named(failing),
            ),
            say("Its own health check has given it up."),
            say("Leave it out."),
            failing,
        )
    spotted = ids_of(disk for disk in facts.disks if disk.health.bad_sectors and not disk.health.failing)
    if spotted:
        yield Finding(
            Severity.WARNING,
            "bad-sectors",
            say_count(
                "{disks} already has bad sectors.",
                "{disks} already have bad sectors.",
                len(spotted),
                disks=facts.named(spotted),
            ),
            say("Disks with some tend to get more, often while another is rebuilt."),
            say("Run a long self-test (smartctl -t long) and look again before you trust it."),
            spotted,
        )
    worn = ids_of(disk for disk in facts.disks if (disk.health.wear_percent or 0) >= _WORN_PERCENT)
    if worn:
        yield Finding(
            Severity.WARNING,
            "worn-out",
            say_count(
                "{disks} has taken all the writes that it is rated for.",
                "{disks} have taken all the writes that they are rated for.",
                len(worn),
                disks=facts.named(worn),
            ),
            say("Flash goes on beyond that, often for long, but its maker no longer answers for it."),
            say("Plan to replace it, and not all members in the same month."),
            worn,
        )


def verify_age(facts: Facts) -> Iterator[Finding]:
    """Find disks that have run beyond their makers' warranty; published failure rates rise from there on."""
    hours = {disk: disk.health.power_on_hours or 0 for disk in facts.disks}
    very_old = [disk for disk, ran in hours.items() if ran >= _VERY_OLD_YEARS * _HOURS_A_YEAR]
    rather_old = [disk for disk, ran in hours.items() if ran >= _OLD_YEARS * _HOURS_A_YEAR and disk not in very_old]
    for severity, old in ((Severity.WARNING, very_old), (Severity.NOTE, rather_old)):
        if old:
            yield Finding(
                severity,
                "old-disk",
                say_count(
                    "{disks} has run for {hours:,} hours, which is {years:.1f} years.",
                    "{disks} have run for up to {hours:,} hours, which is {years:.1f} years.",
                    len(old),
                    disks=facts.named(ids_of(old)),
                    hours=max(hours[disk] for disk in old),
                    years=max(hours[disk] for disk in old) / _HOURS_A_YEAR,
                ),
                say(
                    "Disks are warranted for five years at most. Backblaze saw 1.3% of disks fail in their first year, "
                    "and up to 4% a year at ten; some models 10% a year at seven and a half."
                ),
                say("Say the age where the loss is worked out, plan replacements, and don't fill an array with them."),
                ids_of(old),
            )


def verify_temperature(facts: Facts) -> Iterator[Finding]:
    """Find disks that are too warm."""
    hot = [
        disk
        for disk in facts.disks
        if (disk.health.temperature_celsius or 0.0)
        >= (_HOT_FLASH_CELSIUS if disk.rotation_rpm == 0 else _HOT_SPINNING_CELSIUS)
    ]
    if hot:
        warmest = max(disk.health.temperature_celsius or 0.0 for disk in hot)
        yield Finding(
            Severity.WARNING,
            "hot-disk",
            say_count(
                "{disks} is {warmest:.0f} °C warm.",
                "{disks} are up to {warmest:.0f} °C warm.",
                len(hot),
                disks=facts.named(ids_of(hot)),
                warmest=warmest,
            ),
            say("Makers allow spinning disks 60 °C and flash 70 °C. A rebuild keeps all disks busy and warmer yet."),
            say("See to the air that passes the disks, and look again while they work."),
            ids_of(hot),
            at_stake=Stake.ACCESS,
        )


HEALTH_CHECKS: tuple[Verify, ...] = (verify_health, verify_age, verify_temperature)
