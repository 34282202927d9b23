"""What stays possible, as ``mdadm --grow`` 4.2, 4.4 and 4.6 answered on kernel 6.1."""

from __future__ import annotations

from dataclasses import replace

import pytest
from raidwright.core.forecloses import possibilities
from raidwright.core.plan import Consistency, Metadata, Plan

from .making_plans import equal, member, plan

TRIED = [
    (equal("raid10", 4, "n2"), "more-members", True),
    (equal("raid10", 4, "f2"), "more-members", False),
    (equal("raid10", 4, "o2"), "more-members", True),
    (equal("raid10", 4, "n2"), "layout", True),
    (equal("raid10", 4, "f2"), "layout", False),
    (equal("raid10", 4, "n2"), "chunk", True),
    (equal("raid10", 4, "f2"), "chunk", False),
    (equal("raid10", 4, "n2"), "raid0", True),
    (equal("raid10", 5, "n2"), "raid0", False),
    (equal("raid10", 4, "f2"), "raid0", False),
    (equal("raid10", 4, "o2"), "raid0", False),
    (equal("raid10", 4, "n2"), "larger-members", True),
    (equal("raid10", 4, "f2"), "larger-members", False),
    (equal("raid10", 4, "o2"), "larger-members", True),
    (replace(equal("raid10", 4, "n2"), metadata=Metadata.V1_0), "more-members", False),
    (equal("raid1", 2), "more-members", True),
    (equal("raid1", 2), "raid5", True),
    (equal("raid1", 3), "raid5", False),
    (equal("raid1", 2), "raid0", True),
    (equal("raid1", 2), "raid10", False),
    (equal("raid5", 3), "more-members", True),
    (equal("raid5", 3), "raid6", True),
    (equal("raid5", 3), "layout", True),
    (equal("raid5", 3), "chunk", True),
    (equal("raid5", 3), "raid0", True),
    (equal("raid5", 4), "raid10", False),
    (equal("raid5", 3), "raid1", False),
    (equal("raid5", 2), "raid1", True),
    (equal("raid6", 4), "more-members", True),
    (equal("raid6", 5), "raid5", True),
    (equal("raid6", 5), "raid0", False),
    (equal("raid4", 3), "raid5", True),
    (equal("raid0", 2), "more-members", True),
    (equal("raid0", 2), "raid10", True),
    (equal("raid0", 2), "raid5", True),
    (equal("raid0", 2), "chunk", True),
    (plan("raid0", 2**24, 2**23), "more-members", False),
    (equal("linear", 2), "more-members", True),
    (equal("linear", 2), "raid5", False),
    (replace(equal("raid5", 3), consistency=Consistency.PPL), "more-members", False),
    (replace(equal("raid6", 4), journal=member("journal")), "chunk", False),
]


@pytest.mark.parametrize(("made", "change", "possible"), TRIED)
def test_what_grow_allows(made: Plan, change: str, possible: bool) -> None:
    found = {item.change: item for item in possibilities(made)}
    assert found[change].possible == possible
    assert found[change].reason.endswith(".")


@pytest.mark.parametrize(("metadata", "needs_file"), [(Metadata.V1_2, False), (Metadata.V1_0, True)])
def test_parity_without_head_room_needs_a_backup_file(metadata: Metadata, needs_file: bool) -> None:
    found = {item.change: item for item in possibilities(replace(equal("raid5", 3), metadata=metadata))}
    assert ("backup-file" in found["more-members"].reason) == needs_file


@pytest.mark.parametrize("level", ["linear", "raid0", "raid1", "raid4", "raid5", "raid6", "raid10"])
def test_each_change_is_told_once(level: str) -> None:
    changes = [item.change for item in possibilities(equal(level, 4))]
    assert len(changes) == len(set(changes))
