"""The project's architecture, checked in the code: permitted imports, no cycles, files on one subject."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.kit.rooms import HELPER, PICTURE, PROGRAM, Room, picture, room_of, tables

ROOT = Path(__file__).parent.parent
SOURCES = {"raidwright": ROOT / "app" / "raidwright", "raidwright_helper": ROOT / "helpers" / "raidwright_helper"}
AROUND = {"": ROOT / "packaging", "tests": ROOT / "tests"}
STANDARD = sys.stdlib_module_names
DUMPING_GROUNDS = {"utils", "util", "common", "helpers", "misc"}
LONGEST_FILE_LINES = 400
LONGEST_FUNCTION_LINES = 60


def _modules(sources: Mapping[str, Path]) -> dict[str, Path]:
    found = {}
    for package, folder in sources.items():
        for path in folder.rglob("*.py"):
            parts = [package, *path.relative_to(folder).with_suffix("").parts]
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name.removeprefix(".")] = path
    return found


MODULES = _modules(SOURCES)
ALL_MODULES = MODULES | _modules(AROUND)
PACKAGES = {name for name, path in ALL_MODULES.items() if path.name == "__init__.py"}


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(ALL_MODULES[module].read_text(encoding="utf-8"), str(ALL_MODULES[module]))


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
            yield full if full in ALL_MODULES else source


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
AWAITED = {"raidwright.core.ending": {"asyncio"}}  # one function for both programs, which waits for theirs alone


@pytest.mark.parametrize(
    ("room", "below", "foreign"),
    [
        ("core", (), set()),
        ("reading", ("core", "suites"), set()),
        ("rescue", ("core",), set()),
        ("analysis", ("core", "reading", "resources", "suites"), {"numpy"}),
        ("export", ("core", "rescue", "resources", "text.catalogue"), set()),
    ],
)
def test_rooms_without_input_and_output(room: str, below: tuple[str, ...], foreign: set[str]) -> None:
    """Root imports only the core, which needs only Python's own modules."""
    ours = tuple(f"raidwright.{name}" for name in (room, *below))
    for module in _within(f"raidwright.{room}"):
        allowed = STANDARD - IMPURE | foreign | AWAITED.get(module, set())
        for target in _imports(module):
            assert target.startswith(ours) or target.split(".")[0] in allowed, (module, target)
        reached = {target for target in _all_that(module) if target in MODULES}
        assert all(target.startswith(ours) or target == "raidwright" for target in reached), module


def test_one_module_knows_where_files_lie() -> None:
    """In a checkout and in a wheel alike; and it needs Python alone, since the helper is installed through it."""
    for package, folder in SOURCES.items():
        for path in folder.rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            elsewhere = "__file__" in text or "importlib.resources" in text
            assert not elsewhere or (package, path.name) == ("raidwright", "resources.py"), path
    assert all(target.split(".")[0] in STANDARD for target in _imports("raidwright.resources"))


READERS = {f"{HELPER}.host.{name}" for name in ("extents", "owners")}
JUDGES = READERS | {f"{HELPER}.host.{name}" for name in ("content", "lvm_metadata")}


def test_devices_are_read_by_their_readers_alone() -> None:
    """A mounted file system writes past the page cache of its device, so a guard that reads that believes a copy."""
    for module in _within(HELPER):
        reads = {
            node.attr
            for node in ast.walk(_tree(module))
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os"
        }
        assert module in READERS or not reads & {"pread", "preadv", "read", "readv", "posix_fadvise"}, module
        sizes = "raidwright.core.system.content_size" in _imports(module)
        assert module in JUDGES or not sizes, module


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


TABLES = tables()
ROOMS = [room for rooms in TABLES.values() for room in rooms]
CORE = f"{PROGRAM}.core"
VERSION = PROGRAM  # the package itself, which everybody may ask for its version


def _allowed(room: Room) -> frozenset[str]:
    """Return what the table says that ``room`` may use, as prefixes of modules; the helper's all use the core."""
    return room.may_use | {CORE} if room in TABLES[HELPER] else room.may_use


ROOM_OF = {name: room_of(name, ROOMS) for name in ALL_MODULES}


def _modules_of(room: Room) -> list[str]:
    return [name for name, its in ROOM_OF.items() if its is room]


def _foreign(targets: Iterable[str]) -> set[str]:
    """Return the packages among ``targets`` that are neither ours nor Python's."""
    tops = {target.split(".")[0] for target in targets if target not in ALL_MODULES}
    return tops - STANDARD - {name.split(".")[0] for name in ALL_MODULES}


def test_the_tables_name_every_room() -> None:
    assert not [name for name in ALL_MODULES if name not in (VERSION, HELPER, "") and ROOM_OF[name] is None]
    assert not [room.modules for room in ROOMS if not _modules_of(room)]


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.modules[0])
def test_a_room_uses_what_the_table_names(room: Room) -> None:
    allowed, used = _allowed(room), set[str]()
    for module in _modules_of(room):
        for target in _imports(module) & ALL_MODULES.keys() - {VERSION, HELPER}:
            if ROOM_OF[target] is not room:
                named = {name for name in allowed if target == name or target.startswith(f"{name}.")}
                assert named, f"{module} uses {target}"
                used |= named
    assert used >= allowed - {CORE}, f"{room.modules} doesn't use all that its row names"


@pytest.mark.parametrize("package", TABLES)
def test_a_row_names_rows_below_it(package: str) -> None:
    rooms = TABLES[package]
    for place, room in enumerate(rooms):
        for name in room.may_use:
            used = room_of(name, rooms)
            assert used is None or used in rooms[place + 1 :], f"{room.modules} uses {name}, which isn't below it"


@pytest.mark.parametrize("room", [*TABLES[PROGRAM], *TABLES[HELPER]], ids=lambda room: room.modules[0])
def test_a_room_loads_the_packages_that_the_table_names(room: Room) -> None:
    """Import these alone, itself or by way of other rooms; what functions import is counted where they are."""
    loaded = set[str]()
    for module in _modules_of(room):
        loaded |= _foreign(_imports(module)) | _foreign(_all_that(module, late=False))
    assert loaded == room.loads


def test_the_command_line_opens_the_window_late() -> None:
    for module in _within(f"{PROGRAM}.cli"):
        assert not any(target.startswith(f"{PROGRAM}.ui") for target in _all_that(module, late=False)), module


def test_the_picture_is_drawn_from_the_tables() -> None:
    assert PICTURE.read_text(encoding="utf-8") == picture(), "python -m tests.kit.rooms draws it"


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


def test_root_has_what_it_imports() -> None:
    """Whatever lies in the core is installed with the helper, for root to run and others to audit."""
    reached = set[str]().union(*map(_all_that, _within(HELPER)))
    folders = {name.rpartition(".")[0] for name in reached}
    needless = {name for name in _within(CORE) if name not in reached and name not in folders}
    assert not needless, f"only the program imports {sorted(needless)}"


def test_nothing_imports_in_a_circle() -> None:
    graph = {name: _imports(name, late=False) & ALL_MODULES.keys() - {name} for name in ALL_MODULES}
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
