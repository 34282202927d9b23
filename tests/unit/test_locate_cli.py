"""``raidwright disks --locate`` and ``--bay``: refusals before a machine is asked, and fio's and ledctl's words."""

from __future__ import annotations

import pytest
from raidwright.cli import main
from raidwright.core.errors import InputError
from raidwright.core.system.locating import burst_argv, checked_locate_seconds, light_argv


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--seconds", "5"], "go with --locate"),
        (["--way", "light"], "go with --locate"),
        (["--locate", "x", "--seconds", "61"], "1 to 60 seconds"),
        (["--locate", "x", "--seconds", "0"], "1 to 60 seconds"),
        (["--locate", "x", "--way", "sound"], "invalid choice"),
        (["--bay", "ata3"], "LINK=NAME"),
        (["--bay", "=x"], "LINK=NAME"),
        (["--bay", f"ata3={'x' * 41}"], "up to 40 characters"),
        (["--wake"], "--wake goes with"),
    ],
)
def test_what_makes_no_sense_is_refused(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["disks", *words]) == 2
    assert said in capsys.readouterr().err


def test_no_command_writes_and_no_other_light_changes() -> None:
    assert "--readonly" in burst_argv("/dev/sda", seconds=60)
    assert light_argv("/dev/sda", is_on=True)[1:] == ("--listed-only", "--log=/dev/null", "locate=/dev/sda")
    for seconds in (0, -1, 61):
        with pytest.raises(InputError):
            checked_locate_seconds(seconds)
