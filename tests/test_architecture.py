"""The project's architecture, checked in the code: permitted imports, no cycles, files on one subject."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = {"raidwright": ROOT / "app" / "raidwright", "raidwright_helper": ROOT / "helpers" / "raidwright_helper"}
STANDARD = sys.stdlib_module_names
DUMPING_GROUNDS = {"utils", "util", "common", "helpers", "misc"}
LONGEST_FILE_LINES = 400
LONGEST_FUNCTION_LINES = 60


def _modules() -> dict[str, Path]:
    found = {}
    for package, folder in SOURCES.items():
        for path in folder.rglob("*.py"):
            parts = [package, *path.relative_to(folder).with_suffix("").parts]
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = path
    return found


MODULES = _modules()
PACKAGES = {name for name in MODULES if any(other.startswith(f"{name}.") for other in MODULES)}


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"), str(MODULES[module]))


def _targets(module: str, node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = module.split(".")
        if node.level:
            base = base[: len(base) - node.level + (module in PACKAGES)]
            source = ".".join([*base, node.module] if node.module else base)
        else:
            source = node.module or ""
        for alias in node.names:
            full = f"{source}.{alias.name}"
            yield full if full in MODULES else source


def _for_types_only(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


@cache
def _imports(module: str, *, late: bool = True) -> frozenset[str]:
    """Return the modules that ``module`` imports; with ``late=False`` only those imported with it."""
    found: set[str] = set()
    stack: list[ast.AST] = [_tree(module)]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.stmt):
            if not late and (_for_types_only(node) or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))):
                continue
            found.update(_targets(module, node))
        stack.extend(ast.iter_child_nodes(node))
    return frozenset(found)


def _all_that(module: str, *, late: bool = True) -> set[str]:
    """Return every module, ours or not, that importing ``module`` loads through our code (``late`` as above)."""
    seen: set[str] = set()
    stack = [module]
    while stack:
        name = stack.pop()
        if name not in seen:
            seen.add(name)
            if name in MODULES:
                stack.extend(_imports(name, late=late))
    return seen


def _within(package: str) -> list[str]:
    return [name for name in MODULES if name == package or name.startswith(f"{package}.")]


IMPURE = {"subprocess", "asyncio", "socket", "threading", "multiprocessing"}


@pytest.mark.parametrize(
AWAITED = {"raidwright.core.ending": {"asyncio"}}  # one function for both programs, which waits for theirs alone
    ("room", "below", "foreign"),
    [
        ("core", (), set()),
        ("analysis", ("core", "resources"), {"numpy"}),
        ("export", ("core", "resources", "text.catalogue"), set()),
    ],
)
def test_rooms_without_input_and_output(room: str, below: tuple[str, ...], foreign: set[str]) -> None:
    """Root imports only the core, which needs only Python's own modules."""
    ours = tuple(f"raidwright.{name}" for name in (room, *below))
    for module in _within(f"raidwright.{room}"):
        for target in _imports(module):
            assert target.startswith(ours) or target.split(".")[0] in STANDARD - IMPURE | foreign, (module, target)
        reached = {target for target in _all_that(module) if target in MODULES}
        allowed = STANDARD - IMPURE | foreign | AWAITED.get(module, set())
        assert all(target.startswith(ours) or target == "raidwright" for target in reached), module


def test_one_module_knows_where_files_lie() -> None:
    """In a checkout and in a wheel alike; and it needs Python alone, since the helper is installed through it."""
    for package, folder in SOURCES.items():
        for path in folder.rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            elsewhere = "__file__" in text or "importlib.resources" in text
            assert not elsewhere or (package, path.name) == ("raidwright", "resources.py"), path
    assert all(target.split(".")[0] in STANDARD for target in _imports("raidwright.resources"))


def test_rules_of_style_have_few_exceptions() -> None:
    """Each has its reason beside it; code that collects exceptions needs another design."""
    texts = [path.read_text(encoding="utf-8") for root in SOURCES.values() for path in root.rglob("*.py")]
    lines = "".join(texts).splitlines()
    exceptions = [line for line in lines if "# noqa" in line]
    assert len(exceptions) * 1000 < len(lines)
    assert sum("PLC0415" in line for line in exceptions) * 4000 < len(lines), "imports that are late"


def test_the_window_touches_no_bus_and_no_process() -> None:
    forbidden = ("dbus_fast", "subprocess", "multiprocessing", "asyncio", "raidwright.lab", "raidwright.machine.bus")
    for module in _within("raidwright.ui"):
        for target in _imports(module):
            assert not target.startswith(forbidden), (module, target)


