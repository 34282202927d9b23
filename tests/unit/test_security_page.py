"""SECURITY.md and its proofs: the tests that are named exist, and none of the fifteen lines is missing."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROMISES = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
PAGE = (ROOT / "docs/security-proofs.md").read_text(encoding="utf-8")
MAX_PROMISES_BYTES = 7_500
_TABLES = re.findall(r"^\| .*`(tests/[\w/]+\.py)` \|\n((?:\|.*\n)+)", PAGE, re.MULTILINE)  # of one file's tests
_OF_TABLES = [(file, test) for file, rows in _TABLES for test in re.findall(r"`(test_\w+)`", rows)]
NAMED = sorted({*re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE), *_OF_TABLES})


@pytest.mark.parametrize(("file", "test"), NAMED)
def test_every_test_that_is_named_exists(file: str, test: str) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert test in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_each_of_the_fifteen_lines_has_its_tests() -> None:
    _, *lines = re.split(r"^### (?=\d+\.)", PAGE, flags=re.MULTILINE)
    assert [int(line.partition(".")[0]) for line in lines] == list(range(1, 16))
    assert all("::test_" in line.partition("\n## ")[0] for line in lines)


def test_each_promise_leads_to_its_proof_in_a_page_that_is_short() -> None:
    told = PROMISES.partition("## What is promised")[2].partition("\n## ")[0]
    _, *promises = re.split(r"^- ", told, flags=re.MULTILINE)
    assert len(promises) >= 15
    assert all("](docs/security-proofs.md#" in promise for promise in promises)
    assert len(PROMISES.encode()) <= MAX_PROMISES_BYTES


def test_each_action_of_polkit_stands_there() -> None:
    policy = (ROOT / "resources/helper/org.raidwright.helper1.policy").read_text(encoding="utf-8")
    actions = set(re.findall(r'<action id="org\.raidwright\.helper1\.([\w-]+)"', policy))
    table = PAGE.partition("## The fifteen lines")[0]
    assert set(re.findall(r"^\| [^|]+\| `([\w-]+)`", table, re.MULTILINE)) == actions
