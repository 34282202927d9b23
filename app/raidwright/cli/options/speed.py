"""The options on speeds: own workloads, md's settings, a concurrent resync or check."""

from __future__ import annotations

import argparse
from dataclasses import replace

from raidwright.analysis.performance.host import HostModel, kernel_version
from raidwright.analysis.performance.question import Question, Sync
from raidwright.core.errors import InputError
from raidwright.core.units import parse_decimal, parse_size
from raidwright.reading.workload_jobs import read_workload_jobs
from raidwright.reading.workload_words import each_named_once, read_workload
from raidwright.text.catalogue import tr

from .plans import plan_text

_MAX_THREADS = 8192  # ``raid5.c raid5_store_group_thread_cnt``
_STRIPE_CACHE = (17, 32768)  # ``raid5.c raid5_set_cache_size``
_READ_AHEAD_KIB = (0, 1024 * 1024)
_MB_S = (1.0, 100_000.0)  # of --speed-limit and --link


def add_speed_options(parser: argparse.ArgumentParser) -> None:
    """Add --workload, --job, and the settings of md and the kernel to ``parser``."""
    parser.add_argument(
        "--workload",
        metavar="WORDS",
        action="append",
        default=[],
        help=tr("predict this, too, in fio's words: randread,bs=16k,depth=8,jobs=4 (several times for several)"),
    )
    parser.add_argument(
        "--job", metavar="FILE", action="append", default=[], help=tr("predict the jobs of this fio job file, too")
    )
    parser.add_argument("--kernel", metavar="VERSION", help=tr("the Linux version that md is of (6.12)"))
    parser.add_argument("--threads", metavar="N", help=tr("group_thread_cnt of raid4, raid5 and raid6 (0)"))
    parser.add_argument(
        "--stripe-cache", metavar="N", help=tr("stripe_cache_size of raid4, raid5 and raid6, in stripes")
    )
    parser.add_argument(
        "--span", metavar="SIZE", help=tr("random accesses fall within the first SIZE of the array: 8GB (all of it)")
    )
    parser.add_argument("--sync", metavar="WHAT", help=tr("predict beside a check or a resync of the array, too"))
    parser.add_argument(
        "--speed-limit",
        metavar="MB_S",
        help=tr("sync_speed_max in MB/s a member, for rebuilds and --sync (204.8, md's own 200000 KiB/s)"),
    )
    parser.add_argument("--link", metavar="MB_S", help=tr("what the link or bus passes that all disks are behind"))
    parser.add_argument("--read-ahead", metavar="KIB", help=tr("the array's read-ahead (md's own: two stripes)"))


def chosen_question(options: argparse.Namespace) -> Question:
    """Return the options' workloads and settings; raises InputError."""
    asked = [read_workload(text) for text in options.workload]
    for name in options.job:
        asked += read_workload_jobs(plan_text(name))
    named = each_named_once(asked)
    span_bytes = None if options.span is None else parse_size(options.span)
    if options.sync not in (None, *Sync):
        raise InputError(
            "“{value}” of --sync is not known; it takes check or resync. Rebuilds are predicted without it.",
            code="sync",
            value=options.sync,
        )
    return Question(named, None if options.sync is None else Sync(options.sync), span_bytes)


def chosen_host(options: argparse.Namespace) -> HostModel:
    """Return md's settings in the options; raises InputError."""
    kernel = None if options.kernel is None else _kernel(options.kernel)
    threads = 0 if options.threads is None else _whole("--threads", options.threads, 0, _MAX_THREADS)
    cache = None if options.stripe_cache is None else _whole("--stripe-cache", options.stripe_cache, *_STRIPE_CACHE)
    ahead_kib = None if options.read_ahead is None else _whole("--read-ahead", options.read_ahead, *_READ_AHEAD_KIB)
    link_b_s = _b_s("--link", options.link)
    host = HostModel(
        group_threads=threads,
        stripe_cache_pages=cache,
        sync_limit_b_s=_b_s("--speed-limit", options.speed_limit),
        read_ahead_bytes=None if ahead_kib is None else ahead_kib * 1024,
        read_ceiling_b_s=link_b_s,
        write_ceiling_b_s=link_b_s,
    )
    return host if kernel is None else replace(host, kernel=kernel)


def _kernel(text: str) -> tuple[int, ...]:
    version = kernel_version(text)
    if version is None:
        raise InputError(
            "“{value}” of --kernel is no version of Linux that is predicted; write one from 2.4 on, such as 6.12.",
            code="kernel",
            value=text,
        )
    return version


def _whole(option: str, text: str, least: int, most: int) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(most)) and least <= int(text) <= most):
        raise InputError(
            "“{value}” of {option} can't be taken; md takes {least} to {most}.",
            code="setting",
            value=text,
            option=option,
            least=least,
            most=most,
        )
    return int(text)


def _b_s(option: str, text: str | None) -> float | None:
    """Return the bytes per second of ``text`` in MB/s; None if the option isn't given."""
    if text is None:
        return None
    least, most = _MB_S
    try:
        value = parse_decimal(text)
    except ValueError:
        value = 0.0
    if not least <= value <= most:
        raise InputError(
            "“{value}” of {option} can't be taken; it is {least:.0f} to {most:.0f} MB/s.",
            code="setting",
            value=text,
            option=option,
            least=least,
            most=most,
        )
    return value * 1e6
