"""The speed model's table of constants."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from raidwright.analysis import performance
from raidwright.analysis.performance.constants import ConstantKind, table

ROOM = Path(performance.__path__[0])
TABLE = ROOM / "constants.py"
OTHERS = sorted(path for path in ROOM.rglob("*.py") if path != TABLE)


def is_numeric(value: ast.expr) -> bool:
    """Return True for numbers, arithmetic of numbers, and tuples or dictionaries that hold only such."""
    match value:
        case ast.Constant(value=number):
            return isinstance(number, int | float) and not isinstance(number, bool)
        case ast.UnaryOp(operand=operand):
            return is_numeric(operand)
        case ast.BinOp(left=left, right=right):
            return is_numeric(left) or is_numeric(right)
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items) | ast.Dict(values=items):
            return any(map(is_numeric, items))
        case _:
            return False


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: str(path.relative_to(ROOM)))
def test_constants_are_in_the_table_alone(path: Path) -> None:
    assigned = [
        node for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.Assign | ast.AnnAssign)
    ]
    assert [ast.unparse(node) for node in assigned if node.value is not None and is_numeric(node.value)] == []


def test_every_constant_has_its_origin() -> None:
    names = re.findall(r"^([A-Z][A-Z0-9_]*)(?::| =)", TABLE.read_text("utf-8"), re.MULTILINE)
    rows = list(table())
    assert [name for name, _, _ in rows] == names
    for name, _, origin in rows:
        assert all((origin.unit, origin.source, origin.kind in ConstantKind)), name
        assert origin.kind is not ConstantKind.PHYSICAL or not origin.check, name


def test_checks_are_make_targets() -> None:
    makefile = (Path(__file__).parents[2] / "Makefile").read_text("utf-8")
    assert {origin.check for _, _, origin in table() if origin.check and f"\n{origin.check}:" not in makefile} == set()


def test_every_constant_is_used() -> None:
    code = "\n".join(path.read_text("utf-8") for path in [*OTHERS, TABLE])
    assert [name for name, _, _ in table() if len(re.findall(rf"\b{name}\b", code)) < 2] == []
