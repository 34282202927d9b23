"""Plain text in Japanese keeps its columns, too."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from raidwright.core.model.plan import Plan
from raidwright.export.recovery_card import recovery_card
from raidwright.export.wide import columns, padded, wrapped
from raidwright.text import catalogue

from .making_plans import equal


@pytest.fixture
def japanese() -> Iterator[None]:
    """Japanese as the program's language."""
    catalogue.choose(["ja"])
    yield
    catalogue.choose(["en"])


def test_a_wide_character_takes_two_columns() -> None:
    assert (columns("“md”"), columns("名前 md")) == (4, 7)
    assert padded("名前:", 8) == "名前:   "


@pytest.mark.parametrize("most", range(8, 40))
def test_lines_keep_to_their_columns_and_lose_nothing(most: int) -> None:
    text = "「計画」と違うディスク (SMR) があれば、何も書き込まずに、mdadm は停止します。"
    lines = wrapped(text, most)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(columns(line) <= most for line in lines)
    assert not any(line[0] in "、。」" or line[-1] == "「" for line in lines)


def test_what_has_no_wide_characters_is_wrapped_at_its_spaces() -> None:
    assert wrapped("one --by-one again", 8) == ["one", "--by-one", "again"]


@pytest.mark.usefixtures("japanese")
def test_the_recovery_card_s_values_stand_in_a_column() -> None:
    lines = recovery_card(Plan(equal("raid5", 4))).splitlines()
    facts = lines[lines.index("アレイ") + 2 : lines.index("アレイ") + 6]
    places = [columns(line[: len(line) - len(line.partition(":")[2].lstrip())]) for line in facts]
    assert len(set(places)) == 1
    assert lines[1] == "=" * columns(lines[0])
