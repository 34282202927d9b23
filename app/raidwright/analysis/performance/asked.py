"""Assumptions of a speed question beyond missing disk figures: on the workload, md's settings, and the span."""

from __future__ import annotations

from collections.abc import Iterator

from raidwright.analysis.layers.equivalent import as_array
from raidwright.core.md.layouts import Level
from raidwright.core.messages import Message, say
from raidwright.core.model.plan import Consistency, Plan
from raidwright.core.system.workload import Pattern
from raidwright.reading.workload_words import AskedWorkload

from .array import ModelledArray
from .constants import (
    A_FIFTH,
    A_HALF,
    DEEP,
    NEWEST_KERNEL,
    NOTICES_ALL_SINCE,
    OLD_KERNELS,
    PAGE_BYTES,
    STRIPE_REQUESTS_SINCE,
    TWOFOLD,
)
from .host import HostModel
from .question import Sync
from .several import outstanding
from .typical import AssumedFigure


def of_pattern(array: ModelledArray, pattern: Pattern) -> Iterator[AssumedFigure]:
    """Yield the assumptions on properties of ``pattern`` that no baseline covers."""
    yield from _of_flushes(array, pattern)
    yield from _of_old_kernels(array.host.kernel)
    yield from _of_new_kernels(array, pattern)
    if pattern.jobs > 1:
        yield AssumedFigure(say("a processor's core for each of the {jobs} jobs", jobs=pattern.jobs), A_FIFTH)
    if not pattern.is_random:
        yield from _of_streams(array, pattern)
    if pattern.is_random and pattern.buffered:
        if pattern.writes:
            yield AssumedFigure(say("the kernel writes back many random pages at a time, as memory allows"), TWOFOLD)
        else:
            yield AssumedFigure(say("nothing of what is read is in memory already"), A_FIFTH)
    if pattern.is_random and outstanding(pattern).depth > DEEP * len(array.working):
        if array.spins:
            yield AssumedFigure(say("a disk sorts {deep} requests at most", deep=DEEP), A_FIFTH)
        else:
            yield AssumedFigure(
                say("a disk does no more with over {deep} requests than with {deep}", deep=DEEP), A_HALF
            )
    if pattern.block_bytes % PAGE_BYTES and array.parities:
        yield AssumedFigure(say("blocks that are no whole pages of 4 KiB take whole ones"), A_HALF)
    if pattern.writes:
        yield from _of_write_caches(array, pattern)
        yield from _of_consistency(array.plan)


def _of_streams(array: ModelledArray, pattern: Pattern) -> Iterator[AssumedFigure]:
    if pattern.jobs > 1:
        yield AssumedFigure(say("each job's stream is at a place of its own (fio: offset_increment)"), A_FIFTH)
    requests = pattern.depth * pattern.jobs
    is_shallow = requests == 1 or requests * pattern.block_bytes < _stripe_bytes(array)
    if array.spins and pattern.direction == "read" and not pattern.buffered and _stripe_bytes(array) and is_shallow:
        yield AssumedFigure(say("each disk reads on by itself while its data aren't asked for"), TWOFOLD)
    if pattern.read_percent is not None:
        told = say("what is read and what is written are two streams, each at a place of its own")
        yield AssumedFigure(told, A_HALF)


def _stripe_bytes(array: ModelledArray) -> int:
    """Return the bytes of a stream for which all members are busy; 0 where one member reads all of it."""
    one_reads = array.level in (Level.LINEAR, Level.RAID1)
    return 0 if one_reads else array.data_slots // array.copies.near * array.chunk_bytes


def _of_old_kernels(kernel: tuple[int, ...]) -> Iterator[AssumedFigure]:
    for until, spread in OLD_KERNELS:
        if kernel < until:
            told = say("the page cache and elevator of Linux {version} as those of today", version=_version(kernel))
            yield AssumedFigure(told, spread)
            return


def _of_new_kernels(array: ModelledArray, pattern: Pattern) -> Iterator[AssumedFigure]:
    kernel = array.host.kernel
    if kernel > NEWEST_KERNEL:
        told = say("md of Linux {asked} as that of {newest}, the newest that was tried", asked=_version(kernel),
                   newest=_version(NEWEST_KERNEL))  # fmt: skip
        yield AssumedFigure(told, A_FIFTH)
    if kernel >= STRIPE_REQUESTS_SINCE and array.parities and pattern.writes and not pattern.is_random:
        told = say(
            "Linux {since} and later hand parity whole stripes, which can be faster than was measured before",
            since=_version(STRIPE_REQUESTS_SINCE),
        )
        yield AssumedFigure(told, A_FIFTH)


def _of_write_caches(array: ModelledArray, pattern: Pattern) -> Iterator[AssumedFigure]:
    """Yield an assumption for random writes that the disks' caches sort; without them a write waits for its place."""
    if pattern.is_random and not pattern.flushed and array.slowest.cached_writes:
        yield AssumedFigure(say("the disks' write caches are on"), A_HALF)


