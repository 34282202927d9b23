"""The documents: their commands run, links work, named things exist, and the figures are current."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as XmlTree

import pytest
from babel.messages.catalog import Catalog
from deb import command_line, wheels
from raidwright.cli import command_names, parser_of
from raidwright.ui.help.documents import DOCUMENTS, GLOSSARY, OF_STATION, anchor_of, link_from
from shipped import DOCUMENTS as SHIPPED
from translations import read

from ..published_check.__main__ import GROUPS, errors, shares
from ..published_check.study import rows

ROOT = Path(__file__).parents[2]
WHY_NOT = {  # the word after "sh" of a block that doesn't run here
    "needs-disks": "a machine's disks, which its tests in the practice machine have",
    "needs-practice": "a practice machine of one's own",
    "needs-root": "root's rights: make wheel-check and make deb-check run them",
    "is-set-up": "it sets a checkout up, which has happened",
}
_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_LANGUAGES = tuple(sorted(path.parent.name for path in ROOT.glob("docs/*/guide")))  # one may begin by a catalogue
_SOURCES = {  # of each translated document, with its language
    str(path.relative_to(ROOT)): (f"docs/{path.relative_to(ROOT / 'docs' / language)}", language)
    for language in _LANGUAGES
    for path in sorted((ROOT / "docs" / language).rglob("*.md"))
}
_TEXTS = {name: (ROOT / name).read_text(encoding="utf-8") for name in (*DOCUMENTS, *_SOURCES)}
_OF_TODAY = {name: text for name, text in _TEXTS.items() if name != "CHANGELOG.md"}  # which describes the past


class Block(NamedTuple):
    document: str
    kind: str
    lines: str

    @property
    def title(self) -> str:
        return f"{self.document}: {self.lines.splitlines()[0][:40]}"


BLOCKS = [Block(name, *found) for name, text in _TEXTS.items() for found in _FENCE.findall(text)]
RUN = [block for block in BLOCKS if block.kind == "sh"]


def test_every_block_of_commands_runs_or_says_why_not() -> None:
    kinds = {block.kind for block in BLOCKS}
    assert kinds <= {"sh", "text", "python", *(f"sh {word}" for word in WHY_NOT)}
    assert {f"sh {word}" for word in WHY_NOT} <= kinds
    assert len(RUN) >= 5


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the example files, with ``raidwright`` callable."""
    shutil.copytree(ROOT / "docs/examples", tmp_path / "here")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/raidwright").symlink_to(Path(sys.executable).parent / "raidwright")
    return tmp_path


@pytest.mark.parametrize("block", RUN, ids=[block.title for block in RUN])
def test_the_commands_of_a_document_run(block: Block, folder: Path) -> None:
    environment = {
        "PATH": f"{folder / 'bin'}:{os.defpath}",
        "HOME": str(folder),
        "XDG_DATA_HOME": str(folder / "data"),
        "LC_ALL": "C.UTF-8",
        "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/dev/null",  # nothing here may ask for a machine
    }
    done = subprocess.run(
        ["bash", "-euc", block.lines],  # noqa: S607
        cwd=folder / "here",
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout or list((folder / "here").iterdir())


def _calls_in(block: Block) -> Iterator[list[str]]:
    """Yield the arguments of ``raidwright`` in each line that calls it."""
    for line in block.lines.replace("\\\n", " ").splitlines() if block.kind.startswith("sh") else ():
        words = shlex.split(line.partition(" > ")[0], comments=True)
        if words and Path(words[0]).name == "raidwright":
            yield words[1:]


def _calls() -> Iterator[tuple[str, list[str]]]:
    """Yield each call with its document, including those in sentences."""
    yield from ((block.document, words) for block in BLOCKS for words in _calls_in(block))
    for name, text in _OF_TODAY.items():
        for said in re.findall(r"`raidwright ([^`]+)`", _FENCE.sub("", text)):
            yield name, said.split()


def test_every_command_and_option_that_is_named_exists() -> None:
    calls = list(_calls())
    assert len(calls) > 40
    for document, words in calls:
        if words[0] in ("COMMAND", "--version"):
            continue
        assert words[0] in command_names(), (document, words)
        known = {
            option for _path, parser in command_line._parsers(words[0]) for option in command_line._options(parser)
        }
        own = words[1 : words.index("--")] if "--" in words else words[1:]
        named = {word.partition("=")[0] for word in own if word.startswith("--")}
        assert named <= known, (document, words)


@pytest.mark.parametrize("block", BLOCKS, ids=[block.title for block in BLOCKS])
def test_every_call_in_a_block_is_taken(block: Block) -> None:
    """Also of those that don't run here."""
    for command, *words in _calls_in(block):
        parser_of(command).parse_args(words)


def test_what_the_guide_tells_to_click_is_on_the_screen() -> None:
    """Bold words are the window's own texts."""
    said = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "app/raidwright").rglob("*.py"))
    guide = [text for name, text in _TEXTS.items() if name.startswith("docs/guide/")]
    words = {" ".join(bold.split()).rstrip(".") for text in guide for bold in re.findall(r"\*\*([^*]+)\*\*", text)}
    assert len(words) > 20
    assert {word for word in words if f'"{word}' not in said} == set()


