"""One protocol: the declarations in ``core.protocol`` match the helper, the client and the pages."""

from __future__ import annotations

import ast
import importlib
import io
import pkgutil
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
import raidwright.core
import raidwright_helper
from dbus_fast import Message
from dbus_fast._private.unmarshaller import Unmarshaller
from hypothesis import given
from hypothesis import strategies as st
from raidwright.core.errors import JobFailed, RaidwrightError
from raidwright.core.protocol import codec, facts, looking, measured, results, verbs
from raidwright.core.protocol.actions import Action, Asked
from raidwright.core.protocol.device_users import DeviceUser
from raidwright.core.protocol.errors import ERROR_NAMES, Code, read_failure
from raidwright.core.protocol.names import BUS_NAME
from raidwright.core.protocol.steps import JobStep
from raidwright.core.protocol.verb import Verb
from raidwright.core.protocol.verbs import VERBS
from raidwright.machine import bus_errors
from raidwright.machine.bus import plain
from raidwright.text import job_steps
from raidwright_helper.jobs.bus_values import told
from raidwright_helper.jobs.jobs import Job
from raidwright_helper.jobs.journal import Record
from raidwright_helper.service import dispatcher
from raidwright_helper.service.reading import MessageHeader
from raidwright_helper.verbs.method import Method

from .helper_house import METHODS
from .sent_steps import Source

ROOT = Path(__file__).parents[2]
APP, HELPER = ROOT / "app/raidwright", ROOT / "helpers/raidwright_helper"


_source = cache(Source)


@cache
def _trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text(encoding="utf-8")) for top in (APP, HELPER) for path in top.rglob("*.py")}


def _nodes(*folders: Path) -> Iterator[ast.AST]:
    for path, tree in _trees().items():
        if any(path.is_relative_to(folder) for folder in folders):
            yield from ast.walk(tree)


def _names(folder: Path, of: str) -> set[str]:
    """Return X of each ``of.X`` in the code below ``folder``."""
    found = (node for node in _nodes(folder) if isinstance(node, ast.Attribute))
    return {node.attr for node in found if isinstance(node.value, ast.Name) and node.value.id == of}


def test_each_verb_has_one_act_and_no_act_is_undeclared() -> None:
    assert sorted(method.verb.name for method in METHODS) == sorted(verb.name for verb in VERBS)
    assert len({verb.name for verb in VERBS}) == len(VERBS)


def test_which_action_is_asked_for_is_chosen_where_there_are_several() -> None:
    for method in METHODS:
        assert (method.choose is not None) == (len(method.verb.actions) > 1), method.verb.name


def test_the_client_asks_each_verb() -> None:
    declared = {name for room in (verbs, looking) for name, one in vars(room).items() if isinstance(one, Verb)}
    asked = {
        name for room in ("operations", "machine") for of in ("verbs", "looking") for name in _names(APP / room, of)
    }
    assert declared - asked == set()


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.verb.name)
def test_a_verbs_job_sends_the_steps_that_are_declared(method: Method) -> None:
    assert _source().steps_of(method) == {step.name for step in method.verb.steps}
    assert method.verb.starts_job or not method.verb.steps


def test_each_step_is_some_verbs_and_the_window_has_words_for_it() -> None:
    assert {step for verb in VERBS for step in verb.steps} == set(JobStep)
    assert job_steps.WORDS.keys() == set(JobStep)


def test_each_code_that_a_caller_goes_by_is_sent_and_declared() -> None:
    names = {code.name for code in Code}
    assert names == _names(HELPER, "Code")
    asked_for = {name for room in ("ui", "cli") for name in _names(APP / room, "Code")}
    assert names == asked_for
    assert {code for verb in VERBS for code in verb.codes} == set(Code)


_AFAR = {Asked.EACH_TIME: "", Asked.NOW_AND_THEN: ", good for a few minutes and for all that only looks"}


def _row(action: Action) -> tuple[str, str]:
    asked = "an administrator's password"
    return {
        Asked.NEVER: ("may", f"{asked}{_AFAR[action.afar]}"),
        Asked.NOW_AND_THEN: (f"{asked}, good for a few minutes", asked),
        Asked.EACH_TIME: (f"{asked}, each time", "the same"),
    }[action.asked]


def test_the_security_page_says_who_may_do_what() -> None:
    page = (ROOT / "docs/security-proofs.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| `([\w-]+)` \| (.+?) \| (.+?) \|$", page, re.MULTILINE)
    named = [(re.findall(r"\w+", who), *rest) for who, *rest in rows]
    told = {(verb.name, *rest) for words, *rest in named for verb in VERBS if verb.name in words}
    assert told == {(verb.name, one.name, *_row(one)) for verb in VERBS for one in verb.actions}
    assert {verb.name for verb in VERBS if not verb.actions} == {"Cancel"}
    assert "| Cancel | none: only a job's owner can name it | | |" in page


