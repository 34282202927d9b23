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
    wrong = set[tuple[str, str]]()
    for module in _within(f"raidwright.{room}"):
        allowed = STANDARD - IMPURE | foreign | AWAITED.get(module, set())
        imported = {name for name in _imports(module) if name.split(".")[0] not in allowed}
        reached = {name for name in _all_that(module) if name in MODULES and name != "raidwright"}
        wrong |= {(module, name) for name in imported | reached if not name.startswith(ours)}
    assert not wrong


def test_one_module_knows_where_files_lie() -> None:
    """In a checkout and in a wheel alike; and it needs Python alone, since the helper is installed through it."""
    texts = {module: path.read_text(encoding="utf-8") for module, path in MODULES.items()}
    knowing = {module for module, text in texts.items() if "__file__" in text or "importlib.resources" in text}
    assert knowing == {"raidwright.resources"}
    assert not {name for name in _imports("raidwright.resources") if name.split(".")[0] not in STANDARD}


READERS = {f"{HELPER}.host.{name}" for name in ("extents", "owners")}
JUDGES = READERS | {f"{HELPER}.host.{name}" for name in ("content", "lvm_metadata")}


def test_devices_are_read_by_their_readers_alone() -> None:
    """A mounted file system writes past the page cache of its device, so a guard that reads that believes a copy."""
    helper, reading = set(_within(HELPER)), {"pread", "preadv", "read", "readv", "posix_fadvise"}
    assert not {module for module in helper - READERS if _used_of_os(module) & reading}
    assert not {module for module in helper - JUDGES if "raidwright.core.system.content_size" in _imports(module)}


def _used_of_os(module: str) -> set[str]:
    return {
        node.attr
        for node in ast.walk(_tree(module))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os"
    }


def test_rules_of_style_have_few_exceptions() -> None:
    """Each has its reason beside it; code that collects exceptions needs another design."""
    texts = [path.read_text(encoding="utf-8") for root in SOURCES.values() for path in root.rglob("*.py")]
    lines = "".join(texts).splitlines()
    exceptions = [line for line in lines if "# noqa" in line]
    assert len(exceptions) * 1000 < len(lines)
    assert sum("PLC0415" in line for line in exceptions) * 4000 < len(lines), "imports that are late"


def test_the_window_touches_no_bus_and_no_process() -> None:
    forbidden = ("dbus_fast", "subprocess", "multiprocessing", "asyncio", "raidwright.lab", "raidwright.machine.bus")
    assert not _importing("raidwright.ui", forbidden)


def test_stations_know_each_other_through_the_window_alone() -> None:
    """Not even for a type: what they tell each other is in ``ui/window_stations.py``, what they share beside it."""
    folder = "raidwright.ui.stations."
    own = {module: module.removeprefix(folder).split(".")[0] for module in MODULES if module.startswith(folder)}
    assert not {
        (module, name)
        for module, station in own.items()
        for name in _imports(module)
        if name.startswith(folder) and name.removeprefix(folder).split(".")[0] != station
    }


def _importing(package: str, forbidden: tuple[str, ...]) -> set[tuple[str, str]]:
    """Return the modules of ``package`` that import something ``forbidden``, a prefix, and what it is."""
    return {(module, name) for module in _within(package) for name in _imports(module) if name.startswith(forbidden)}


def _loading(modules: Iterable[str], forbidden: tuple[str, ...]) -> set[tuple[str, str]]:
    """Return those of ``modules`` whose import loads something ``forbidden``, in whatever way, and what it is."""
    return {
        (module, name) for module in modules for name in _all_that(module, late=False) if name.startswith(forbidden)
    }


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


def test_rooms_use_what_the_table_names() -> None:
    beside, unused = set[tuple[str, str]](), set[tuple[str, str]]()
    for room in ROOMS:
        allowed, used = _allowed(room), set[str]()
        for module in _modules_of(room):
            for target in _imports(module) & ALL_MODULES.keys() - {VERSION, HELPER}:
                if ROOM_OF[target] is not room:
                    named = {name for name in allowed if target == name or target.startswith(f"{name}.")}
                    beside |= set() if named else {(module, target)}
                    used |= named
        unused |= {(room.modules[0], name) for name in allowed - {CORE} - used}
    assert not beside
    assert not unused, "rows that name more than their rooms use"


def test_rows_name_rows_below_them() -> None:
    above = set[tuple[str, str]]()
    for rooms in TABLES.values():
        for place, room in enumerate(rooms):
            used = {name: room_of(name, rooms) for name in room.may_use}
            below = (None, *rooms[place + 1 :])
            above |= {(room.modules[0], name) for name, its in used.items() if its not in below}
    assert not above