def _of_flushes(array: ModelledArray, pattern: Pattern) -> Iterator[AssumedFigure]:
    if not pattern.flushed:
        return
    if pattern.depth > 1:
        yield AssumedFigure(
            say("a job waits for each flush: one of its writes is in flight, whatever its depth"), A_FIFTH
        )
    if array.slowest.flushes_vary:
        told = say("a flush of {milliseconds:.2g} ms, typical of such flash", milliseconds=array.slowest.flush_s * 1000)
        yield AssumedFigure(told, 0.0)  # in the flush's own band


def _of_consistency(plan: Plan) -> Iterator[AssumedFigure]:
    array = as_array(plan.top)
    if array.journal is not None:
        yield AssumedFigure(say("as fast as without a journal, whose cost and gain aren't modelled"), A_HALF)
    if array.consistency is Consistency.PPL:
        yield AssumedFigure(say("as fast as without a partial parity log, which takes up to 40% of writes"), A_HALF)


_BESIDE = AssumedFigure(say("nobody has published what is left beside it: measured on practice disks alone"), 0.0)
_UNPUBLISHED = AssumedFigure(
    say("nobody has published such accesses with a disk lost: measured on practice disks alone"), A_HALF
)
_PARTLY_PUBLISHED = AssumedFigure(
    say("with a disk lost, streams and reads of two arrays were published; all else is from practice disks"), 0.0
)


def of_state(
    array: ModelledArray, pattern: Pattern, *, lost: bool, beside: Message | None
) -> tuple[AssumedFigure, ...]:
    """Return what the figures of a state other than whole and at rest were measured on."""
    if array.host.practice or not (lost or beside):
        return ()
    if beside is not None:
        return (_BESIDE,)
    return (_UNPUBLISHED if pattern.is_random and (pattern.writes or not array.spins) else _PARTLY_PUBLISHED,)


def of_settings(plan: Plan, host: HostModel, sync: Sync | None, *, spares_one: bool) -> Iterator[Message]:
    """Yield notes on settings of ``host`` or a sync without effect on ``plan``, or with less than in reality.

    ``spares_one``: the array survives the loss of one more disk.
    """
    still: Message | None = None
    if not any(each.level.is_redundant for each in plan.top.md_arrays()):
        still = say("the array keeps nothing twice")
    elif not spares_one:
        still = say("the array lacks as many members as it survives")
    if still and sync is not None:
        yield say("nothing to check or resync: {why}", why=still)
    if still and host.sync_limit_b_s is not None:
        yield say("sync_speed_max changes nothing: {why}", why=still)
    has_stripes = any(each.level.parity_disks for each in plan.top.md_arrays())
    if host.group_threads and not has_stripes:
        yield say("group_thread_cnt changes nothing: only raid4, raid5 and raid6 have it")
    if host.stripe_cache_pages is not None:
        if has_stripes:
            yield say(
                "the size of the stripe cache counts only for buffered streams, reads of a degraded array, and writes "
                "that share a bitmap's update"
            )
        else:
            yield say("stripe_cache_size changes nothing: only raid4, raid5 and raid6 have it")


def of_job(asked: AskedWorkload) -> Iterator[Message]:
    """Yield notes on the options of a fio job that change no prediction, and on the engine that it doesn't name."""
    if asked.queues_unasked:
        yield say(
            "the job names no ioengine, and libaio is taken: fio itself would take psync, with one request in flight"
        )
    if asked.without_effect:
        yield say("{options:and} of the job change nothing in what is predicted", options=list(asked.without_effect))


def of_span(pattern: Pattern, span_bytes: int | None, user_bytes: int) -> Iterator[Message]:
    """Yield a note on the region of the I/O."""
    if span_bytes is None:
        return
    if span_bytes >= user_bytes:
        yield say("the span is larger than the array; accesses fall all over it")
    elif pattern.is_random:
        yield say("accesses fall within the first {span_bytes:size} of the array", span_bytes=span_bytes)
    else:
        yield say("streams begin at the array's beginning; the span shortens seeks between several alone")


def of_sync(array: ModelledArray, sync: Sync) -> Iterator[Message]:
    """Yield the assumptions on the sync beside a workload."""
    yield say("md's speed limit is that of each member; nothing else on these disks is synced meanwhile")
    if array.host.kernel >= NOTICES_ALL_SINCE:
        yield say(
            "Linux {since} and later keep some of a sync's requests in flight beside other I/O (sync_io_depth, 32)",
            since=_version(NOTICES_ALL_SINCE),
        )
    if sync is Sync.RESYNC and not array.parities:
        yield say("reads as of a whole array; what isn't synced yet is read from the first copy alone")


def _version(kernel: tuple[int, ...]) -> str:
    return ".".join(map(str, kernel))