def _all_below(kind: type[RaidwrightError]) -> Iterator[type[RaidwrightError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _all_below(below)


def _errors() -> list[type[RaidwrightError]]:
    """Return every exception class that the helper could raise."""
    for package in (raidwright.core, raidwright_helper):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    ours = ("raidwright.core.", "raidwright_helper.")
    return [kind for kind in dict.fromkeys(_all_below(RaidwrightError)) if kind.__module__.startswith(ours)]


def _codes() -> Iterator[str]:
    """Yield every code in the code that root runs, with its exception."""
    for node in _nodes(HELPER, APP / "core"):
        match node:
            case ast.keyword("code", ast.Constant(str() as code)):
                yield code
    yield from Code


@cache
def _all_codes() -> list[str]:
    return sorted(set(_codes()))


def _over_the_bus(message: Message) -> tuple[Message, list[Any]]:
    message.serial = 1
    read = Unmarshaller(io.BytesIO(message._marshall(False))).unmarshall()  # type: ignore[arg-type]  # it only reads
    assert read is not None
    return read, plain(read.body)


@pytest.mark.parametrize("kind", _errors(), ids=lambda kind: kind.__name__)
def test_an_error_arrives_as_what_it_was(kind: type[RaidwrightError], monkeypatch: pytest.MonkeyPatch) -> None:
    assert kind in ERROR_NAMES, "it has no name on the bus"
    sent: list[Message] = []
    monkeypatch.setattr(dispatcher, "send", lambda _bus, message: sent.append(message))
    door = dispatcher.Dispatcher(None, None, (), lambda: None, None)  # type: ignore[arg-type]
    call = MessageHeader(1, 0, 7, 0, ":1.1", "/", "", "", "", 0)
    for code in _all_codes():
        error = kind("A sentence.", code=code, disk="wwn-0x5", signatures=["gpt"], least_bytes=7)
        door._refuse(call, error)
        message, body = _over_the_bus(sent.pop())
        _same(bus_errors.error_from_bus(message.error_name or "", body, BUS_NAME), error)
        Job(":1.1", Record("x", 0), sent.append).failed(error)
        _, body = _over_the_bus(sent.pop())
        _same(read_failure(*body), error)


def _same(arrived: RaidwrightError, error: RaidwrightError) -> None:
    assert type(arrived) is type(error)
    assert (arrived.sentence, arrived.code, arrived.fields) == (error.sentence, error.code, error.fields)


def test_each_name_on_the_bus_is_one_classs() -> None:
    assert len(set(ERROR_NAMES.values())) == len(ERROR_NAMES)


_TEXT = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=9)


_FLOATS = st.floats(allow_nan=False)
_UINT32 = st.integers(0, 2**32 - 1)
_NUMBERS = st.dictionaries(_TEXT, st.integers(0, 2**63)).map(lambda found: tuple(sorted(found.items())))
_PLAIN: Mapping[Any, st.SearchStrategy[Any]] = {
    str: _TEXT,
    bool: st.booleans(),
    int: st.integers(-5, 2**63),
    float: _FLOATS,
    facts.UInt32: _UINT32,
    Mapping[str, measured.Figures]: st.dictionaries(_TEXT, st.builds(measured.Figures, *[_FLOATS] * 4)),
    Mapping[str, results.ActFigures]: st.dictionaries(_TEXT, st.builds(results.ActFigures, *[_FLOATS] * 5)),
    Mapping[str, float]: st.dictionaries(_TEXT, _FLOATS),
    Mapping[str, str]: st.dictionaries(st.sampled_from(("read_ahead_kib", "x")), _TEXT),
    tuple[str, ...]: st.lists(_TEXT, max_size=3).map(tuple),
    tuple[int, ...]: st.lists(st.integers(0, 2**16), max_size=3).map(tuple),
    tuple[tuple[str, int], ...]: _NUMBERS,
    tuple[DeviceUser, ...]: st.lists(
        st.builds(DeviceUser, _TEXT, _TEXT, _UINT32, _TEXT, _UINT32, st.booleans()), max_size=3
    ).map(tuple),
}


def _any(hint: Any) -> st.SearchStrategy[Any]:
    if type(None) in get_args(hint):
        return st.none() | _any(next(one for one in get_args(hint) if one is not type(None)))
    return _PLAIN[hint] if hint in _PLAIN else st.sampled_from(list(hint))


VALUES = dict.fromkeys([*(verb.value for verb in VERBS if verb.value is not type(None)), measured.Sample])


@pytest.mark.parametrize("kind", VALUES, ids=lambda kind: kind.__name__)
@given(st.data())
def test_a_value_arrives_as_it_was(kind: type[Any], data: st.DataObject) -> None:
    hints = get_type_hints(kind, include_extras=True)
    value = kind(**{one.name: data.draw(_any(hints[one.name])) for one in fields(kind)})
    _, [body] = _over_the_bus(Message("a.b", "/", signature="a{sv}", body=[told(value)], member="x"))
    assert codec.read(kind, body) == value


def test_what_can_not_be_read_is_a_sentence() -> None:
    with pytest.raises(JobFailed, match="lacks 'synchronised'; the helper there is older"):
        codec.read(results.UndoResult, {"build_id": "x"})
    with pytest.raises(JobFailed, match="'joined' that this program doesn't know"):
        codec.read(results.MemberJoined, {"missing": 1, "joined": "by magic"})
