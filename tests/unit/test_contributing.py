"""CONTRIBUTING.md's table of places for additions, compared with the places of existing examples."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from raidwright.core.system.workload import _PATTERNS, Workload
from raidwright.text.run import measurements

ROOT = Path(__file__).parents[2]
PLACES = (ROOT / "app/raidwright", ROOT / "helpers/raidwright_helper")
_SPAN = re.compile(r"`([^`]+)`")
_HEADING = "## Adding something\n"


def _rows() -> list[tuple[str, set[str], set[str]]]:
    """Return each row of the table: its subject, files, and examples."""
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition(_HEADING)[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (an? .+?) \| (.+?) \| (.+?) \|$", section, re.MULTILINE)
    return [(what, set(_SPAN.findall(files)), set(_SPAN.findall(examples))) for what, files, examples in rows]


ROWS = _rows()


def _where(examples: set[str], folders: set[str]) -> set[str]:
    """Return the files with an example; one in a listed folder counts as the folder."""
    found = set()
    for place in PLACES:
        for path in place.rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            if any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", text) for one in examples):
                name = str(path.relative_to(place))
                found.add(next((folder for folder in folders if name.startswith(folder)), name))
    return found


def test_the_table_is_there() -> None:
    assert {what for what, *_ in ROWS} >= {"a workload", "a level", "a station", "a finding"}


@pytest.mark.parametrize(("what", "files", "examples"), ROWS, ids=[what for what, *_ in ROWS])
def test_something_is_added_where_the_page_says(what: str, files: set[str], examples: set[str]) -> None:
    assert examples
    assert _where(examples, {one for one in files if one.endswith("/")}) == files


def test_each_workload_has_a_name_for_people() -> None:
    names, short, all_of_them = measurements.WORKLOADS, measurements._SHORT, set(Workload)
    known: dict[str, set[str]] = {"what fio does": set(_PATTERNS), "its name": set(names), "its short name": set(short)}
    missing = {what: all_of_them - table for what, table in known.items() if all_of_them - table}
    assert not missing
    assert len(set(names.values())) == len(names)
    assert measurements.workload("of_a_newer_program") == "of_a_newer_program"
