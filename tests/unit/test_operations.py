"""The window's and the command line's requests: each for one verb, with its name, types and result."""

from __future__ import annotations

import asyncio
import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import NoneType, SimpleNamespace
from typing import Any, get_args

import pytest
from raidwright import operations
from raidwright.core.errors import InputError, JobFailed
from raidwright.core.model.plan import Member
from raidwright.core.protocol import looking
from raidwright.core.protocol.measured import Sample, WorkloadResult
from raidwright.core.protocol.verb import CANCEL, Verb
from raidwright.core.protocol.verbs import VERBS
from raidwright.lab.image import Generation
from raidwright.lab.machine import LabSpec
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.connection import Connection, PracticeSpec
from raidwright.machine.states.volume import leaves
from raidwright.machine.values import Named, Snapshot
from raidwright.operations.measuring import Measure, RunWorkload
from raidwright.operations.members import ReplaceMember
from raidwright.operations.operation import Request
from raidwright.operations.watch import Watch
from raidwright.runs.run import BegunRun
from raidwright.runs.store import Runs

from tests.kit import sample

_NAMES = [one.name for one in pkgutil.iter_modules(operations.__path__, "raidwright.operations.")]
_MODULES = [importlib.import_module(name) for name in _NAMES]
_CLASSES = {one for module in _MODULES for one in vars(module).values() if isinstance(one, type)}
REQUESTS = sorted(
    (one for one in _CLASSES if issubclass(one, Request) and "verb" in vars(one)), key=lambda kind: kind.__name__
)
ASKED_BY_THE_MACHINE: tuple[Verb[Any], ...] = (
    looking.EXAMINE_DISKS,
    looking.EXAMINE_ARRAYS,
    looking.EXAMINE_HOST,
    looking.EXAMINE_MEMBERSHIPS,
    looking.EXAMINE_SUPERBLOCKS,
    looking.EXAMINE_STRIPES,
)


def test_each_verb_is_one_requests() -> None:
    named = [kind.verb.name for kind in REQUESTS]
    assert [kind.__name__ for kind in REQUESTS] == named
    others = {verb.name for verb in (*ASKED_BY_THE_MACHINE, CANCEL)}
    assert sorted([*named, *others]) == sorted(verb.name for verb in VERBS)


def _answer(verb: Verb[Any]) -> Any:
    """Return the type of the client's result of the verb."""
    kind: Any = verb.value
    if verb.starts_job:
        return kind
    answers: dict[tuple[str, ...], Any] = {
        (): NoneType,
        ("a{sv}",): kind,
        ("aa{sv}",): tuple[kind, ...],
        ("a{sa{sv}}",): Mapping[str, kind],
        ("a{sa(sts)}",): Mapping[str, tuple[kind, ...]],
    }
    return answers[tuple(one.type for one in verb.gives)]


@pytest.mark.parametrize("request_type", REQUESTS, ids=lambda kind: kind.__name__)
def test_a_request_ends_with_what_its_verb_gives(request_type: type[Request[Any]]) -> None:
    [base] = {one for kind in request_type.__mro__ for one in getattr(kind, "__orig_bases__", ()) if _is_request(one)}
    [result] = get_args(base)
    assert (NoneType if result is None else result) == _answer(request_type.verb)


def _is_request(base: Any) -> bool:
    origin = getattr(base, "__origin__", None)
    return origin is Request and not any(hasattr(one, "__constraints__") for one in get_args(base))


def test_the_arguments_are_the_fields_in_their_order() -> None:
    old, new = Member("wwn-0x1", 10**12), Member("wwn-0x2", 10**12, serial="B")
    uuid, name, first, second, wipe = ReplaceMember(Named("a:b", "tank"), old, new, ("gpt", "ext4")).arguments()
    assert (uuid, name, wipe) == ("a:b", "tank", ["gpt", "ext4"])
    assert isinstance(first, dict)
    assert isinstance(second, dict)
    assert (first["id"], second["id"], second["serial"]) == ("wwn-0x1", "wwn-0x2", "B")


