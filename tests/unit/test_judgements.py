"""Sentences that judge, of errors too: each names its set or condition, or ``judgements.toml`` says when it holds."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator

import pytest
import translations

ROOT = translations.ROOT
TABLE = tomllib.loads((ROOT / "tests" / "judgements.toml").read_text(encoding="utf-8"))
# How many of the first arguments are templates, of errors as well.
TEMPLATES = {"tr": 1, "say": 1, "ntr": 2, "say_count": 2} | dict.fromkeys(translations.ERRORS, 1)
KINDS = {
    "superlative": re.compile(
        r"\b(best|worst|fastest|slowest|largest|smallest|safest|cheapest|fewest|newest|oldest|likeliest|always|never"
        r"|(?<!at )most(?!\}))\b",
        re.IGNORECASE,
    ),
    "verdict": re.compile(
        r"\b(healthy|(?<!as )(?<!for )good(?! (as|backup|SSDs))|should be|it should|safe|(?<!mdadm )works(?! on)|sound"
        r"|fine|in sync|harmless|FAILING)\b"
    ),
    "cause": re.compile(r"\b(because|due to|limited by|caused by|so something|limits)\b|, since\b", re.IGNORECASE),
    "state": re.compile(
        r"\b(gone|(has|have|is|are) lost|(has|have) failed|slower|faster|as fast as|too (warm|cold|slow|busy)|worn"
        r"|failing|safer|riskier|degraded)\b"
    ),
}
CONDITION = re.compile(r"\b(if|once|when|while|where|without|until|unless)\b", re.IGNORECASE)
SET = re.compile(
    r"\b(of (those|them|the \{count\}|\{count\} layouts)|that (fit|meet)s?\b|at the slowest one's|the slowest of them"
    r"|as the smallest\b)"
)


def _templates() -> Iterator[tuple[str, str]]:
    """Yield each template with the path of its module, without those that explain md."""
    for package in (ROOT / "app/raidwright", ROOT / "helpers/raidwright_helper"):
        for path in sorted(package.rglob("*.py")):
            where = str(path.relative_to(package))
            if where.startswith(tuple(TABLE["explains"])):
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                name = getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""
                for argument in node.args[: TEMPLATES.get(name, 0)] if isinstance(node, ast.Call) else ():
                    for each in ast.walk(argument):  # either of two, too
                        if isinstance(each, ast.Constant) and isinstance(each.value, str):
                            yield f"{where}:{each.lineno}", each.value


def _names_its_condition(kind: str, text: str) -> bool:
    if kind == "superlative":
        return SET.search(text) is not None
    return kind == "state" and CONDITION.search(text) is not None


@pytest.mark.parametrize("kind", KINDS)
def test_each_judgement_has_its_condition(kind: str) -> None:
    begins = tuple(TABLE[kind])
    judging = [(where, text) for where, text in _templates() if KINDS[kind].search(text)]
    free = [(where, text) for where, text in judging if not _names_its_condition(kind, text)]
    missing = [f"{where}: {text}" for where, text in free if not text.startswith(begins)]
    assert not missing, f"name the set, or say in judgements.toml when it holds ({kind}):\n" + "\n".join(missing)
    stale = [begin for begin in begins if not any(text.startswith(begin) for _, text in judging)]
    assert not stale, f"no such sentence any more ({kind}):\n" + "\n".join(stale)