@pytest.mark.parametrize("language", _LANGUAGES)
def test_what_a_translated_guide_tells_to_click_is_in_its_catalogue(language: str) -> None:
    said = [form for message in _catalogue(language) for form in _forms(message.string or "")]
    guide = [text for name, text in _TEXTS.items() if name.startswith(f"docs/{language}/guide/")]
    words = {bold for text in guide for bold in re.findall(r"\*\*([^*]+)\*\*", text)}
    assert len(words) > 20
    assert {word for word in words if not any(word in each for each in said)} == set()


def _catalogue(language: str) -> Catalog:
    return read(ROOT / f"resources/translations/{language}/LC_MESSAGES/raidwright.po")


def _forms(words: str | Sequence[str]) -> Sequence[str]:
    return (words,) if isinstance(words, str) else words


@pytest.mark.parametrize("name", _SOURCES)
def test_a_translated_document_has_what_its_source_has(name: str) -> None:
    """The same number of headings of each level, the same commands and pictures."""
    own, source = _TEXTS[name], _TEXTS[_SOURCES[name][0]]
    assert re.findall("^#+ ", own, re.MULTILINE) == re.findall("^#+ ", source, re.MULTILINE)
    assert _FENCE.findall(own) == _FENCE.findall(source)
    source_name, language = _SOURCES[name]
    assert _pictures(name) == [each.replace("docs/", f"docs/{language}/", 1) for each in _pictures(source_name)]


def _pictures(name: str) -> list[str]:
    return [link_from(name, href).document for href in re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", _TEXTS[name])]


@pytest.mark.parametrize("language", _LANGUAGES)
def test_the_guide_and_the_glossary_are_there_in_each_language(language: str) -> None:
    wanted = {name for name in DOCUMENTS if name.startswith("docs/guide/")} | {GLOSSARY}
    assert {source for source, own in _SOURCES.values() if own == language} >= wanted


def test_every_target_of_make_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for name, text in _OF_TODAY.items():
        named = set(re.findall(r"`make ([a-z-]+)[ `]", text)) | set(re.findall(r"^make ([a-z-]+)", text, re.MULTILINE))
        assert named <= targets, name


@pytest.mark.parametrize("name", _TEXTS)
def test_every_link_leads_somewhere(name: str) -> None:
    for href in _LINK.findall(_FENCE.sub("", _TEXTS[name])):
        link = link_from(name, href)
        if link.address:
            assert link.address.startswith("https://"), href
            continue
        target = ROOT / link.document
        assert target.is_file(), href
        assert link.document.startswith("docs/") or link.document in SHIPPED, f"{href} doesn't come along"
        if link.anchor:
            headings = re.findall(r"^#+ (.*)$", _TEXTS[link.document], re.MULTILINE)
            assert link.anchor in map(anchor_of, headings), href


def test_each_document_can_be_found_in_the_window_and_comes_along() -> None:
    written = {str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")} | set(SHIPPED)
    assert written == set(DOCUMENTS) | set(_SOURCES)
    assert set(OF_STATION.values()) <= written


def test_each_picture_is_shown() -> None:
    shown = {link_from(name, href).document for name, text in _TEXTS.items() for href in _LINK.findall(text)}
    assert {str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("pictures/*")} <= shown
    size_bytes = sum(path.stat().st_size for path in (ROOT / "docs").rglob("*") if path.is_file())
    assert size_bytes < 2_500_000  # with pictures in two languages


def _rooms(folder: str) -> set[str]:
    return {f"{path.parent.name}/" for path in (ROOT / folder).glob("*/__init__.py")}


def test_the_picture_of_the_architecture_shows_every_room_and_no_other() -> None:
    rooms = _rooms("app/raidwright") | _rooms("helpers/raidwright_helper")
    drawn = XmlTree.parse(ROOT / "docs/pictures/architecture.svg").iter("{http://www.w3.org/2000/svg}text")  # noqa: S314
    named = [text.text for text in drawn if text.get("font-weight") == "bold"]
    assert sorted(filter(None, named)) == sorted(rooms)
    page = _TEXTS["docs/architecture.md"]
    assert rooms <= set(re.findall(r"`([a-z_]+/)`", page))


def test_the_figures_of_published_arrays_are_what_the_check_prints() -> None:
    page, found = _TEXTS["docs/figures.md"], list(rows())
    better, of_all, plain = shares(found)
    words = " ".join(page.split())
    assert f"on {better:.0f}% of {len(found)} rows, within the band on {of_all:.0f}%" in words
    assert f"on {plain:.0f}% of those that nothing explains" in words
    table = re.findall(r"^\|[^|]+\| (\d+ \| \d+% \|.*) \|$", page, re.MULTILINE)
    expected = []
    for name, bound in GROUPS.items():
        group = [row for row in found if row.group == name]
        unexplained = [row for row in group if not row.reason]
        within = round(100 * sum(row.within for row in group) / len(group))
        figures = (len(group), *errors(group), len(unexplained), *errors(unexplained), *bound, within)
        expected.append(tuple(map(round, figures)))
    assert [tuple(map(int, re.findall(r"\d+", row))) for row in table] == expected


def test_each_package_that_comes_along_is_named_with_its_licence() -> None:
    page = _TEXTS["docs/licences.md"].lower()
    for name in wheels.names():
        assert name in page
