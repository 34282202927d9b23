"""Pieces of a shell script: quoted words, comments, and the functions common to all scripts."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

from raidwright.core.md.mdadm import EXPLANATIONS, Command
from raidwright.text.catalogue import tr, translated

from .wide import wrapped

_WIDTH = 100


def comment(text: str) -> list[str]:
    """Return ``text`` as comment lines."""
    return [f"# {line}" for line in wrapped(text, _WIDTH)]


def said(text: str) -> str:
    """Quote ``text`` with double quotes, in which only ``$1`` and our variables are expanded."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("`", "\\`")
    return f'"{escaped}"'


def words(argv: Iterable[str], **variables: str) -> str:
    """Return ``argv`` as shell words, each ``@NAME@`` in it as the variable of that name."""
    line = shlex.join(argv)
    for name, variable in variables.items():
        line = line.replace(f"@{name}@", f'"${variable}"')
    return line


def one_a_line(command: Command) -> Iterator[str]:
    """Yield the command, an option per line."""
    quoted = [shlex.quote(word) for word in command.argv]
    yield f"{' '.join(quoted[:3])} \\"
    yield from (f"    {word} \\" for word in quoted[3:-1])
    yield f"    {quoted[-1]}"


def why(command: Command) -> Iterator[str]:
    """Yield an explanation of each option of the command, as comments; devices need none."""
    for option in command.options:
        if option.text.startswith("--") and option.text != "--create":
            text = f"{option.text}: {translated(EXPLANATIONS[option.why])}"
            first, *rest = wrapped(text, _WIDTH - 2)
            yield f"# {first}"
            yield from (f"#   {line}" for line in rest)


def functions() -> list[str]:
    """Return the script's functions; each stops with a sentence if a check fails."""
    text = _FUNCTIONS
    for name, sentence in _sentences().items():
        text = text.replace(f"@{name}@", said(sentence))
    return text.strip("\n").split("\n")


def _sentences() -> dict[str, str]:
    disk = "$1"
    return {
        "GONE": tr("{disk} is not there; plug it in, and run this again.", disk=disk),
        "SERIAL": tr("{disk} is not the disk that was planned: its serial number isn't {serial}.",
                     disk=disk, serial="$2"),
        "BYTES": tr("{disk} is not the disk that was planned: it has not {bytes} bytes.", disk=disk, bytes="$3"),
        "MOUNTED": tr("{disk}, or a part of it, is mounted or swap space; nothing was done.", disk=disk),
        "HELD": tr("{disk} is part of something that runs (see lsblk); nothing was done.", disk=disk),
        "FOUND": tr("{disk} holds “{found}”, where “{meant}” was expected; nothing was done.",
                    disk=disk, found="$found", meant="${4-}"),
        "UNREAD": tr("{disk} can't be read; nothing was done.", disk=disk),
        "PARTITIONS": tr("{disk} has partitions; nothing was done.", disk=disk),
        "ALIVE": tr("{disk} shows signs of life (see blkid --probe, mdadm --examine); nothing was done.", disk=disk),
        "OTHER": tr("There is another array at {array}, or it lacks a disk; nothing was done.", array=disk),
        "LINE": tr("{file} speaks of {what} already; take that line out, and run this again.", file=disk, what="$2"),
        "USED": tr("{place} is mounted or holds files; choose another place, or clear this one.", place=disk),
    }  # fmt: skip


_FUNCTIONS = r"""
say() { printf '%s\n' "$*"; }

stop() {
    say "$*" >&2
    exit 1
}

# node_of PATH: the kernel's name of the device that a path leads to
node_of() { basename "$(readlink -f "$1")"; }

# is_made ARRAY LEVEL DEVICE...: the array runs, of this level, on these devices and no others
is_made() {
    [ -b "$1" ] || return 1
    array=$1 level=$2 system=/sys/block/$(node_of "$1")
    shift 2
    wanted=$(for device in "$@"; do node_of "$device"; done | sort)
    there=$(for slave in "$system/slaves"/*; do basename "$slave"; done | sort)
    [ "$wanted" = "$there" ] && [ "$(cat "$system/md/level")" = "$level" ] && return
    set -- "$array"
    stop @OTHER@
}

# signatures DEVICE: what wipefs finds on it and, after a number and a colon, on its partitions
signatures() {
    whole=$(readlink -f "$1")
    lsblk --noheadings --list --paths --output NAME "$whole" | while read -r part; do
        number=
        [ "$(readlink -f "$part")" = "$whole" ] || number=$(cat "/sys/class/block/$(basename "$part")/partition"):
        wipefs --no-act --noheadings --output TYPE "$part" | while read -r type; do say "$number$type"; done
    done | sort -u | tr '\n' ' ' | sed 's/ $//'
}

# look DEVICE SERIAL BYTES [SIGNATURES]: stop unless it is the disk that was planned, in no use, and holds only these
look() {
    [ -b "$1" ] ||
        stop @GONE@
    if [ -n "$2" ]; then
        udevadm info --query=property --name="$1" |
            grep -Fqx -e "ID_SERIAL_SHORT=$2" -e "ID_SCSI_SERIAL=$2" -e "SCSI_IDENT_SERIAL=$2" ||
            stop @SERIAL@
    fi
    [ "$(blockdev --getsize64 "$1")" = "$3" ] ||
        stop @BYTES@
    [ -z "$(lsblk --noheadings --output MOUNTPOINT "$1" | tr -d '[:space:]')" ] ||
        stop @MOUNTED@
    ! lsblk --noheadings --list --output TYPE "$1" | tail -n +2 | grep -qvx 'part' ||
        stop @HELD@
    wipefs --no-act "$1" >/dev/null ||
        stop @UNREAD@
    found=$(signatures "$1")
    [ "$found" = "${4-}" ] ||
        stop @FOUND@
    if [ -z "$found" ]; then
        [ "$(lsblk --noheadings --list --output NAME "$1" | wc -l)" -eq 1 ] ||
            stop @PARTITIONS@
        answer=0
        blkid --probe "$1" >/dev/null 2>&1 || answer=$?
        [ "$answer" -eq 2 ] ||
            stop @ALIVE@ # 2: it looked, and there was nothing
        ! mdadm --examine "$1" >/dev/null 2>&1 ||
            stop @ALIVE@
    fi
}

# append FILE LINE: the line at the file's end; as the file was before stays beside it, once
append() {
    [ ! -e "$1" ] || [ -e "$1.before-raidwright" ] || cp -p "$1" "$1.before-raidwright"
    [ ! -s "$1" ] || [ -z "$(tail -c 1 "$1")" ] || echo >>"$1"
    say "$2" >>"$1"
}

# lines_of FILE: without its comments; a file that isn't there has none
lines_of() {
    [ ! -e "$1" ] || grep -v '^[[:space:]]*#' "$1" || :
}

# unclaimed FILE WHAT PATTERN: stop where a line has this array's place
unclaimed() {
    ! lines_of "$1" | grep -Eq "$3" ||
        stop @LINE@
}

# unused FOLDER: stop where something is mounted at it, or where it holds files
unused() {
    if mountpoint -q "$1" || [ -n "$(ls -A "$1" 2>/dev/null)" ]; then
        stop @USED@
    fi
}

# has_line FILE KEY WHAT PATTERN: a line with the key is there; stop where another line has its place
has_line() {
    ! lines_of "$1" | grep -Fqi "$2" || return 0
    unclaimed "$1" "$3" "$4"
    return 1
}
"""
