"""The table of what a Linux or an mdadm does: its rows hold for the versions on which they were tried."""

from __future__ import annotations

import pytest
from raidwright.core.md import known
from raidwright.core.md.mdadm_versions import MDADM_4_2, MDADM_4_4, MDADM_4_5, MdadmVersion

from tests.kit import kernel_table


@pytest.mark.parametrize(
    ("kernel", "mdadm", "holds"),
    [
        ((6, 1), MDADM_4_4, False),
        ((6, 6), MDADM_4_4, False),
        ((6, 7), MDADM_4_2, True),
        ((6, 12), MDADM_4_4, True),
        ((7, 2), MDADM_4_4, True),
        ((7, 2), MDADM_4_5, False),
        (None, MDADM_4_4, False),
        ((6, 12), None, False),
    ],
)
def test_bad_blocks_keep_disks_out_from_6_7_with_mdadm_before_4_5(
    kernel: known.Kernel | None, mdadm: MdadmVersion | None, holds: bool
) -> None:
    assert known.BAD_BLOCKS_REFUSE_NEWCOMERS.holds(kernel, mdadm) is holds


def test_a_kernels_release_begins_with_its_version() -> None:
    assert known.kernel_of("6.12.9-amd64") == (6, 12)
    assert known.kernel_of("7.0.14-5-pve") == (7, 0)
    assert known.kernel_of("") is None


def test_linear_is_gone_between_two_versions() -> None:
    assert [known.LINEAR_GONE.holds((6, minor)) for minor in (7, 8, 13, 14)] == [False, True, True, False]


def test_the_page_of_the_documents_is_the_table() -> None:
    assert kernel_table.PATH.read_text(encoding="utf-8") == kernel_table.text()


def test_every_row_has_its_source_and_an_answer() -> None:
    assert len(known.TABLE) >= 15
    for row in known.TABLE:
        assert row.what
        assert row.source
        assert row.answer
        assert row.first is None or row.mended is None or row.first < row.mended
