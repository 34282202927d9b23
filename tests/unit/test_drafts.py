"""Drafts outlast their window unless it discarded them; those of a running window aren't offered."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import MdArray, Member, Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.drafts import Drafts

PLAN = Plan(MdArray(Level.RAID1, (Member("a", size_bytes=8 * 10**12), Member("b", size_bytes=8 * 10**12)), name="tank"))
_KEEP = """
import sys
from pathlib import Path
from raidwright.drafts import Drafts
from raidwright.reading.plans import loads_plan
drafts = Drafts(Path(sys.argv[1]))
drafts.keep(loads_plan(sys.argv[2]))
print("kept", flush=True)
sys.stdin.read()
"""


def _keeper(folder: Path) -> subprocess.Popen[str]:
    """Start another process that stores the plan, and stays alive."""
    child = subprocess.Popen(
        [sys.executable, "-c", _KEEP, str(folder), json.dumps(dump_plan(PLAN))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout
    assert child.stdout.readline() == "kept\n"
    return child


def test_what_a_killed_window_kept_is_found_and_that_of_a_living_one_is_not(tmp_path: Path) -> None:
    with _keeper(tmp_path) as child:
        assert Drafts(tmp_path).left() == ()
        child.kill()
    (left,) = Drafts(tmp_path).left()
    assert left.plan == PLAN
    Drafts(tmp_path).discard(left)
    assert list(tmp_path.iterdir()) == []


def test_what_is_let_go_of_leaves_nothing(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path)
    drafts.keep(PLAN)
    assert drafts.left() == ()
    drafts.drop()
    assert list(tmp_path.iterdir()) == []
    drafts.keep(PLAN)  # and one can be stored again
    drafts.drop()


def test_half_a_file_is_no_draft_and_keeps_no_other_from_being_found(tmp_path: Path) -> None:
    (tmp_path / "torn.json").write_text('{"version": 1, "le')
    with _keeper(tmp_path) as child:
        child.kill()
    assert [left.plan for left in Drafts(tmp_path).left()] == [PLAN]


def test_where_nothing_can_be_written_the_plan_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    drafts = Drafts(tmp_path / "file" / "drafts")
    drafts.keep(PLAN)
    assert drafts.left() == ()
    drafts.drop()
