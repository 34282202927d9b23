"""The installed helper: complete, isolated, and with a policy for each of its acts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import dbus_fast
import pytest
from raidwright.core.protocol.actions import Action, Asked
from raidwright.core.protocol.names import ACTIONS, BUS_NAME
from raidwright.core.protocol.verbs import VERBS

ROOT = Path(__file__).parents[2]
POLICY = "usr/share/polkit-1/actions/org.raidwright.helper1.policy"
ASKED = tuple(dict.fromkeys(action for verb in VERBS for action in verb.actions))
UNIT = "usr/lib/systemd/system/raidwright-helper.service"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the package's files."""
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


def test_the_core_comes_whole_and_needs_python_alone(tree: Path) -> None:
    code, core = tree / "usr/lib/raidwright", ROOT / "app/raidwright/core"
    installed = {path.relative_to(code / "raidwright/core") for path in (code / "raidwright/core").rglob("*.py")}
    assert installed == {path.relative_to(core) for path in core.rglob("*.py")}
    names = [".".join(("raidwright", "core", *path.with_suffix("").parts)) for path in installed]
    script = f"import importlib, sys\nsys.path.insert(0, {str(code)!r})\n" + "".join(
        f"importlib.import_module({name.removesuffix('.__init__')!r})\n" for name in names
    )
    # Without the site packages nothing but Python's own modules can be found.
    subprocess.run([sys.executable, "-I", "-S", "-c", script], check=True)


def test_nobody_but_root_may_write_it(tree: Path) -> None:
    for path in tree.rglob("*"):
        assert not path.stat().st_mode & 0o022, path
    assert (tree / "usr/libexec/raidwright-helper").read_text(encoding="utf-8").startswith("#!/usr/bin/python3 -IS\n")


def _install(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ROOT / "packaging/install-helper", folder], capture_output=True, text=True, check=False)


def test_what_is_installed_again_is_written_anew_and_what_is_not_shipped_any_more_goes(tmp_path: Path) -> None:
    assert _install(tmp_path).returncode == 0
    code = tmp_path / "usr/lib/raidwright/raidwright_helper"
    door = code / "service/dispatcher.py"
    before, wanted = door.stat().st_ino, sorted(tmp_path.rglob("*"))
    with door.open("r+b") as held:  # open or linked files keep the old content
        assert _install(tmp_path).returncode == 0
        held.write(b"import evil")
    assert door.stat().st_ino != before
    assert b"evil" not in door.read_bytes()
    (code / "mcp.py").write_text("import evil", encoding="utf-8")
    (code / "service/__pycache__").mkdir()
    (code / "service/__pycache__/dispatcher.cpython-311.pyc").touch()
    (tmp_path / "usr/lib/raidwright/json.py").symlink_to("/etc/hostname")
    (tmp_path / "usr/lib/other.py").touch()
    assert _install(tmp_path).returncode == 0
    assert sorted(tmp_path.rglob("*")) == sorted([*wanted, tmp_path / "usr/lib/other.py"])


@pytest.mark.parametrize("what", ["link for a file", "link for a folder", "writable file", "writable folder", "pipe"])
def test_it_is_not_installed_where_others_have_a_hand_in(tmp_path: Path, what: str) -> None:
    tree = tmp_path / "tree"
    tree.mkdir(mode=0o755)
    assert _install(tree).returncode == 0
    code, other = tree / "usr/lib/raidwright/raidwright_helper", tmp_path / "other"
    door = code / "service/dispatcher.py"
    match what:
        case "link for a file":
            door.rename(other)
            door.symlink_to(other)
        case "link for a folder":
            code.rename(other)
            code.symlink_to(other)
        case "writable file":
            door.chmod(0o664)
        case "writable folder":
            code.chmod(0o777)
        case "pipe":
            door.unlink()
            os.mkfifo(door)
    done = _install(tree)
    assert done.returncode == 1
    assert str(code) in done.stderr
    assert "Traceback" not in done.stderr


