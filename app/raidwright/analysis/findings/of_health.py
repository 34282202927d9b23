"""Findings on the disks' health: SMART status, age and temperature."""

from __future__ import annotations

from collections.abc import Iterator

from raidwright.core.messages import Message, say, say_count
from raidwright.core.model.disk import Disk, HealthSign

from .finding import Facts, Finding, Severity, Stake, Verify, ids_of

_WORN_PERCENT = 100
_HOURS_A_YEAR = 8766
_OLD_YEARS, _VERY_OLD_YEARS = 5, 7
_HOT_SPINNING_CELSIUS, _HOT_FLASH_CELSIUS = 50.0, 70.0  # data sheets allow spinning disks at most 60 °C

SIGNS = {
    HealthSign.TEMPERATURE: say("too warm or too cold"),
    HealthSign.SPARE: say("its spare flash is used up"),
    HealthSign.RELIABILITY: say("its reliability is degraded"),
    HealthSign.READ_ONLY: say("it has become read-only"),
    HealthSign.BACKUP: say("the backup of its cache for a power cut has failed"),
    HealthSign.PERSISTENT_MEMORY: say("its persistent memory is unreliable or read-only"),
}


def verify_health(facts: Facts) -> Iterator[Finding]:
    """Find disks whose SMART status is FAILED, each with the reasons that it gives."""
    failing = [disk for disk in facts.disks if disk.health.failing]
    for reasons in dict.fromkeys(_reasons(disk) for disk in failing):
        ids = ids_of(disk for disk in failing if _reasons(disk) == reasons)
        yield Finding(
            Severity.DANGER,
            "disk-failing",
            say_count(
                "{disks}: SMART overall health FAILED.",
                "{disks}: SMART overall health FAILED.",
                len(ids),
                disks=facts.named(ids),
            ),
            say("Its own health check has given it up: {reasons}.", reasons=list(reasons))
            if reasons
            else say("Its own health check has given it up."),
            say("Leave it out."),
            ids,
        )


def _reasons(disk: Disk) -> tuple[Message, ...]:
    low = [say("{attribute} is below its threshold", attribute=name) for name in disk.health.low_now]
    return (*(SIGNS[sign] for sign in disk.health.signs), *low)


def verify_warnings(facts: Facts) -> Iterator[Finding]:
    """Find disks that warn of themselves although their overall SMART status is good."""
    passed = [disk for disk in facts.disks if not disk.health.failing]
    yield from _off_temperature(facts, [disk for disk in passed if HealthSign.TEMPERATURE in disk.health.signs])
    if unreliable := ids_of(disk for disk in passed if HealthSign.RELIABILITY in disk.health.signs):
        yield Finding(
            Severity.WARNING,
            "disk-unreliable",
            say_count(
                "{disks} warns that its reliability is degraded.",
                "{disks} warn that their reliability is degraded.",
                len(unreliable),
                disks=facts.named(unreliable),
            ),
            say("Its rated writes are used up; many makers set this warning for that alone, before anything fails."),
            say("Plan to replace it, and keep the data elsewhere as well."),
            unreliable,
        )
    low = ((disk, names) for disk in passed if (names := disk.health.low_now))
    for disk, names in low:
        yield Finding(
            Severity.WARNING,
            "prefail-now",
            say_count(
                "{disks}: {attributes:and} is below its threshold, though SMART's overall health passed.",
                "{disks}: {attributes:and} are below their thresholds, though SMART's overall health passed.",
                len(names),
                disks=facts.named([disk.id]),
                attributes=list(names),
            ),
            say("A pre-fail attribute below its threshold means a failure within a day, by its maker's word."),
            say("Copy its data and replace it; build nothing on it."),
            (disk.id,),
        )
    for disk in passed:
        if disk.health.low_once and not disk.health.low_now:
            yield _low_once(facts, disk)
        if disk.health.low_usage:
            yield _low_usage(facts, disk)


def _off_temperature(facts: Facts, disks: list[Disk]) -> Iterator[Finding]:
    for disk in disks:
        celsius = disk.health.temperature_celsius
        sentence = (
            say("{disks} is outside its own limits of temperature.", disks=facts.named([disk.id]))
            if celsius is None
            else say(
                "{disks} is at {celsius:.0f} °C, outside its own limits of temperature.",
                disks=facts.named([disk.id]),
                celsius=celsius,
            )
        )
        yield Finding(
            Severity.WARNING,
            "disk-temperature",
            sentence,
            say("That is no failure. Until it is within them it slows down, or stops."),
            say("See to the air that passes the disk, and look again while it works."),
            (disk.id,),
            at_stake=Stake.ACCESS,
        )


def _low_once(facts: Facts, disk: Disk) -> Finding:
    names = disk.health.low_once
    return Finding(
        Severity.NOTE,
        "prefail-once",
        say_count(
            "{disks}: {attributes:and} was below its threshold once, and isn't now.",
            "{disks}: {attributes:and} were below their thresholds once, and aren't now.",
            len(names),
            disks=facts.named([disk.id]),
            attributes=list(names),
        ),
        say("Pre-fail attributes foretell a failure; this one has recovered, or was caused from outside."),
        say("Look at it again (smartctl -A) before you trust the disk with the only copy."),
        (disk.id,),
    )


def _low_usage(facts: Facts, disk: Disk) -> Finding:
    names = disk.health.low_usage
    return Finding(
        Severity.WARNING,
        "usage-low",
        say_count(
            "{disks}: {attributes:and} is below its threshold, which its maker counts as use and not as failure.",
            "{disks}: {attributes:and} are below their thresholds, which its maker counts as use and not as failure.",
            len(names),
            disks=facts.named([disk.id]),
            attributes=list(names),
        ),
        say("Such an attribute tells what the disk has been through beyond what it is made for."),
        say("Look at it (smartctl -A) before you trust the disk with the only copy, and whether its number grows."),
        (disk.id,),
    )


def verify_lost_data(facts: Facts) -> Iterator[Finding]:
    """Find disks that have lost sectors, could not read some, or whose flash is worn out."""
    passed = [disk for disk in facts.disks if not disk.health.failing]
    spotted = ids_of(disk for disk in passed if disk.health.bad_sectors)
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
    unread = ids_of(disk for disk in passed if disk.health.unread_errors and disk.id not in spotted)
    if unread:
        yield Finding(
            Severity.WARNING,
            "unread-errors",
            say_count(
                "{disks} has reported errors that it could not correct.",
                "{disks} have reported errors that they could not correct.",
                len(unread),
                disks=facts.named(unread),
            ),
            say("That is counted for good, also for sectors that were written anew since."),
            say("Run a long self-test (smartctl -t long) and look whether the count grows."),
            unread,
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
                    "Few disks are warranted for more than five years. Backblaze saw 1.3% of disks fail in their first "
                    "year, and up to 4% a year at ten; some models 10% a year at seven and a half."
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
        and HealthSign.TEMPERATURE not in disk.health.signs
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


HEALTH_CHECKS: tuple[Verify, ...] = (
    verify_health,
    verify_warnings,
    verify_lost_data,
    verify_age,
    verify_temperature,
)
