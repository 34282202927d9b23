"""Words of docstrings, comments and messages: the field's terms, and openings that name the subject."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = sorted(path for room in ("app", "helpers", "packaging", "tests") for path in (ROOT / room).rglob("*.py"))
MAX_CLAUSES = 5  # docstrings that open with a headless relative clause; each needs a reason
CLAUSE = re.compile(r"(what|whether|who|where|how)\b", re.IGNORECASE)
# A word of the left, and the field's own for it.
INSTEAD = {
    "stands in(?! for)": "is in",
    "lets? go": "releases, removes",
    "takes? back": "undo",
    "way back": "undo",
    "finds no room": "needs more space than there is",
    "has no word for": "doesn't support",
    "(is|are) to be": "must be",
    "wants (a|an|the|no|to be)": "needs",
    "of these not all": "not all of these",
    "accesses a second": "IOPS",
    "turns a minute": "rpm",
}
LISTED = re.compile(rf"\b({'|'.join(INSTEAD)})\b")
_QUOTED = re.compile("``.*?``|“.*?”")
_MESSAGES = {
    "tr",
    "ntr",
    "say",
    "say_count",
    "InputError",
    "PlanRefused",
    "MachineError",
    "DiskRefused",
    "JobFailed",
    "Busy",
}
_BOUND = re.compile(r"(^|_)(MOST|LEAST)(_|$)")


def _docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if text := ast.get_docstring(node):
            yield node.body[0].lineno, text


def _prose(source: str) -> Iterator[tuple[int, str]]:
    """Yield docstrings, comments and messages for people, each with its line."""
    tree = ast.parse(source)
    yield from _docstrings(tree)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _MESSAGES:
            for argument in node.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield argument.lineno, argument.value


def test_docstrings_open_with_a_noun_or_an_imperative() -> None:
    clauses = [
        f"{path.relative_to(ROOT)}:{line}: {text.splitlines()[0]}"
        for path in SOURCES
        for line, text in _docstrings(ast.parse(path.read_text(encoding="utf-8")))
        if CLAUSE.match(text)
    ]
    assert len(clauses) < MAX_CLAUSES, "\n".join(clauses)


def test_prose_uses_the_fields_words() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: “{match[0]}”"
        for path in SOURCES
        if path != Path(__file__)
        for line, text in _prose(path.read_text(encoding="utf-8"))
        for match in LISTED.finditer(_QUOTED.sub("", text))
    ]
    assert not found, "\n".join(found)


def test_bounds_are_named_max_and_min() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.id}"
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and _BOUND.search(node.id)
    ]
    assert not found, "\n".join(found)
