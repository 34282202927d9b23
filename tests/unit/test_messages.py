"""Babel can collect every template, each has the fields that it names, and each language is up to date."""

from __future__ import annotations

import argparse
import ast
import contextlib
import functools
import inspect
import re
import string
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import translations
from raidwright import cli
from raidwright.analysis.reliability.published import published_rates, rate_of_class
from raidwright.core.errors import RaidwrightError
from raidwright.core.protocol import errors  # noqa: F401  (its classes are found among the subclasses)
from raidwright.text import catalogue

from tests.kit import pseudo

_SAYING = dict.fromkeys(("tr", "say", *translations.ERRORS), 1) | dict.fromkeys(("ntr", "say_count"), 2)
_NOT_FIELDS = {"code"}


class Call(NamedTuple):
    """A call with a message."""

    where: str
    name: str
    node: ast.Call

    @property
    def templates(self) -> list[ast.expr]:
        """The arguments that are messages."""
        return self.node.args[: _SAYING[self.name]]

    @property
    def given(self) -> set[str] | None:
        """The fields passed; None if some come from a mapping."""
        names = {keyword.arg for keyword in self.node.keywords}
        if None in names:
            return None
        counted = {"count"} if _SAYING[self.name] == 2 else set()
        return {name for name in names if name} - (_NOT_FIELDS if self.name in translations.ERRORS else set()) | counted


@functools.cache  # and not at import, which each worker would do
def _calls() -> tuple[Call, ...]:
    return tuple(_found())


def _found() -> Iterator[Call]:
    for folder in ("app", "helpers"):
        for path in sorted((translations.ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                match node:
                    case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)) if name in _SAYING:
                        if node.args:
                            where = f"{path.relative_to(translations.ROOT)}:{node.lineno}"
                            yield Call(where, name, node)


def _named(template: str) -> set[str]:
    return {name for _text, name, _spec, _conversion in string.Formatter().parse(template) if name is not None}


def test_every_class_of_error_is_collected() -> None:
    def below(kind: type[RaidwrightError]) -> Iterator[str]:
        yield kind.__name__
        for one in kind.__subclasses__():
            yield from below(one)

    ours = set(below(RaidwrightError))
    assert ours >= set(translations.ERRORS)
    assert {name for name in ours if not name.startswith("_")} <= set(translations.ERRORS)


def test_templates_stand_where_they_are_said() -> None:
    """As text literals: Babel would miss or mix up those composed or chosen within the call."""
    for call in _calls():
        for template in call.templates:
            is_text = isinstance(template, ast.Constant) and isinstance(template.value, str)
            assert is_text or _is_of_elsewhere(template), call.where


def _is_of_elsewhere(template: ast.expr) -> bool:
    if isinstance(template, ast.IfExp):
        return _is_of_elsewhere(template.body) and _is_of_elsewhere(template.orelse)
    return isinstance(template, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))


def test_every_template_is_collected() -> None:
    found = {text for one in pseudo.everything() for text in ([one.id] if isinstance(one.id, str) else one.id)}
    for call in _calls():
        for template in call.templates:
            if isinstance(template, ast.Constant):
                assert template.value in found, (call.where, template.value)


def test_a_counted_template_is_counted_wherever_it_is_said() -> None:
    """Both share a translation, which may name the count: said without it, the message would stay English."""
    counting = {True: dict[str, str](), False: dict[str, str]()}
    for call in _calls():
        texts = [str(template.value) for template in call.templates if isinstance(template, ast.Constant)]
        counting[call.name in ("ntr", "say_count")] |= dict.fromkeys(texts[:1], call.where)
    both = counting[True].keys() & counting[False].keys()
    assert not both, {text: counting[False][text] for text in both}


def test_every_template_has_its_fields() -> None:
    """All fields that it names are passed; and except for errors, whose fields callers use as well, no others are."""
    for call in _calls():
        if call.given is None:
            continue
        texts = [one.value for one in call.templates if isinstance(one, ast.Constant)]
        if not texts or (not call.node.keywords and call.name in ("say", "tr")):
            continue  # a template that is filled elsewhere, or that has no fields
        named = set().union(*(_named(str(text)) for text in texts))
        assert named <= call.given, (call.where, named - call.given)
        if call.name not in translations.ERRORS:
            assert call.given <= named | {"count"}, (call.where, call.given - named)


_NEWEST_PYTHON = (3, 13)  # of the Debians that are supported; a later one's new messages stay English
_WRONG_LINES = (
    *(
        "assess --nonsense plan.json",
        "candidates",
        "lab up",
        "lab disk pull",
        "lab nonsense",
        "loss plan.json --years a",
    ),
    *("assess --json=1 plan.json", "export plan.json --as nonsense", "candidates --disks", "gui --prac", "gui a b"),
    *("array", "bench --seconds", "builds --undo", "compare", "export --machine=a --a", "runs --j"),
)