_HELPER = "raidwright_helper"
_TABLE = re.compile(r"^\| `([a-z_]+)(?:/|\.py)` \| [^|]* \| ([^|]*) \|$", re.MULTILINE)


def _tables() -> dict[str, frozenset[str]]:
    """Return what each room may use, by docs/architecture.md; a helper's room is ``raidwright_helper.acts``."""
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    program, helper = page.split("The helper's rooms")
    found = {}
    for package, text in (("raidwright", program), (_HELPER, helper)):
        for room, named in _TABLE.findall(text):
            used = {f"{package}.{name}" for name in re.findall("`([a-z_.]+)`", named)}
            found[f"{package}.{room}"] = frozenset(used | ({"raidwright.core"} if package == _HELPER else set()))
    return found


MAY_USE = _tables()
VERSION = "raidwright"  # the package itself, which everybody may ask for its version


def _room_of(module: str) -> str:
    return ".".join(module.split(".")[:2])


@pytest.mark.parametrize("room", sorted({_room_of(module) for module in MODULES} - {VERSION, _HELPER}))
def test_a_room_uses_what_the_table_names(room: str) -> None:
    allowed, used = MAY_USE.get(room, frozenset()), set[str]()
    for module in _within(room):
        for target in _imports(module) & MODULES.keys() - {VERSION, _HELPER}:
            if _room_of(target) != room:
                named = {name for name in allowed if target == name or target.startswith(f"{name}.")}
                assert named, f"{module} uses {target}"
                used |= named
    assert used >= allowed - {"raidwright.core"}, f"{room} doesn't use all that its row names"


def test_qt_is_for_the_window_alone() -> None:
    """Nothing but the window, its own root modules and the subcommand that opens it brings Qt in when imported."""
    bridge = {f"raidwright.{name}" for name in ("tasks", "session", "loop_thread", "new_window", "cli.gui")}
    for module in MODULES.keys() - bridge:
        if not module.startswith("raidwright.ui"):
            reached = _all_that(module, late=False)
            assert not any(name.startswith(("PySide6", "shiboken6", "pyqtgraph")) for name in reached), module


def test_operations_are_for_whoever_asks() -> None:
    """By the window and the command line alike; lower layers know neither, and the window's values load no bus."""
    for room in ("core", "analysis", "export", "machine", "runs", "lab"):
        for module in _within(f"raidwright.{room}"):
            assert not any(target.startswith("raidwright.operations") for target in _imports(module)), module
    for module in _within("raidwright.operations"):
        above = ("raidwright.ui", "raidwright.cli", "raidwright.text", "raidwright.session")
        assert not any(target.startswith(above) for target in _imports(module)), module
        if module not in ("raidwright.operations.watch", "raidwright.operations.practice_room"):  # behind late doors
            for name in _all_that(module, late=False):
                assert not name.startswith(("dbus_fast", "raidwright.lab")), module


def test_the_helper_needs_the_core_and_dbus_fast_alone() -> None:
    for module in _within("raidwright_helper"):
        for target in _all_that(module):
            top = target.split(".")[0]
            ours = target == "raidwright" or target.startswith(("raidwright.core", "raidwright_helper"))
            assert ours or top in STANDARD or top == "dbus_fast", (module, target)


def test_nothing_imports_in_a_circle() -> None:
    graph = {name: _imports(name, late=False) & MODULES.keys() - {name} for name in MODULES}
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " → ".join([*path[path.index(name) :], name])
        if name not in done:
            for target in graph[name]:
                visit(target, (*path, name))
            done.add(name)

    for name in graph:
        visit(name, ())


@pytest.mark.parametrize("module", sorted(MODULES))
def test_files_are_about_one_thing(module: str) -> None:
    tree = _tree(module)
    assert ast.get_docstring(tree), f"{module} does not say what it is about"
    assert not DUMPING_GROUNDS & set(module.split(".")), f"{module} is named for nothing"
    longest = max((node.end_lineno or 0 for node in tree.body), default=0)
    assert longest <= LONGEST_FILE_LINES, f"{module} has {longest} lines"
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines = (node.end_lineno or 0) - node.lineno + 1
            assert lines <= LONGEST_FUNCTION_LINES, f"{module}.{node.name} has {lines} lines"


@pytest.mark.parametrize("module", sorted(MODULES))
def test_what_is_public_is_documented(module: str) -> None:
    if module.startswith(("raidwright.ui", "raidwright.cli")):
        return  # Qt's overrides and argparse's two entry points say what they are by their names
    for node in _tree(module).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            assert ast.get_docstring(node), f"{module}.{node.name}"