class _Helper:
    """Runs workloads."""

    def __init__(self) -> None:
        self.asked: list[tuple[object, ...]] = []

    async def do(self, verb: Verb[Any], *arguments: object, on_update: Any) -> WorkloadResult:
        """Send one sample, and the end."""
        self.asked.append((verb.name, *arguments))
        on_update(Sample(0.5, 1.0, 0.0, 2.0, 0.0, 3.0))
        return WorkloadResult("sequential_read", 1.0, 1.0, 2.0, 3.0, 4.0, "fio")


def _measured(measure: Measure, snapshot: Snapshot) -> tuple[_Helper, Any]:
    helper = _Helper()
    machine: Any = SimpleNamespace(helper=helper, snapshot=snapshot)
    return helper, asyncio.run(measure.perform(machine))


@pytest.fixture(autouse=True)
def _own_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def test_what_is_measured_is_kept_with_the_disks_as_they_were() -> None:
    target = sample.machine().disks[0].id
    helper, run = _measured(Measure(RunWorkload(target, "sequential_read", 7), "here"), sample.machine())
    asked = ("RunWorkload", target, "sequential_read", {"seconds": 7, "region_mib": None, "warm_up_seconds": None})
    assert helper.asked == [asked]
    assert (run.machine, run.region_mib, len(run.samples)) == ("here", None, 1)
    assert [disk["id"] for disk in run.context["disks"]] == [target]
    [listed] = Runs().all()
    assert listed == replace(run, samples=())
    assert Runs().get(run.id) == run


def test_a_practice_machine_is_measured_within_a_region_unless_one_is_given() -> None:
    request = RunWorkload(sample.machine().disks[0].id, "sequential_read", 7)
    practice = Measure(request, "Practice machine", is_practice=True, keep=False)
    assert _measured(practice, sample.machine())[1].region_mib == 512
    given = replace(practice, request=replace(request, region_mib=64))
    assert _measured(given, sample.machine())[1].region_mib == 64
    assert Runs().all() == ()


def test_a_run_is_there_from_its_beginning_and_one_that_fails_is_let_go() -> None:
    request = RunWorkload(sample.machine().disks[0].id, "sequential_read", 7)
    begun: list[BegunRun] = []

    class Failing(_Helper):
        async def do(self, verb: Verb[Any], *arguments: object, on_update: Any) -> WorkloadResult:
            await super().do(verb, *arguments, on_update=on_update)
            begun.extend(Runs().unfinished())
            raise JobFailed("The disk fell out.", code="test")

    machine: Any = SimpleNamespace(helper=Failing(), snapshot=sample.machine())
    with pytest.raises(JobFailed):
        asyncio.run(Measure(request, "here", is_practice=True).perform(machine))
    assert [(one.workload, one.is_practice, one.state) for one in begun] == [("sequential_read", True, None)]
    assert (Runs().all(), Runs().unfinished()) == ((), ())


@pytest.mark.parametrize(("seconds", "region_mib"), [(0, None), (-1, None), (2**32, None), (1, 0), (1, 2**32)])
def test_a_count_that_is_none_is_refused(seconds: int, region_mib: int | None) -> None:
    with pytest.raises(InputError, match="positive whole number"):
        RunWorkload("md:1", "sequential_read", seconds, region_mib).arguments()


def test_the_disks_of_a_nested_array_are_those_of_its_parts() -> None:
    first, second = (replace(sample.array(10**12), device=f"/dev/md{at}", member_devices=()) for at in (1, 2))
    outer = replace(first, device="/dev/md3", members=(), member_devices=("/dev/md1", "/dev/md2"))
    parts = replace(first, members=(Member("a", 1),)), replace(second, members=(Member("b", 1),))
    assert [one.id for one in leaves(outer, Snapshot(arrays=(*parts, outer)))] == ["a", "b"]


def test_a_practice_machine_is_ordered_as_it_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    ordered: list[LabSpec] = []

    def refuse(order: LabSpec, say: object) -> None:
        ordered.append(order)
        raise InputError("Not now.", code="test")

    monkeypatch.setattr("raidwright.operations.practice_room.start", refuse)
    spec = PracticeSpec("2x1TB:ssd@sata2", "trixie", pace=10.0)
    with pytest.raises(InputError):
        asyncio.run(Watch().practise(spec, Connection("Practice machine"), lambda _news: None))
    assert ordered == [LabSpec(disks_from_text(spec.disks), Generation.TRIXIE, pace=10.0)]
