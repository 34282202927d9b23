"""The helper as it is installed: complete, alone, and with a policy for each of its acts."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from raidwright_helper import arguments, array_verbs, replace_verbs, system_verbs, verbs
from raidwright_helper.wire import ACTIONS, BUS_NAME

ROOT = Path(__file__).parents[2]
POLICY = "usr/share/polkit-1/actions/org.raidwright.helper1.policy"
UNIT = "usr/lib/systemd/system/raidwright-helper.service"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the package's files have been put."""
    folder = tmp_path_factory.mktemp("package")
    subprocess.run([ROOT / "packaging/install-helper", folder], check=True)
    return folder


def test_it_needs_nothing_but_itself_and_dbus_fast(tree: Path) -> None:
    script = (
        "import sys, pathlib\n"
        f"sys.path.insert(0, {str(tree / 'usr/lib/raidwright')!r})\n"
        "import raidwright_helper.__main__\n"
        "for name, module in sorted(sys.modules.items()):\n"
        "    print(name, getattr(module, '__file__', None))\n"
    )
    done = subprocess.run([sys.executable, "-I", "-c", script], check=True, capture_output=True, text=True)
    loaded = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    ours = {name: path for name, path in loaded.items() if name.startswith("raidwright")}
    assert all(path.startswith(str(tree)) for path in ours.values())
    assert not {"numpy", "PySide6", "rich"} & loaded.keys()
    installed = {path.stem for path in (tree / "usr/lib/raidwright/raidwright/core").glob("*.py")} - {"__init__"}
    assert installed == {name.rpartition(".")[2] for name in ours if name.startswith("raidwright.core.")}


def test_nobody_but_root_may_write_it(tree: Path) -> None:
    for path in tree.rglob("*"):
        assert not path.stat().st_mode & 0o022, path
    assert (tree / "usr/libexec/raidwright-helper").read_text(encoding="utf-8").startswith("#!/usr/bin/python3 -I\n")


def _actions(tree: Path) -> Iterator[tuple[str, ET.Element]]:
    for action in ET.parse(tree / POLICY).getroot().iter("action"):  # noqa: S314  (our own file)
        yield str(action.get("id")), action


LOOKING = ("examine", "examine-signatures", "examine-health", "list-builds", "list-checks")


def _asked() -> set[str]:
    """Every action that a verb can ask polkit about."""
    table = verbs.Verbs(*[None] * len(fields(verbs.Verbs))).table()  # type: ignore[arg-type]
    fixed = {verb.action for verb in table.values() if isinstance(verb.action, str)}
    options: tuple[dict[str, object], ...] = ({}, {"scratch": True}, {"wipe": {}}, {"scratch": True, "wipe": {}})
    created = {arguments.create_action([{}, each]) for each in options}
    measured = {arguments.workload_action(["", name]) for name in ("sequential_read", "sequential_write")}
    arrays = array_verbs.ArrayVerbs(*[None] * len(fields(array_verbs.ArrayVerbs))).table()  # type: ignore[arg-type]
    on_arrays = {str(verb.action_for(["", "", {}, flag])) for verb in arrays.values() for flag in (False, True)}
    system = system_verbs.SystemVerbs(*[None] * len(fields(system_verbs.SystemVerbs))).table()  # type: ignore[arg-type]
    around = {str(verb.action_for(["", "", settings])) for verb in system.values() for settings in ({}, {"x": 1})}
    replacing = replace_verbs.ReplaceVerbs(*[None] * len(fields(replace_verbs.ReplaceVerbs))).table()  # type: ignore[arg-type]
    joining = {str(verb.action_for(["", "", {}, names, names])) for verb in replacing.values() for names in ([], ["x"])}
    return fixed | created | measured | on_arrays | around | joining


def test_each_act_has_its_policy_and_no_other_has(tree: Path) -> None:
    assert {name for name, _ in _actions(tree)} == _asked()


def test_permission_is_never_free_from_afar_and_never_kept_for_what_destroys(tree: Path) -> None:
    kept = {f"{ACTIONS}.{name}" for name in ("benchmark-read", "start-check", "pause-check", "preview-configuration")}
    free = {f"{ACTIONS}.{name}" for name in LOOKING}
    for name, action in _actions(tree):
        answers = {key: action.findtext(f"defaults/allow_{key}") for key in ("any", "inactive", "active")}
        assert answers["any"] == answers["inactive"] == "auth_admin", name
        wanted = "yes" if name in free else "auth_admin_keep" if name in kept else "auth_admin"
        assert answers["active"] == wanted, name


def test_the_prompts_placeholders_are_filled(tree: Path) -> None:
    built = {"name", "disks"}
    filled = {"create-array": built, "create-scratch": built, "undo-build": built} | {
        "create-array-wiping": {*built, "removed"},
        **{key: set[str]() for key in LOOKING},
        **{key: {"array"} for key in ("stop-array", "start-check", "pause-check", "remove-vanished")},
        "add-member-wiping": {"array", "disk", "removed"},
        "replace-member": {"array", "old", "disk"},
        "replace-member-wiping": {"array", "old", "disk", "removed"},
        **{f"{key}-member": {"array", "disk"} for key in ("fail", "remove", "re-add", "add", "change-scratch")},
        **{key: {"array"} for key in ("unmount", "tune", "preview-configuration", "write-configuration")},
        "make-filesystem": {"array", "kind"},
        "mount": {"array", "place"},
        "restore-configuration": {"array", "files"},
        "dismantle-array": {"array", "disks"},
        "dismantle-array-holding": {"array", "disks", "removed"},
    }
    for name, action in _actions(tree):
        asked = set(re.findall(r"\$\((\w+)\)", action.findtext("message") or ""))
        short = name.removeprefix(f"{ACTIONS}.")
        assert asked == filled.get(short, {"target"}), name


def test_only_root_can_be_the_helper(tree: Path) -> None:
    config = ET.parse(tree / f"usr/share/dbus-1/system.d/{BUS_NAME}.conf").getroot()  # noqa: S314  (our own file)
    owners = [policy for policy in config.iter("policy") if policy.find(f"allow[@own='{BUS_NAME}']") is not None]
    assert [policy.attrib for policy in owners] == [{"user": "root"}]


def test_the_bus_starts_the_unit(tree: Path) -> None:
    activation = (tree / f"usr/share/dbus-1/system-services/{BUS_NAME}.service").read_text(encoding="utf-8")
    assert f"Name={BUS_NAME}\n" in activation
    assert f"SystemdService={Path(UNIT).name}\n" in activation
    unit = (tree / UNIT).read_text(encoding="utf-8")
    assert f"BusName={BUS_NAME}\n" in unit
    assert "ExecStart=/usr/libexec/raidwright-helper\n" in unit
