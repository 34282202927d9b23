"""SECURITY.md: the tests that it names exist, and none of the fifteen lines is missing."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))


@pytest.mark.parametrize(("file", "test"), NAMED)
def test_every_test_that_is_named_exists(file: str, test: str) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert test in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_each_of_the_fifteen_lines_has_its_tests() -> None:
    rows = [line for line in PAGE.splitlines() if re.match(r"\| \d+ \|", line)]
    assert [int(row.split("|")[1]) for row in rows] == list(range(1, 16))
    assert all("::test_" in row for row in rows)


def test_each_action_of_polkit_stands_there() -> None:
    policy = (ROOT / "resources/helper/org.raidwright.helper1.policy").read_text(encoding="utf-8")
    actions = set(re.findall(r'<action id="org\.raidwright\.helper1\.([\w-]+)"', policy))
    table = PAGE.partition("## Threat model")[0]
    assert set(re.findall(r"^\| [^|]+\| `([\w-]+)`", table, re.MULTILINE)) == actions
