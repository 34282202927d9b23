"""Checks of a joined volume's arrays, told as one of the volume."""

from __future__ import annotations

from dataclasses import replace

from raidwright.core.protocol.facts import Check, CheckState
from raidwright.core.protocol.joined_checks import as_one, volume_checks
from raidwright.machine.states.volume import Volume
from raidwright.machine.values import Array, JoinedVolume
from raidwright.machine.volume_checks import last_check, with_volume_checks

_DONE, _RUNS, _PAUSED, _CUT = CheckState.DONE, CheckState.RUNNING, CheckState.PAUSED, CheckState.INTERRUPTED


def _check(uuid: str, began_s: int, ended_s: int | None, state: CheckState = _DONE, differ: int = 0) -> Check:
    return Check(uuid, f"tank-{uuid}", state, began_s, ended_s, differ)


def test_one_check_has_the_worst_state_and_the_sum_of_what_differs() -> None:
    whole = as_one("0", "tank", (_check("0", 10, 50, differ=8), _check("1", 12, 90)))
    assert whole == Check("0", "tank", _DONE, 10, 90, 8)
    states = ((_DONE, _RUNS), (_PAUSED, _RUNS), (_DONE, _PAUSED), (_CUT, _DONE))
    told = [as_one("0", "tank", [_check(str(n), 1, 2, state) for n, state in enumerate(some)]).state for some in states]
    assert told == [_RUNS, _RUNS, _PAUSED, _CUT]
    assert as_one("0", "tank", (_check("0", 1, 2), _check("1", 1, None, _RUNS))).ended_s is None


def test_only_checks_of_all_arrays_together_are_the_volumes() -> None:
    """Debian's monthly check begins with an array when the one before has ended."""
    checks = (_check("1", 5100, 9000), _check("0", 100, 5000), _check("1", 50, 60), _check("9", 1, 2))
    assert [(one.began_s, one.ended_s) for one in volume_checks("0", "tank", {"0", "1"}, checks)] == [(100, 9000)]
    apart = (_check("1", 90_000, 95_000), _check("0", 100, 5000))
    assert not [*volume_checks("0", "tank", {"0", "1"}, apart)]


def _volume() -> tuple[Array, ...]:
    volume = JoinedVolume("tank", "/dev/dm-0", 2 * 10**12)
    levels = ("raid5", "raid1", "raid0")
    return tuple(
        Array(str(place), f"tank-{place}", level, f"/dev/md{place}", 10**12, 0, True, 0, volume=volume)
        for place, level in enumerate(levels)
    )


def test_a_volumes_checks_are_shown_as_one_and_others_stay() -> None:
    other = replace(_check("7", 60, 70), name="other")
    shown = with_volume_checks((_check("1", 11, None, _RUNS), _check("0", 10, None, _RUNS), other), _volume())
    assert [(check.name, check.state) for check in shown] == [("other", _DONE), ("tank", _RUNS)]
    alone = with_volume_checks((_check("0", 10, 20),), _volume())
    assert [check.name for check in alone] == ["tank-0"]
    tank = Volume("tank", _volume())
    assert last_check(shown, tank) == shown[1]
    assert last_check(alone, tank) is None
    assert last_check(alone, _volume()[0]) == alone[0]