def test_rooms_load_the_packages_that_the_table_names() -> None:
    """Import these alone, itself or by way of other rooms; what functions import is counted where they are."""
    rooms = [*TABLES[PROGRAM], *TABLES[HELPER]]
    loaded = {room.modules[0]: _loaded(room) for room in rooms}
    assert loaded == {room.modules[0]: room.loads for room in rooms}


def _loaded(room: Room) -> set[str]:
    modules = _modules_of(room)
    return {name for module in modules for name in _foreign(_imports(module) | _all_that(module, late=False))}


def test_the_command_line_opens_the_window_late() -> None:
    assert not _loading(_within(f"{PROGRAM}.cli"), (f"{PROGRAM}.ui",))


def test_the_picture_is_drawn_from_the_tables() -> None:
    assert PICTURE.read_text(encoding="utf-8") == picture(), "python -m tests.kit.rooms draws it"


def test_qt_is_for_the_window_alone() -> None:
    """Nothing but the window, its own root modules and the subcommand that opens it brings Qt in when imported."""
    bridge = {f"raidwright.{name}" for name in ("tasks", "session", "loop_thread", "new_window", "cli.gui")}
    others = {module for module in MODULES.keys() - bridge if not module.startswith("raidwright.ui")}
    assert not _loading(others, ("PySide6", "shiboken6", "pyqtgraph"))


def test_operations_are_for_whoever_asks() -> None:
    """By the window and the command line alike; lower layers know neither, and the window's values load no bus."""
    for room in ("core", "analysis", "export", "machine", "runs", "lab"):
        assert not _importing(f"raidwright.{room}", ("raidwright.operations",))
    above = ("raidwright.ui", "raidwright.cli", "raidwright.text", "raidwright.session")
    assert not _importing("raidwright.operations", above)
    late = {f"raidwright.operations.{name}" for name in ("watch", "practice_room")}  # behind late doors
    assert not _loading(set(_within("raidwright.operations")) - late, ("dbus_fast", "raidwright.lab"))


def test_the_helper_needs_the_core_and_dbus_fast_alone() -> None:
    ours, packages = ("raidwright.core", "raidwright_helper"), STANDARD | {"dbus_fast"}
    needed = {(module, name) for module in _within("raidwright_helper") for name in _all_that(module)}
    assert not {
        (module, name)
        for module, name in needed
        if name != "raidwright" and not name.startswith(ours) and name.split(".")[0] not in packages
    }


@pytest.mark.parametrize(("below", "above"), [("md", ("lvm", "layers")), ("lvm", ("layers",))])
def test_a_layer_knows_none_above_it(below: str, above: tuple[str, ...]) -> None:
    """Arrays know no volume over them, and neither knows who asks whichever it is."""
    for module in _within(f"{CORE}.{below}"):
        for target in _imports(module):
            assert not target.startswith(tuple(f"{CORE}.{name}" for name in above)), (module, target)


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


def test_files_are_about_one_thing() -> None:
    assert not {module for module in MODULES if not ast.get_docstring(_tree(module))}, "which don't say about what"
    assert not {module for module in MODULES if DUMPING_GROUNDS & set(module.split("."))}, "which are named for nothing"


def test_files_and_functions_are_short() -> None:
    lines = {module: max((node.end_lineno or 0 for node in _tree(module).body), default=0) for module in MODULES}
    lines_of_functions = {
        f"{module}.{node.name}": (node.end_lineno or 0) - node.lineno + 1
        for module in MODULES
        for node in ast.walk(_tree(module))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }
    assert not {module: count for module, count in lines.items() if count > LONGEST_FILE_LINES}
    assert not {name: count for name, count in lines_of_functions.items() if count > LONGEST_FUNCTION_LINES}


def test_what_is_public_is_documented() -> None:
    """In the window and the command line, Qt's overrides and argparse's entry points say it by their names."""
    assert not {
        f"{module}.{node.name}"
        for module in MODULES
        if not module.startswith(("raidwright.ui", "raidwright.cli"))
        for node in _tree(module).body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        if not node.name.startswith("_") and not ast.get_docstring(node)
    }


MOST_CONDITIONS, MOST_FILES = 19, 15


def test_few_conditions_ask_whether_something_is_joined() -> None:
    """Arrays and volumes are types of their own; these may only become fewer."""
    asking = {module: asked for module in MODULES if (asked := _asks_of_joined(module))}
    assert sum(asking.values()) <= MOST_CONDITIONS, asking
    assert len(asking) <= MOST_FILES, asking


def _asks_of_joined(module: str) -> int:
    """Return how many conditions of ``module`` ask for a flag of joined arrays, or for the arrays of a volume."""
    words = ("is_joined", "Level.JOINED", ".bands")
    return sum(any(word in ast.unparse(test) for word in words) for test in _conditions(_tree(module)))


def _conditions(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.If, ast.IfExp, ast.While)):
            yield node.test
        elif isinstance(node, ast.comprehension):
            yield from node.ifs
