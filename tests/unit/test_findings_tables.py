"""Each check of findings is in a table, since one that is forgotten there never runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from raidwright.analysis import findings

_FOLDER = Path(findings.__path__[0])
_TABLES = "CHECKS"


def _checks(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("verify_"):
            yield node.name


def _listed(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
            if any(isinstance(target, ast.Name) and target.id.endswith(_TABLES) for target in targets):
                yield from (part.id for part in ast.walk(node) if isinstance(part, ast.Name))


def test_each_check_is_in_a_table() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in _FOLDER.glob("*.py")]
    checks = {name for tree in trees for name in _checks(tree)}
    assert checks
    missing = checks - {name for tree in trees for name in _listed(tree)}
    assert not missing
