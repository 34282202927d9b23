"""The command line: the window's functions without a display.

Each subcommand is a module of this package with ``add_parser`` and ``run``; only the requested one is imported, so that
``raidwright disks`` doesn't wait for numpy.
"""

from __future__ import annotations

import argparse
import codecs
import importlib
import io
import keyword
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from raidwright import __version__
from raidwright.core.errors import InputError, RaidwrightError
from raidwright.core.messages import say
from raidwright.text.catalogue import choose, tr, translated

_COMMANDS = {
    "gui": say("open the window (also what happens without a subcommand)"),
    "disks": say("list a machine's disks and what each is in use for"),
    "assess": say("say what plans hold and survive, and the mdadm command"),
    "explain": say("explain an mdadm --create command word by word, and make a plan of it"),
    "import": say("make a plan of what mdadm prints of an array"),
    "loss": say("say how likely a plan loses data over the years, and why"),
    "geometry": say("say what each chunk of each member holds"),
    "candidates": say("rank the plans that a pool of disks allows"),
    "export": say("write a plan as a script, a playbook, a recovery card, a report and more"),
    "build": say("build a plan's array through the helper"),
    "builds": say("list what one has built, and take a build back"),
    "filesystem": say("make a file system on an array, mount it, unmount it"),
    "tune": say("see and set an array's read-ahead, stripe cache, speeds and schedulers"),
    "configure": say("start an array with the computer: mdadm.conf and fstab, shown before they are written"),
    "array": say("look after arrays that exist: members, checks, their end"),
    "alerts": say("say who is told when a disk fails, set a webhook, send a test"),
    "baseline": say("measure what disks do alone, and keep it for predictions"),
    "bench": say("measure an array or a disk with fio through the helper"),
    "watch-load": say("watch what an array or a disk is asked, and make a workload of it"),
    "shootout": say("build candidates on a slice of empty disks, measure them, take them away"),
    "sweep": say("measure an array at one value after the other of a setting"),
    "runs": say("list, show, export, import and remove the runs that are kept"),
    "compare": say("hold runs against others: which is faster, and is it beyond noise?"),
    "lab": say("start, list, use and stop practice machines"),
    "install-helper": say("install the root helper, which builds and measures"),
}

_FOLDERS = {  # of the commands outside this folder
    "runs": "measuring", "compare": "measuring", "watch-load": "measuring", "array": "arrays",
    "explain": "import_export", "import": "import_export", "export": "import_export",
}  # fmt: skip

_LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


class _Help(argparse.HelpFormatter):
    """Formatter of the help as Python 3.13 prints it, on any Python: an option's value once, after its last name."""

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {value}"


class _Parser(argparse.ArgumentParser):
    def __init__(self, **options: Any) -> None:
        super().__init__(**{"formatter_class": _Help} | options)

    def error(self, message: str) -> NoReturn:
        raise InputError(
            "{message}. See {prog} --help.",
            code="usage",
            message=f"{message[:1].upper()}{message[1:]}",
            prog=self.prog,
        )


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return 0 on success, 2 for unusable input, 1 for every other failure."""
    _print_everywhere()
    _compute_in_one_thread()
    choose()
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        if level := os.environ.get("RAIDWRIGHT_LOG"):
            _log_from(level.upper())
        return _run(arguments)
    except RaidwrightError as error:
        print(tr("raidwright: {translated}", translated=translated(error.sentence)), file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Our output's reader has gone (``| head``); Python must not complain while it closes it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _print_everywhere() -> None:
    """Replace characters that the terminal's encoding lacks, rather than fail."""
    for stream in (sys.stdout, sys.stderr):
        if not isinstance(stream, io.TextIOWrapper) or stream.errors not in ("strict", "backslashreplace"):
            continue
        if stream is sys.stdout and not stream.isatty() and "PYTHONIOENCODING" not in os.environ:
            stream.reconfigure(encoding="utf-8")  # files and pipes get every character; JSON is always UTF-8
        is_unicode = codecs.lookup(stream.encoding).name.startswith("utf")
        stream.reconfigure(errors="backslashreplace" if is_unicode else "replace")


def _compute_in_one_thread() -> None:
    """Keep numpy's OpenBLAS, not loaded yet, to one thread: for small matrices, more only wait for each other."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _log_from(level: str) -> None:
    if level not in _LOG_LEVELS:
        raise InputError(
            "RAIDWRIGHT_LOG is “{level}”; write one of {known}.",
            code="log-level",
            level=level,
            known=_LOG_LEVELS,
        )
    logging.basicConfig(level=level, format="%(name)s: %(message)s")


def _run(arguments: list[str]) -> int:
    wanted = next((word for word in arguments if not word.startswith("-")), None)
    helping = not {"-h", "--help", "--version"}.isdisjoint(arguments)
    if wanted is not None and wanted not in _COMMANDS and not helping and Path(wanted).is_file():
        raise InputError(
            "“{file}” is a file, not a command. To open a plan in the window: raidwright gui {file}. To read what it "
            "holds: raidwright assess {file}.",
            code="usage",
            file=wanted,
        )
    if wanted is None and not helping:
        arguments, wanted = ["gui", *arguments], "gui"
    parser, commands = _empty_parser()
    for name, purpose in _COMMANDS.items():
        if name == wanted:
            importlib.import_module(_module(name)).add_parser(commands)
        elif helping or wanted not in _COMMANDS:  # the others are only mentioned
            commands.add_parser(name, help=translated(purpose))
    options = parser.parse_args(arguments)
    status: int = importlib.import_module(_module(options.subcommand)).run(options)
    return status


def command_names() -> tuple[str, ...]:
    """Return the subcommands, in the order of ``--help``."""
    return tuple(_COMMANDS)


def parser_of(command: str) -> argparse.ArgumentParser:
    """Return the parser of one subcommand, for the man page and the shell's completion."""
    _parser, commands = _empty_parser()
    importlib.import_module(_module(command)).add_parser(commands)
    return commands.choices[command]


def _empty_parser() -> tuple[_Parser, argparse._SubParsersAction[_Parser]]:
    parser = _Parser(prog="raidwright", description=tr("See every md layout, prove it on your disks, build it safely."))
    said = tr("Raidwright {version}", version=__version__)
    parser.add_argument("--version", action="version", version=said, help=tr("show the version and exit"))
    return parser, parser.add_subparsers(metavar="COMMAND", dest="subcommand", required=True)


def _module(command: str) -> str:
    name = command.replace("-", "_")
    file = f"{name}_" if keyword.iskeyword(name) else name
    return ".".join(filter(None, (__name__, _FOLDERS.get(command), file)))