def test_it_is_not_installed_over_what_belongs_to_somebody_else(tmp_path: Path) -> None:
    """Installed by another user, all of it belongs to that user."""
    assert _install(tmp_path).returncode == 0
    as_other = (
        "import os, runpy, sys; os.geteuid = lambda: 4321; del sys.argv[0];"
        "runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    installer = ROOT / "packaging/install-helper"
    done = subprocess.run(
        [sys.executable, "-c", as_other, installer, tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    whose = "root. Run this as root" if os.geteuid() == 0 else f"the user {os.geteuid()}; remove it"
    assert f"{tmp_path} belongs to {whose}" in done.stderr


def test_no_path_file_of_others_has_a_say(tree: Path) -> None:
    """``-S``: the site module, which reads .pth files of /usr/local, isn't loaded."""
    for name in ("raidwright-helper", "raidwright-etc", "raidwright-event"):
        text = (tree / "usr/libexec" / name).read_text(encoding="utf-8")
        assert text.startswith("#!/usr/bin/python3 -IS\n")
        script = text.replace("/usr/lib/raidwright", f"{tree}/usr/lib/raidwright").partition("sys.exit(")[0]
        script = script.replace("/usr/lib/python3/dist-packages", str(Path(dbus_fast.__file__).parents[1]))
        shown = f"{script}\nprint('site' in sys.modules)\n"
        done = subprocess.run([sys.executable, "-IS", "-c", shown], check=True, capture_output=True, text=True)
        assert done.stdout == "False\n"


def _policy(tree: Path) -> dict[str, ET.Element]:
    found = list(ET.parse(tree / POLICY).getroot().iter("action"))  # noqa: S314  (our own file)
    by_id = {str(action.get("id")): action for action in found}
    assert len(by_id) == len(found)
    return by_id


def test_each_act_has_its_policy_and_no_other_has(tree: Path) -> None:
    assert _policy(tree).keys() == {action.id for action in ASKED}


def test_permission_is_never_free_from_afar_and_never_kept_for_what_destroys(tree: Path) -> None:
    free = {"examine", "examine-signatures", "examine-health", "list-builds", "list-checks"}
    kept = {"benchmark-read", "start-check", "pause-check", "pace-change", "preview-configuration", "try-rescue"}
    kept |= {"send-test-alert", "locate-disk"}
    assert {action.name for action in ASKED if action.asked is Asked.NEVER} == free
    assert {action.name for action in ASKED if action.asked is Asked.NOW_AND_THEN} == kept
    assert [action.name for action in ASKED if action.afar is not Asked.EACH_TIME] == ["examine"]
    for action in ASKED:
        policy = _policy(tree)[action.id]
        answers = {key: policy.findtext(f"defaults/allow_{key}") for key in ("any", "inactive", "active")}
        assert answers == {"any": action.afar, "inactive": action.afar, "active": action.asked}, action.name
        implied = set((policy.findtext("annotate[@key='org.freedesktop.policykit.imply']") or "").split())
        looks = {f"{ACTIONS}.{name}" for name in free - {"examine"}}
        assert implied == (looks if action.name == "examine" else set()), action.name


@pytest.mark.parametrize("action", ASKED, ids=lambda action: action.name)
def test_the_prompts_placeholders_are_filled(tree: Path, action: Action) -> None:
    """The declared details are those sent: ``test_helper_door`` checks that for each action."""
    messages = _policy(tree)[action.id].findall("message")
    assert messages
    for message in messages:
        assert set(re.findall(r"\$\((\w+)\)", message.text or "")) == set(action.details)


@pytest.mark.parametrize("action", ASKED, ids=lambda action: action.name)
def test_polkit_asks_in_every_language(tree: Path, action: Action) -> None:
    """English first, polkit's fallback; then each of the program's languages once."""
    languages = [None, *sorted(path.parent.name for path in ROOT.glob("resources/translations/*/LC_MESSAGES"))]
    for kind in ("description", "message"):
        said = _policy(tree)[action.id].findall(kind)
        assert [each.get("{http://www.w3.org/XML/1998/namespace}lang") for each in said] == languages


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
