"""Every template can be collected by Babel, has the fields that it names, and each language has it as it is now."""

from __future__ import annotations

import argparse
import ast
import functools
import inspect
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import translations
from raidwright.analysis.reliability.published import published_rates, rate_of_class
from raidwright.core.errors import RaidwrightError
from raidwright.core.protocol import errors  # noqa: F401  (its classes are found among the subclasses)
from raidwright.text import catalogue

from tests.kit import pseudo

_SAYING = dict.fromkeys(("tr", "say", *translations.ERRORS), 1) | dict.fromkeys(("ntr", "say_count"), 2)
_NOT_FIELDS = {"code"}


class Call(NamedTuple):
    """A call that says something."""

    where: str
    name: str
    node: ast.Call

    @property
    def templates(self) -> list[ast.expr]:
        """The arguments that are messages."""
        return self.node.args[: _SAYING[self.name]]

    @property
    def given(self) -> set[str] | None:
        """The fields that it gives; None where some come from a mapping."""
        names = {keyword.arg for keyword in self.node.keywords}
        if None in names:
            return None
        counted = {"count"} if _SAYING[self.name] == 2 else set()
        return {name for name in names if name} - (_NOT_FIELDS if self.name in translations.ERRORS else set()) | counted


@functools.cache  # and not at import, which each of several workers does
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
    """As text alone: what is put together, or chosen within the call, Babel would miss or mix up."""
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


def test_every_template_has_its_fields() -> None:
    """All that it names is given; and but for errors, whose fields are a caller's as well, nothing else is."""
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


# What argparse says of a parser that is wrong, and what no parser of ours makes it say. Also of Pythons after 3.11.
_NEVER_SAID = {
    *(".__call__() not defined", "%r is not callable", "cannot have multiple subparser arguments"),
    *("'required' is an invalid argument for positionals", "cannot merge actions - two groups are named %r"),
    *("invalid option string %(option)r: must start with a character %(prefix_chars)r", "subcommands"),
    *("dest= is required for options like %r", "invalid conflict_resolution value: %r"),
    *("mutually exclusive arguments must be optional", "conflicting subparser: %s", "conflicting subparser alias: %s"),
    *("conflicting option string: %s", "conflicting option strings: %s", "%(prog)s: error: %(message)s\n"),
    *("unknown parser %(parser_name)r (choices: %(choices)s)", 'argument "-" with mode %r'),
    *("can't open '%(filename)s': %(error)s", "%(prog)s: warning: %(message)s\n"),
    *("option '%(option)s' is deprecated", "command '%(parser_name)s' is deprecated"),
    *("argument '%(argument_name)s' is deprecated", "show program's version number and exit"),
}


def test_what_argparse_says_is_collected() -> None:
    said = {
        argument.value
        for node in ast.walk(ast.parse(inspect.getsource(argparse)))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("_", "ngettext")
        for argument in node.args
        if isinstance(argument, ast.Constant)
    }
    ours = {text for words in translations.ARGPARSE for text in ([words] if isinstance(words, str) else words)}
    assert ours <= said
    assert {text for text in said if isinstance(text, str)} <= ours | _NEVER_SAID


def test_the_sources_of_failure_rates_are_collected() -> None:
    """They stand in tables, not in the code."""
    found = {one.id for one in pseudo.everything()}
    assert {one.source for one in published_rates()} <= found
    assert {rate_of_class(flash=flash).source for flash in (False, True)} <= found


def _fields(form: str) -> set[str]:
    """Ours and argparse's, but for how many there are, which a form may leave out."""
    return _named(form) - {"count"} | set(re.findall(r"%(?:\(\w+\))?[sr]", form))


LANGUAGES = sorted(translations.LANGUAGES.glob("*/LC_MESSAGES/*.po"))


def faults(path: Path) -> Iterator[str]:
    """Wrong translations in a language's file. What it lacks is no fault: `make languages-check` lists that."""
    for message in translations.read(path):
        if not message.id:
            continue
        if message.fuzzy:
            yield f"fuzzy: {message.id!r}"
        ids = (message.id,) if isinstance(message.id, str) else message.id
        forms = (message.string,) if isinstance(message.string, str) else message.string or ("",)
        fields = set().union(*map(_fields, ids))
        yield from (f"other fields: {form!r}" for form in forms if form and _fields(form) != fields)


def test_every_language_is_right_in_what_it_says() -> None:
    for path in LANGUAGES:
        assert path.name == "raidwright.po"
        assert list(faults(path)) == [], path


def test_a_language_that_is_wrong_is_noticed(tmp_path: Path) -> None:
    """The check itself, and the list of what is missing, on a language of few messages."""
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
    """The steps of CONTRIBUTING.md: a folder, its file made, translated, brought up to date, compiled, and spoken."""
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
