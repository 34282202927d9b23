"""``python -m tests.kit.glossary``: docs/glossary.md as the terms are now."""

from __future__ import annotations

from pathlib import Path

from raidwright.text.glossary.terms import markdown

PATH = Path(__file__).parents[2] / "docs" / "glossary.md"

if __name__ == "__main__":
    PATH.write_text(markdown(), encoding="utf-8")
