"""``raidwright sweep``: one setting of an array over several values, its load, or chunks and members by a shoot-out."""

from __future__ import annotations

import argparse

from raidwright.cli.options.machine import add_machine_options
from raidwright.cli.options.numbers import decimal
from raidwright.cli.options.report import add_report_options
from raidwright.core.errors import InputError
from raidwright.core.system.filesystem import MEASURED_KINDS, FileSystemKind, checked_kind
from raidwright.core.system.workload import Workload
from raidwright.operations.scaling import SCALED
from raidwright.operations.sweep import SWEPT
from raidwright.suites import Suite, read_suite
from raidwright.text.catalogue import tr

from .of_disks import BY_SCRATCH, sweep_disks
from .of_files import BY_FILE, sweep_files
from .of_load import sweep_load
from .of_settings import sweep_setting

_DEFAULT_SECONDS = 8
_OF_SETTINGS = Workload.BUFFERED_READ


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("sweep", help=tr("measure an array at one value after the other of a setting"))
    known = [name.replace("_", "-") for name in (*SWEPT, *SCALED, *BY_SCRATCH, BY_FILE)]
    parser.add_argument("what", metavar="WHAT", help=tr("one of: {known}", known=known))
    parser.add_argument("disks", metavar="DISK", nargs="*", help=tr("empty disks, for a scratch array of these"))
    parser.add_argument(
        "--target", metavar="ARRAY", help=tr("an array that runs: its name or md:UUID; of depth and jobs also a disk")
    )
    parser.add_argument("--values", metavar="VALUES", help=tr("which values, with commas between"))
    parser.add_argument(
        "--workload", type=Workload, metavar="NAME",
        help=tr("what is measured (default: {settings}; of depth and jobs: {load})", settings=_OF_SETTINGS,
                load=Workload.RANDOM_READ_4K),
    )  # fmt: skip
    parser.add_argument("--seconds", type=int, default=_DEFAULT_SECONDS, help=tr("how long (default: %(default)s)"))
    parser.add_argument(
        "--repeats", type=int, choices=range(1, 11), default=3, metavar="N",
        help=tr("how often each value is measured (1 to 10, default: %(default)s)"),
    )  # fmt: skip
    parser.add_argument("--region-mib", type=int, help=tr("stay within the first so many MiB"))
    parser.add_argument("--keep", action="store_true", help=tr("keep the best for each boot"))
    parser.add_argument(
        "--suite", type=read_suite, default=Suite.BUFFERED, metavar="NAME",
        help=tr("for chunk and members: {suites} (default: %(default)s)", suites=list(Suite)),
    )  # fmt: skip
    parser.add_argument("--levels", default="raid5", metavar="LEVELS", help=tr("of empty disks: raid0,raid5:ls"))
    parser.add_argument(
        "--cross-paired", action="store_true", help=tr("two mirrors across the halves of two empty disks, striped")
    )
    parser.add_argument(
        "--chunk-kib", type=int, metavar="KIB", help=tr("of empty disks: with chunks of (not for chunk)")
    )
    parser.add_argument(
        "--file-system", type=checked_kind, default=FileSystemKind.EXT4, metavar="KIND",
        help=tr("for file-size: {kinds} (default: %(default)s)", kinds=list(MEASURED_KINDS)),
    )  # fmt: skip
    parser.add_argument("--slice-gib", type=decimal, default=2.0, metavar="GIB", help=tr("on so much of each disk"))
    parser.add_argument("--minutes", type=decimal, default=30.0, help=tr("how long it may take (default: %(default)s)"))
    parser.add_argument("--no-save", action="store_true", help=tr("don't keep the runs"))
    parser.add_argument("--yes", action="store_true", help=tr("don't ask for each disk's serial number"))
    parser.add_argument(
        "--overwrite-unknown", action="store_true",
        help=tr("for chunk and members: overwrite bytes that nothing recognises"),
    )  # fmt: skip
    add_report_options(parser)
    add_machine_options(parser)
    parser.add_argument("--json", action="store_true", help=tr("print JSON instead of a table"))


def run(options: argparse.Namespace) -> int:
    what = options.what.replace("-", "_")
    if options.over and what != "members":
        raise InputError("--over goes with members: kept runs are laid over curves by number of disks.", code="usage")
    if what in SWEPT:
        if bool(options.target) == bool(options.disks):
            raise InputError("Say which array (--target NAME), or which empty disks to make one of.", code="usage")
        options.workload = options.workload or _OF_SETTINGS
        sweep_setting(options, what)
    elif what in SCALED:
        if options.report is not None:
            raise InputError("--report goes with settings, chunks and members.", code="usage")
        if options.disks or not options.target:
            raise InputError("Say which array or disk: --target NAME.", code="usage")
        sweep_load(options, what)
    elif what == BY_FILE:
        sweep_files(options)
    elif what in BY_SCRATCH:
        if not options.disks:
            raise InputError("Name the disks, or say all; raidwright disks lists them.", code="usage")
        sweep_disks(options, what)
    else:
        known = [name.replace("_", "-") for name in (*SWEPT, *SCALED, *BY_SCRATCH, BY_FILE)]
        raise InputError("“{name}” can't be swept; {known} can be.", code="sweep", name=options.what, known=known)
    return 0
