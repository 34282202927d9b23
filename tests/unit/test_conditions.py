"""A comparison's subject, and differences that forbid it: named, and only if they can affect the figure."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from raidwright.analysis.comparison.conditions import Aspect, ComparisonSubject, Conditions, context_of, is_steady
from raidwright.analysis.comparison.groups import Measured
from raidwright.analysis.comparison.verdict import compare
from raidwright.core.protocol.measured import Sample
from raidwright.runs.conditions import conditions_of
from raidwright.runs.run import ArrayState, Run, RunResult
from raidwright.text.run import comparisons as words

_ONE = Conditions(
    workload="random_write_4k",
    seconds=15.0,
    writes=True,
    buffered=False,
    is_practice=False,
    source="raidwright",
    target="/dev/md0",
    is_files=False,
    fio="3.33",
    sync="",
    steady=True,
    mounted=False,
    used_fraction=0.2,
    array="raid5 left-symmetric 512K x3",
    disks=("A", "B", "C"),
    state="healthy",
    machine="This computer",
    kernel="6.1.0",
    scheduler="mq-deadline",
    write_cache="write back",
    read_ahead_kib="2048",
    stripe_cache_size="256",
    group_thread_cnt="0",
)

# Each alone: its name, and whether it forbids the comparison or is its subject.
_ALONE: list[tuple[dict[str, Any], Aspect, ComparisonSubject | None]] = [
    ({"workload": "random_read_4k"}, Aspect.WORKLOAD, None),
    ({"region_mib": 512}, Aspect.REGION, None),
    ({"seconds": 60.0}, Aspect.SECONDS, None),
    ({"is_practice": True}, Aspect.PRACTICE, None),
    ({"source": "fio"}, Aspect.SOURCE, None),
    ({"is_files": True}, Aspect.FILES, None),
    ({"offset": "90%"}, Aspect.OFFSET, None),
    ({"file_system": "xfs"}, Aspect.FILE_SYSTEM, None),
    ({"sync": "resync"}, Aspect.SYNC, None),
    ({"busy": "the disks were in use: busy 60% of the time before"}, Aspect.BUSY, None),
    ({"steady": False}, Aspect.STEADY, None),
    ({"mounted": True}, Aspect.IN_USE, None),
    ({"used_fraction": 0.8}, Aspect.FILL, None),
    ({"array": "raid10 f2 512K x3"}, Aspect.ARRAY, ComparisonSubject.ARRAYS),
    ({"disks": ("A", "B", "D")}, Aspect.DISKS, ComparisonSubject.ARRAYS),
    ({"array": ""}, Aspect.ARRAY, ComparisonSubject.ARRAY_DISK),
    ({"state": "degraded"}, Aspect.STATE, ComparisonSubject.STATES),
    ({"kernel": "6.12.0"}, Aspect.KERNEL, ComparisonSubject.KERNELS),
    ({"machine": "Another"}, Aspect.MACHINE, ComparisonSubject.KERNELS),
    ({"target": "/dev/sda"}, Aspect.TARGET, ComparisonSubject.TARGETS),
    ({"scheduler": "none"}, Aspect.SCHEDULER, ComparisonSubject.SETTINGS),
    ({"write_cache": "write through"}, Aspect.WRITE_CACHE, ComparisonSubject.SETTINGS),
    ({"stripe_cache_size": "8192"}, Aspect.STRIPE_CACHE, ComparisonSubject.SETTINGS),
    ({"group_thread_cnt": "4"}, Aspect.GROUP_THREADS, ComparisonSubject.SETTINGS),
]


@pytest.mark.parametrize(("change", "aspect", "kind"), _ALONE, ids=[aspect for _change, aspect, _kind in _ALONE])
def test_what_differs_alone_is_named(change: dict[str, Any], aspect: Aspect, kind: ComparisonSubject | None) -> None:
    context = context_of([_ONE], [replace(_ONE, **change)])
    if kind is None:
        assert ([one.aspect for one in context.warnings], context.kind) == ([aspect], ComparisonSubject.REPEATS)
        assert words.warning(context).startswith("These don't compare: ")
    else:
        assert ([one.aspect for one in context.subject], context.kind) == ([aspect], kind)
        assert (context.compares, words.warning(context)) == (True, "")
        assert " against " in words.kind(context)


def test_every_aspect_is_tried_and_has_words() -> None:
    elsewhere = {Aspect.READ_AHEAD, Aspect.FIO, Aspect.ENGINE, Aspect.SHORT}
    assert {aspect for _change, aspect, _kind in _ALONE} | elsewhere == set(Aspect)


def test_another_engine_is_a_remark() -> None:
    context = context_of([replace(_ONE, engine="libaio")], [replace(_ONE, engine="io_uring")])
    assert context.compares
    assert words.remark(context) == "Also different: fio's engine (libaio against io_uring)"
    assert Aspect.ENGINE not in context_of([_ONE], [replace(_ONE, engine="io_uring")]).unknown


def test_single_runs_of_less_than_a_second_dont_compare() -> None:
    short = replace(_ONE, seconds=0.003, is_fixed_work=True)
    context = context_of([short], [short])
    assert words.warning(context) == "These don't compare: too short a time, s (0.003 against 0.003)"
    assert context_of([short, short], [short, short]).compares  # whose repeats tell the noise


def test_both_disturbed_dont_compare_either() -> None:
    assert [
        one.aspect for one in context_of([replace(_ONE, sync="check")], [replace(_ONE, sync="check")]).warnings
    ] == [Aspect.SYNC]
    rebuilt = replace(_ONE, sync="recover", state="rebuilding")
    assert context_of([rebuilt], [rebuilt]).compares
    busy = replace(_ONE, busy="x")
    assert [one.aspect for one in context_of([_ONE, busy], [_ONE]).warnings] == [Aspect.BUSY]


def test_machines_of_which_one_isnt_told_may_differ() -> None:
    context = context_of([replace(_ONE, machine="")], [replace(_ONE, machine="nas")])
    assert (context.compares, Aspect.MACHINE in context.unknown) == (True, True)


def test_there_is_no_verdict_on_what_doesnt_compare() -> None:
    found = compare([Measured(100.0)], [Measured(3000.0)])
    other = context_of([_ONE], [replace(_ONE, region_mib=512)])
    assert (words.verdict_on(found, other), words.briefly(found, other)) == ("Not comparable", "not comparable")
    assert words.verdict_on(found, context_of([_ONE], [_ONE])).startswith("30.0 times as fast")


def test_another_fio_is_a_remark() -> None:
    context = context_of([_ONE], [replace(_ONE, fio="3.39")])
    assert (context.compares, context.kind) == (True, ComparisonSubject.REPEATS)
    assert words.remark(context) == "Also different: fio (3.33 against 3.39)"


@pytest.mark.parametrize(
    ("first", "second", "is_same"),
    [
        ({"region_mib": 508}, {"region_mib": 510}, True),  # two layouts of the same slices
        ({"region_mib": 508}, {"region_mib": 762}, False),
        ({"region_mib": 0.5}, {"region_mib": 1}, False),
        ({}, {"region_mib": 508}, False),
        ({"region_share": "50%"}, {}, False),
        ({"region_share": "50%"}, {"region_share": "50%"}, True),
        ({"is_region_known": False}, {"region_mib": 508}, True),
    ],
)
def test_a_region_is_another_by_more_than_a_layout_leaves_over(
    first: dict[str, Any], second: dict[str, Any], is_same: bool
) -> None:
    context = context_of([replace(_ONE, **first)], [replace(_ONE, **second)])
    assert context.compares is is_same
    assert (Aspect.REGION in context.unknown) is ("is_region_known" in first)


def test_the_time_of_a_fixed_amount_of_work_follows_from_the_speed() -> None:
    one = replace(_ONE, is_fixed_work=True)
    assert context_of([one], [replace(one, seconds=150.0)]).compares
    assert not context_of([one], [replace(one, seconds=150.0, is_fixed_work=False)]).compares


def test_on_another_machine_the_target_is_another_as_well() -> None:
    context = context_of([_ONE], [replace(_ONE, machine="Another", target="/dev/md127")])
    assert (context.kind, context.compares) == (ComparisonSubject.KERNELS, True)


def test_the_same_compares() -> None:
    context = context_of([_ONE, _ONE], [_ONE])
    assert (context.compares, context.kind, context.subject) == (True, ComparisonSubject.REPEATS, ())


@pytest.mark.parametrize(
    ("change", "kind", "warned"),
    [
        ({"array": "raid1 x2", "disks": ("A", "B"), "kernel": "6.12.0"}, ComparisonSubject.ARRAYS, {Aspect.KERNEL}),
        (
            {"array": "raid0 x3", "scheduler": "none", "used_fraction": 0.9},
            ComparisonSubject.ARRAYS,
            {Aspect.SCHEDULER, Aspect.FILL},
        ),
        ({"kernel": "6.12.0", "scheduler": "none"}, ComparisonSubject.KERNELS, {Aspect.SCHEDULER}),
        ({"state": "rebuilding", "sync": "recover"}, ComparisonSubject.STATES, set()),
        ({"state": "degraded", "kernel": "6.12.0"}, ComparisonSubject.STATES, {Aspect.KERNEL}),
        ({"array": "raid5 left-symmetric 64K x3", "stripe_cache_size": "1024"}, ComparisonSubject.ARRAYS, set()),
        ({"array": "", "state": None, "disks": ("A",), "stripe_cache_size": None}, ComparisonSubject.ARRAY_DISK, set()),
        ({"is_controller": True, "array": "", "disks": ("X",)}, ComparisonSubject.CONTROLLER_MD, set()),
    ],
)
def test_beside_the_subject_everything_else_warns(
    change: dict[str, Any], kind: ComparisonSubject, warned: set[Aspect]
) -> None:
    for pair in ((_ONE, replace(_ONE, **change)), (replace(_ONE, **change), _ONE)):
        context = context_of([pair[0]], [pair[1]])
        assert (context.kind, {one.aspect for one in context.warnings}) == (kind, warned)


@pytest.mark.parametrize(
    ("workload", "change"),
    [
        ({"writes": False}, {"write_cache": "write through"}),
        ({"writes": False}, {"stripe_cache_size": "8192"}),
        ({"buffered": False}, {"read_ahead_kib": "65536"}),
        ({}, {"used_fraction": 0.25}),
        ({}, {"seconds": 30.0}),
    ],
)
def test_what_the_workload_does_not_feel_is_no_difference(workload: dict[str, Any], change: dict[str, Any]) -> None:
    one = replace(_ONE, **workload)
    context = context_of([one], [replace(one, **change)])
    assert (context.warnings, context.subject) == ((), ())


def test_read_ahead_is_felt_by_what_reads_through_the_page_cache() -> None:
    one = replace(_ONE, writes=False, buffered=True)
    assert [each.aspect for each in context_of([one], [replace(one, read_ahead_kib="65536")]).subject] == [
        Aspect.READ_AHEAD
    ]


def test_what_nobody_knows_is_said_and_is_no_difference() -> None:
    context = context_of([_ONE], [replace(_ONE, kernel=None, scheduler=None)])
    assert (context.compares, set(context.unknown)) == (True, {Aspect.KERNEL, Aspect.SCHEDULER})
    assert words.not_known(context) == "Not known of both: the kernel and the scheduler"


def test_repeats_that_are_not_like_each_other_warn() -> None:
    odd = replace(_ONE, sync="check")
    assert [one.aspect for one in context_of([_ONE, odd], [_ONE]).warnings] == [Aspect.SYNC]
    assert [one.aspect for one in context_of([_ONE], [_ONE, odd]).warnings] == [Aspect.SYNC]


@pytest.mark.parametrize(
    ("rates", "steady"),
    [
        ([200.0] * 60, True),
        ([500.0] * 30 + [120.0] * 30, False),  # a cache that is full, or a disk that overheated
        ([100.0] * 20 + [200.0] * 40, False),
        ([200.0, 180.0] * 30, True),
        ([200.0, 20.0], None),
    ],
)
def test_a_run_that_ends_otherwise_than_it_began_is_not_steady(rates: list[float], steady: bool | None) -> None:
    assert is_steady(rates) is steady


# -- a stored run's conditions --


def _run(**more: Any) -> Run:
    known: dict[str, Any] = {
        "id": "x",
        "started": datetime(2026, 3, 1, tzinfo=UTC),
        "machine": "This computer",
        "target": "md:1",
        "workload": "random_write_4k",
        "state": ArrayState.HEALTHY,
        "result": RunResult("random_write_4k", 15.0, 1.0, 250.0),
        "samples": tuple(Sample(at / 8, 0.0, 1.0, 0.0, 250.0, 4.0) for at in range(120)),
        "context": {
            "array": {
                "level": "raid5", "chunk_kib": 512, "slots": 3, "mounted_at": "/srv/tank", "sync_action": "idle",
                "facts": {"layout": "left-symmetric", "bitmap": "internal"},
            },
            "disks": [{"serial": "B", "model": "WDC"}, {"serial": "A", "model": "WDC"}],
            "surroundings": {
                "kernel": "6.1.0", "fio": "3.33", "sync_action": "resync", "used_fraction": "0.417", "bitmap": "+8",
                "sda/scheduler": "none", "sdb/scheduler": "none", "sda/write_cache": "write back",
            },
        },
    }  # fmt: skip
    return Run(**(known | more))


def test_a_runs_conditions_are_read_off_its_context() -> None:
    found = conditions_of(_run())
    assert found.array == "raid5 left-symmetric 512K x3 bitmap"
    assert (found.disks, found.sync, found.mounted, found.used_fraction) == (("A", "B"), "resync", True, 0.417)
    assert (found.kernel, found.scheduler, found.write_cache) == ("6.1.0", "none", "write back")
    assert (found.writes, found.buffered, found.steady, found.state) == (True, False, True, "healthy")


def test_a_buffered_stream_that_fio_announced_is_told_from_one_that_it_did_not() -> None:
    argvs = "fio --rw=read --direct=0 --fadvise_hint=0", "fio --rw=read --direct=0"
    results = (RunResult("buffered_read", 15.0, 250.0, 250.0, command=argv) for argv in argvs)
    plain, announced = (conditions_of(_run(workload="buffered_read", result=one)) for one in results)
    assert (plain.fio, announced.fio) == ("3.33", "3.33, read-ahead × 2")
    assert Aspect.FIO in {one.aspect for one in context_of([plain], [announced]).warnings}


def test_a_run_of_before_says_what_it_can() -> None:
    context: dict[str, Any] = {"array": {"level": "raid1", "name": "tank"}, "disks": []}
    found = conditions_of(_run(context=context, state=None))
    assert (found.array, found.kernel, found.disks, found.state, found.sync) == ("raid1", None, None, None, "")


@pytest.mark.parametrize(
    ("model", "is_controller"),
    [
        ("PERC H730P Mini", True),
        ("LSI MR9361-8i", True),
        ("HP LOGICAL VOLUME", True),
        ("WDC WD80EFZX-68UW8N0", False),
        ("ST8000VN004", False),
        ("Samsung SSD 970 EVO Plus", False),
    ],
)
def test_a_controllers_volume_is_known_by_its_name(model: str, is_controller: bool) -> None:
    context: dict[str, Any] = {"array": None, "disks": [{"serial": "1", "model": model}], "surroundings": {}}
    assert conditions_of(_run(context=context)).is_controller is is_controller
