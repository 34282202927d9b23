"""``python -m tests.kit.glossary``: write the current glossary, in each language that has documents."""

from __future__ import annotations

from pathlib import Path

from raidwright.text import catalogue
from raidwright.text.glossary.terms import markdown

DOCS = Path(__file__).parents[2] / "docs"
PATHS = {"en": DOCS / "glossary.md"} | {
    language: DOCS / language / "glossary.md"
    for language in catalogue.languages()
    if language != "en" and (DOCS / language).is_dir()
}

if __name__ == "__main__":
    for language, path in PATHS.items():
        catalogue.choose([language])
        path.write_text(markdown(), encoding="utf-8")
