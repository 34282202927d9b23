"""``python -m tests.kit.kernel_table``: write docs/kernels.md, what a Linux or an mdadm does, from its table."""

from __future__ import annotations

from pathlib import Path

from raidwright.core.md.known import TABLE, Known

PATH = Path(__file__).parents[2] / "docs/kernels.md"
_HEAD = """# Kernels and mdadm

What a Linux or an mdadm does, lacks or gets wrong with arrays, and what Raidwright does about it. Written from
`core/md/known.py` by `python -m tests.kit.kernel_table`.

| Linux | mdadm | what | source | tried | Raidwright |
| --- | --- | --- | --- | --- | --- |
"""


def text() -> str:
    """Return the page."""
    return _HEAD + "".join(map(_line, TABLE))


def _line(row: Known) -> str:
    cells = (_span(row.first, row.mended), _span(row.first_mdadm, row.mended_mdadm), row.what, row.source, row.tried)
    return f"| {' | '.join(each.replace('|', chr(92) + '|') or '–' for each in (*cells, row.answer))} |\n"


def _span(first: tuple[int, int] | None, end: tuple[int, int] | None) -> str:
    begins = f"from {first[0]}.{first[1]}" if first else ""
    ends = f"before {end[0]}.{end[1]}" if end else ""
    return ", ".join(filter(None, (begins, ends)))


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