def _said_by_argparse(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> set[str]:
    """Return the messages that our parsers look up through argparse, for all help and for wrong command lines."""
    said: set[str] = set()

    def one(text: str) -> str:
        said.add(text)
        return text

    def many(singular: str, plural: str, count: int) -> str:
        said.update((singular, plural))
        return singular if count == 1 else plural

    monkeypatch.setattr(argparse, "_", one)
    monkeypatch.setattr(argparse, "ngettext", many)
    for arguments in (["--help"], ["nonsense"]):
        with contextlib.suppress(SystemExit):
            cli.main(arguments)
    for command, *words in map(str.split, (*(f"{name} --help" for name in cli.command_names()), *_WRONG_LINES)):
        with contextlib.suppress(SystemExit, RaidwrightError):
            cli.parser_of(command).parse_args(words)
    capsys.readouterr()
    return {text for text in said if re.search("[a-z]", re.sub(r"%\(\w+\)[rs]|%[rs]", "", text))}


def test_what_argparse_says_is_collected(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    ours = {text for words in translations.ARGPARSE for text in ([words] if isinstance(words, str) else words)}
    said = _said_by_argparse(monkeypatch, capsys)
    assert {"usage: ", "options", "unrecognized arguments: %s", "the following arguments are required: %s"} <= said
    if sys.version_info[:2] <= _NEWEST_PYTHON:
        assert said <= ours
        assert all(text in inspect.getsource(argparse) for text in ours)


def test_the_sources_of_failure_rates_are_collected() -> None:
    """They are in tables, not in the code."""
    found = {one.id for one in pseudo.everything()}
    assert {one.source for one in published_rates()} <= found
    assert {rate_of_class(flash=flash).source for flash in (False, True)} <= found


def _fields(form: str) -> set[str]:
    """Return our fields and argparse's, except the count, which a plural form may omit."""
    return _named(form) - {"count"} | set(re.findall(r"%(?:\(\w+\))?[sr]", form))


LANGUAGES = sorted(translations.LANGUAGES.glob("*/LC_MESSAGES/*.po"))


def faults(path: Path) -> Iterator[str]:
    """Yield wrong translations in a language's file. Missing ones are no fault: `make languages-check` lists them."""
    for message in translations.read(path):
        if not message.id:
            continue
        if message.fuzzy:
            yield f"fuzzy: {message.id!r}"
        ids = (message.id,) if isinstance(message.id, str) else message.id
        forms = (message.string,) if isinstance(message.string, str) else message.string or ("",)
        fields = set().union(*map(_fields, ids))
        if offered := set().union(*map(_fields, message.auto_comments)):  # as other units of the same number
            yield from (f"other fields: {form!r}" for form in forms if not _fields(form) <= fields | offered)
        else:
            yield from (f"other fields: {form!r}" for form in forms if form and _fields(form) != fields)


def test_every_language_is_right_in_what_it_says() -> None:
    for path in LANGUAGES:
        assert path.name == "raidwright.po"
        assert list(faults(path)) == [], path


def test_a_language_that_is_wrong_is_noticed(tmp_path: Path) -> None:
    """Test the check itself, and the list of missing messages, on a language of few messages."""
    path = tmp_path / "eo" / "LC_MESSAGES" / "raidwright.po"
    path.parent.mkdir(parents=True)
    path.write_text(
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n'
        'msgid "unrecognized arguments: %s"\nmsgstr "nekonataj: %r"\n\n'
        '#, fuzzy\nmsgid "Undo"\nmsgstr "Malfari"\n\n'
        'msgid "{who} is not a disk of hardware."\nmsgstr "{what} ne estas disko."\n\n'
        'msgid "Redo"\nmsgstr ""\n'
    )
    said = list(faults(path))
    for wanted in ("fuzzy: 'Undo'", "other fields: '{what}", "other fields: 'nekonataj"):
        assert any(one.startswith(wanted) for one in said), wanted
    missing = list(translations.lacking(path, pseudo.everything()))
    assert "Redo" in missing
    assert len(missing) > 1000
    assert "unrecognized arguments: %s" not in missing


def test_a_language_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The steps of docs/translating.md: a folder, its file made, translated, updated, compiled, and used."""
    monkeypatch.setattr(translations, "LANGUAGES", tmp_path)
    monkeypatch.setattr(translations, "messages", pseudo.everything)
    folder = tmp_path / "pl" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    translations.update()
    path = folder / "raidwright.po"
    assert list(faults(path)) == []
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('msgid "Undo"\nmsgstr ""', 'msgid "Undo"\nmsgstr "Cofnij"'), encoding="utf-8")
    translations.update()
    translations.compile_all(tmp_path)
    assert [file.name for file in sorted(folder.iterdir())] == ["raidwright.mo", "raidwright.po"]
    try:
        catalogue.choose(["pl"], tmp_path)
        assert (catalogue.tr("Undo"), catalogue.tr("Redo")) == ("Cofnij", "Redo")
    finally:
        catalogue.choose(["en"])
