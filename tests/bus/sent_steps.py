"""The steps that the helper's code sends for a verb: found in the source, along its act's call graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import raidwright_helper
from raidwright_helper.verbs.method import Method

_PACKAGE = "raidwright_helper"
_ROOT = Path(raidwright_helper.__file__).parent
Place = tuple[str, str]  # a module, and a function or Class.method in it


class Source:
    """The helper's functions, and each module's names for other modules'."""

    def __init__(self) -> None:
        self._functions: dict[Place, ast.AST] = {}
        self._imported: dict[str, dict[str, str]] = {}
        for path in _ROOT.rglob("*.py"):
            parts = (_PACKAGE, *path.relative_to(_ROOT).with_suffix("").parts)
            self._read(".".join(parts), ast.parse(path.read_text(encoding="utf-8")))

    def _read(self, module: str, tree: ast.Module) -> None:
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._functions[module, node.name] = node
            elif isinstance(node, ast.ClassDef):
                methods = (one for one in node.body if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)))
                self._functions |= {(module, f"{node.name}.{one.name}"): one for one in methods}
        froms = (node for node in tree.body if isinstance(node, ast.ImportFrom))
        self._imported[module] = {
            alias.asname or alias.name: f"{_origin(module, node)}.{alias.name}"
            for node in froms
            for alias in node.names
        }

    def steps_of(self, method: Method) -> set[str]:
        """Return the names of the JobSteps that the act of ``method``, or any function it calls, sends."""
        act = method.run
        waiting, seen, steps = [(act.__module__, act.__qualname__)], set[Place](), set[str]()
        while waiting:
            place = waiting.pop()
            if place in seen or place not in self._functions:
                continue
            seen.add(place)
            for node in ast.walk(self._functions[place]):
                match node:
                    case ast.Attribute(ast.Name("JobStep"), step):
                        steps.add(step)
                waiting += self._meant(place, node)
        return steps

    def _meant(self, place: Place, node: ast.AST) -> Iterator[Place]:
        module, name = place
        match node:
            case ast.Attribute(ast.Name("self"), method):
                yield module, f"{name.partition('.')[0]}.{method}"
            case ast.Attribute(ast.Name(other), function):
                yield self._imported[module].get(other, ""), function
            case ast.Name(function):
                yield module, function
                origin, _, original = self._imported[module].get(function, "").rpartition(".")
                yield origin, original


def _origin(module: str, node: ast.ImportFrom) -> str:
    above = module.split(".")[: -node.level] if node.level else []
    return ".".join([*above, *([node.module] if node.module else [])])
