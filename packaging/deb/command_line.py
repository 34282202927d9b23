"""The man page and the shell's completion, made of the command line's own parsers."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

from raidwright.cli import command_names, parser_of

_SYNOPSIS = r"""raidwright \- plan, prove, build and measure Linux md arrays
.SH SYNOPSIS
.B raidwright
.RI [ COMMAND " [" ARGUMENT ]...]
.SH DESCRIPTION
Shows every layout that Linux' md allows on a set of disks, what each holds and survives, and how fast it will be;
builds arrays through a small root helper, and measures them. Without a command it opens the window.
.PP
Planning needs neither disks nor root. The practice machine
.RB ( "raidwright lab" )
is a real kernel in an ordinary process, with virtual disks: everything can be tried there first.
.SH COMMANDS
"""
_END = r""".SH ENVIRONMENT
.TP
.B RAIDWRIGHT_LOG
DEBUG, INFO, WARNING or ERROR: what is logged to standard error.
.SH FILES
.TP
.I ~/.local/share/raidwright
The runs that are kept.
.TP
.I ~/.cache/raidwright
The practice machine's disk image and programs; made again when they are gone.
.SH EXIT STATUS
0 when all went well, 2 when the input can't be used, 1 for every other failure.
.SH SEE ALSO
.BR raidwright\-helper (8),
.BR mdadm (8),
.BR md (4)
"""

_COMPLETION = """# Completion of bash for raidwright; made of the command line itself.
_raidwright() {
    local current=${COMP_WORDS[COMP_CWORD]} path= word words
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case "$path $word" in
%(deeper)s        esac
    done
    case "$path" in
%(words)s    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o default -F _raidwright raidwright
"""


def man_page(version: str, date: str) -> str:
    """Return ``raidwright.1``, with every subcommand's help as printed."""
    page = f'.TH RAIDWRIGHT 1 "{date}" "Raidwright {version}" "User Commands"\n.SH NAME\n{_SYNOPSIS}'
    for name in command_names():
        for path, parser in _parsers(name):
            page += f'.SS "{_escaped(" ".join(["raidwright", *path]))}"\n.nf\n{_escaped(parser.format_help())}.fi\n'
    return page + _END


def _escaped(text: str) -> str:
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def completion() -> str:
    """Return bash's completion: each subcommand's own subcommands, its options, and otherwise files."""
    parsers = [parsed for name in command_names() for parsed in _parsers(name)]
    words: dict[tuple[str, ...], list[str]] = {(): [*command_names(), "--help", "--version"]}
    words |= {path: [*_below(parser), *_options(parser)] for path, parser in parsers}
    deeper = (
        f'            "{" ".join(("", *path))}") path="{" ".join(("", *path))}" ;;\n' for path, _parser in parsers
    )
    lines = (f'        "{" ".join(("", *path))}") words="{" ".join(its)}" ;;\n' for path, its in words.items() if path)
    top = f'        "") words="{" ".join(words[()])}" ;;\n'
    return _COMPLETION % {"deeper": "".join(deeper), "words": top + "".join(lines)}


def _parsers(name: str) -> Iterator[tuple[tuple[str, ...], argparse.ArgumentParser]]:
    """Yield a subcommand's parser and its subcommands' parsers, each with its words."""
    waiting: list[tuple[tuple[str, ...], argparse.ArgumentParser]] = [((name,), parser_of(name))]
    while waiting:
        path, parser = waiting.pop(0)
        yield path, parser
        waiting += [((*path, word), below) for word, below in _below(parser).items()]


def _below(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    found = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))  # noqa: SLF001
    return {word: below for action in found for word, below in action.choices.items()}


def _options(parser: argparse.ArgumentParser) -> list[str]:
    return [word for action in parser._actions for word in action.option_strings if word.startswith("--")]  # noqa: SLF001
