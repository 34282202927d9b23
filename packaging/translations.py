"""The catalogue's files: messages to translate, collected by Babel, and the languages, kept up to date or compiled.

packaging/translations.py update             each language's .po with the messages as they are now
packaging/translations.py check              what each language lacks; fails while there is any, so before a release
packaging/translations.py compile [FOLDER]   each .po below FOLDER, by default resources/translations, as .mo
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = ROOT / "resources" / "translations"
ERRORS = (
    *("RaidwrightError", "InputError", "PlanRefused", "MachineError", "Denied", "DiskRefused", "JobFailed"),
    *("Unreachable", "Busy", "NoSuchJob", "NoPolkit", "UnknownMethod", "WrongSignature", "TooLong"),
)
# The message arguments of a call, in Babel's form; None is the first alone, and c a context.
KEYWORDS = {
    **dict.fromkeys(("tr", "say", *ERRORS)),
    **dict.fromkeys(("ntr", "say_count"), (1, 2)),
    "_sign_of": ((1, "c"), 2),
}
_METHODS = [("**.py", "python")]
# The messages of Python's argparse to users; it calls gettext for them, and so uses our catalogue
# (``text/catalogue.py``). Its messages to programmers aren't among them.
ARGPARSE: tuple[str | tuple[str, str], ...] = (
    *("usage: ", "options", "positional arguments", "show this help message and exit"),
    *("argument %(argument_name)s: %(message)s", "the following arguments are required: %s"),
    *("unrecognized arguments: %s", "one of the arguments %s is required", "not allowed with argument %s"),
    *("expected one argument", "expected at most one argument", "expected at least one argument"),
    *(("expected %s argument", "expected %s arguments"), "ignored explicit argument %r"),
    *("invalid choice: %(value)r (choose from %(choices)s)", "invalid %(type)s value: %(value)r"),
    *("ambiguous option: %(option)s could match %(matches)s", "unexpected option string: %s"),
)


# The tables whose column "source" is shown to people.
TABLES = ("afr", "drive_classes")


def messages() -> Catalog:
    """Return all messages of the program."""
    found = Catalog(project="Raidwright", fuzzy=False)
    for folder in ("app", "helpers"):
        extracted = extract_from_dir(ROOT / folder, _METHODS, keywords=KEYWORDS, comment_tags=["For translators:"])
        for name, line, message, comments, context in extracted:
            found.add(message, None, [(f"{folder}/{name}", line)], auto_comments=comments, context=context)
    for file, line, source in _sources():
        found.add(source, None, [(file, line)], auto_comments=["Where a failure rate comes from."])
    for words in ARGPARSE:
        found.add(words, None, [("argparse", 1)], auto_comments=["Python's own; what begins with % stays."])
    return found


def _sources() -> Iterator[tuple[str, int, str]]:
    """Yield (file, line, text) of each source in the tables, at its first occurrence."""
    for table in TABLES:
        file = f"resources/data/{table}.csv"
        seen = set[str]()
        with (ROOT / file).open(encoding="utf-8") as lines:
            rows = csv.DictReader(lines)
            for row in rows:
                if row["source"] not in seen:
                    seen.add(row["source"])
                    yield file, rows.line_num, row["source"]


def update() -> None:
    """Update each language's file, or create it in a new folder; new messages stay empty."""
    template = messages()
    for folder in sorted(LANGUAGES.glob("*/LC_MESSAGES")):
        path = folder / "raidwright.po"
        catalog = read(path) if path.exists() else Catalog(locale=folder.parent.name, fuzzy=False)
        catalog.update(template, no_fuzzy_matching=True, update_creation_date=False)
        catalog.obsolete.clear()
        _write(path, catalog)


def lacking(path: Path, wanted: Catalog) -> Iterator[str]:
    """Yield the messages of ``wanted`` that ``path`` lacks, which therefore stay English."""
    catalog = read(path)
    for message in wanted:
        if message.id:
            there = catalog.get(message.id, message.context)
            forms = (there.string,) if there and isinstance(there.string, str) else there.string if there else ()
            if not forms or not all(forms):
                yield message.id if isinstance(message.id, str) else message.id[0]


def check() -> int:
    """Print each language's missing messages; return their number."""
    wanted, count = messages(), 0
    for path in sorted(LANGUAGES.glob("*/LC_MESSAGES/raidwright.po")):
        missing = list(lacking(path, wanted))
        print(f"{path.parts[-3]}: {len(missing)} of {len(wanted)} messages are missing", *missing, sep="\n  ")
        count += len(missing)
    return count


def compile_all(folder: Path) -> None:
    """Compile each .po below ``folder`` that is newer than its .mo."""
    for path in sorted(folder.glob("*/LC_MESSAGES/*.po")):
        target = path.with_suffix(".mo")
        if not target.exists() or target.stat().st_mtime < path.stat().st_mtime:
            with target.open("wb") as file:
                write_mo(file, read(path))


def read(path: Path) -> Catalog:
    """Read the catalogue in ``path``, whose third folder from the end is its language."""
    with path.open("rb") as file:
        return read_po(file, locale=path.parts[-3], abort_invalid=True)


def _write(path: Path, catalog: Catalog) -> None:
    # Sorted by message, without file and line, so that moving code changes no translation and branches merge.
    catalog.project = "Raidwright"
    package = (ROOT / "app" / "raidwright" / "__init__.py").read_text(encoding="utf-8")
    (catalog.version,) = re.findall('__version__ = "(.*)"', package)
    catalog.msgid_bugs_address = catalog.language_team = ""
    catalog.last_translator = "Raidwright's authors"
    catalog.revision_date = catalog.creation_date
    catalog.header_comment = "# Raidwright's messages in another language; GPL-3.0-or-later, as Raidwright itself."
    with path.open("wb") as file:
        write_po(file, catalog, width=120, sort_output=True, no_location=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["update"]:
            update()
        case ["check"]:
            sys.exit(1 if check() else 0)
        case ["compile", *folders] if len(folders) < 2:
            compile_all(Path(*folders) if folders else LANGUAGES)
        case _:
            sys.exit((__doc__ or "").strip())
