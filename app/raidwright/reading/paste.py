"""Commands in text pasted from a page, with its prompts, dashes, quotes and line breaks repaired.

Pages turn ``--`` into a dash and ``"`` into curly quotes, lose the backslash at a line's end, and include the prompt.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import PurePosixPath

from raidwright.core.errors import InputError

from .embedded import with_own_lines
from .mdadm_options import begins_long_option
from .shell_words import Operator, ShellWord, shell_words

_LONGEST = 1 << 16
_SIGNS = str.maketrans(
    {
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‘’‚‛′", "'"),
        **dict.fromkeys("\u00a0\u2002\u2003\u2007\u2009\u200a\u202f\u3000", " "),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\r"),
        **dict.fromkeys("\u2010\u2011\u2212", "-"),
        "\u2028": "\n",
        "…": "...",
    }
)
_DASHES = "\u2012\u2013\u2014\u2015"
_DASHED = re.compile(rf"(?<![^\s\"'])([-{_DASHES}]+)([A-Za-z][\w-]*)?")
_RUNS = r"(?:sudo|doas|(?:[.~/][\w./-]*/)?mdadm|yes|echo|printf|export\s+\w+=|[A-Za-z_]\w*=)"
_PROMPT = re.compile(
    r"\s*(?:\[\d\d:\d\d(?::\d\d)?\]\s*)?(?:```\w*\s*$|(?:\[?[\w.-]+@[^#$%>]*[#$%>]\s*|[$%]\s+|(?<![ \t])>\s+"
    rf"|(?:[\w(][\w.:()@-]* ){{0,3}}(?:[\w.~/:-]+ )?#\s*(?={_RUNS}(?:\s|(?<==)))))"
)
_COMMAND = re.compile(rf"\s*{_RUNS}")
_GOES_ON = re.compile(r"\s*(?:-(?!\s|-+\s*$)|/dev/|missing\b|\$\{?\w|[\"']/dev/)")
_LISTED = re.compile(r"""[\[(]\s*["']?mdadm["']?\s*,([^\])\n]*)[\])]""")  # ["mdadm", "--create", …]
_INLINE = re.compile(
    r"""(?<=\S[ =(])(?<!-c )(?<!-lc )(?<!-ec )(["']|`{1,3})((?:sudo\s+)?mdadm\s+(?:-|/dev/)[^"'`\n]*)\1"""
)  # within prose, or ssh's word
_MDADM = re.compile(r"\bmdadm\s")
_TAG_NAME = r"(?:a|b|br|code|div|em|i|kbd|li|p|pre|samp|span|strong|tt|ul)"
_TAG = re.compile(rf"(?<![\w/-])<{_TAG_NAME}(?:\s[^<>]*)?/?>|</{_TAG_NAME}>", re.IGNORECASE)  # of HTML
_ENTITY = re.compile(r"&(?:#\d{2,5}|#[xX][0-9a-fA-F]{2,4}|amp|[lg]t|quot|nbsp|[nm]dash);")
_FENCE = re.compile(r"(?m)(?<=[^\s`])`{3,}|^[ \t]*`{3,}(?=.*[ \t]\S)")  # a block of code within one line
_QUOTED = re.compile(r"(?:>[ \t]*)*>[ \t]+")  # of mail; also a shell's second prompt
_PLACEHOLDER = re.compile(r"<[A-Za-z]\w*(?:[ .-]\w+)*>")  # <device>, as manuals write it; no redirection
_ANSWERS = frozenset({"yes", "echo", "printf"})
_CARRIES = re.compile(r".*:|-|RUN|CMD|then|do|else", re.DOTALL)  # a word before a command: of YAML, Docker, a shell
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_MAX_DEPTH = 3
_SCRIPT = re.compile(r"(?:^|[\s;&|/(])mdadm\s+(?:-|/dev/)")
_WHICH = re.compile(r"(?:`|\$\()\s*(?:which|command -v|type -[pP])\s+mdadm\s*(?:`|\))")
_UNIT = re.compile(r"(?m)^[ \t]*Exec[A-Z]\w*=[-@:+!|]*(?=\S*mdadm[ \t])")  # of systemd
_HASH_ARROW = re.compile(r"(?<=[\w'\"])[ \t]*=>[ \t]*")  # of Puppet and Ruby; no redirection
_HERE_DOCUMENT = re.compile(
    r"(?m)^(?P<line>[^\n]*\bmdadm[ \t][^\n]*<<-?[ \t]*[\"']?(?P<end>\w+)[\"']?[^\n]*)\n(?P<body>(?:[^\n]*\n)*?)"
    r"[ \t]*(?P=end)[ \t]*$"
)
_HOME_HOSTS = ("<none>", "<ignore>", "<system>")  # mdadm's own words
_OUTPUT = re.compile(r"(?:\w+=)?(?:`([^`]*)`|\$\((.*)\))", re.DOTALL)
_ENDS = frozenset({";", "&&", "||", "&", "(", ")"})


@dataclass(frozen=True, slots=True)
class Simple:
    """One program with its words; ``answers`` is the input piped to it for its questions."""

    words: tuple[ShellWord, ...]
    answers: str = ""

    def __str__(self) -> str:
        return " ".join(word.text for word in self.words)


def commands_in(text: str, depth: int = 0) -> list[Simple]:
    """Return the commands of ``text``, in order, with its variables expanded; raises InputError.

    A script within a word (``sh -c '…'``, a list of Terraform's, Puppet's exec) gives its own commands.
    """
    if len(text) > _LONGEST:
        raise InputError("That is too long for a command; paste the command alone.", code="paste-long")
    found, variables = list[Simple](), dict[str, str]()
    plain, inputs = _without_inputs(_plain(text))
    for line in _lines(plain):
        placeholder = next((one for one in _PLACEHOLDER.findall(line) if one not in _HOME_HOSTS), "")
        if placeholder and _MDADM.search(line):
            raise InputError(
                "What “{unknown}” stands for can't be known here; write it out.",
                code="paste-unknown",
                unknown=placeholder,
            )
        if not _COMMAND.match(line) and _has_open_quote(line):  # prose, or a program's output
            found.append(Simple((ShellWord(line.strip()),)))
            continue
        try:
            simple = _simple(shell_words(line, variables), inputs)
            for command in simple:
                rest = _assign(command.words, variables)
                is_run = bool(rest) or any(_SCRIPT.search(_unlisted(word.text)) for word in command.words)
                found += _within(replace(command, words=rest or command.words), depth) if is_run else []
        except ValueError:
            raise InputError("A quote isn't closed in “{line}”.", code="paste-quote", line=line.strip()[:80]) from None
    return found


def _within(simple: Simple, depth: int) -> list[Simple]:
    """Return the commands of a script in one of the words, as a shell, ssh or a configuration has it; else itself."""
    if depth > _MAX_DEPTH or any(PurePosixPath(word.text).name == "mdadm" for word in simple.words):
        return [simple]
    scripts = [text for word in simple.words if _SCRIPT.search(text := _unlisted(word.text))]
    inner = [one for text in scripts for one in commands_in(text, depth + 1)]
    return [replace(one, answers=one.answers or simple.answers) for one in inner] or [simple]


def _unlisted(text: str) -> str:
    """Return a word without the brackets and the comma of a list that it is in, or the signs of a command's output."""
    text = text.strip().removesuffix(",")
    if output := _OUTPUT.fullmatch(text):
        return next(text for text in output.groups() if text is not None)
    for opening, closing in ("[]", "()", "{}"):
        if text.count(opening) != text.count(closing) or (text[:1], text[-1:]) == (opening, closing):
            text = text.removeprefix(opening).removesuffix(closing)
    return text.strip().removesuffix(",")


def _plain(text: str) -> str:
    """Return ``text`` with commands in lists, in prose and in templates written as a shell has them."""
    if _TAG.search(text) or _ENTITY.search(text):
        text = html.unescape(_TAG.sub("\n", text))
    text = with_own_lines(text.translate(_SIGNS))
    text = _UNIT.sub("", _WHICH.sub("mdadm", _HASH_ARROW.sub(" ", text)))
    text = _LISTED.sub(lambda found: "\nmdadm" + re.sub(r"""["',]+\s*""", " ", found[1]) + "\n", text)
    return _FENCE.sub("\n", _INLINE.sub(r"\n\2\n", text))


def _without_inputs(text: str) -> tuple[str, dict[str, str]]:
    """Return ``text`` without the here-documents that answer mdadm, and these by the word that ends each."""
    inputs: dict[str, str] = {}

    def taken(found: re.Match[str]) -> str:
        inputs[found["end"]] = " ".join(found["body"].split())
        return found["line"]

    return _HERE_DOCUMENT.sub(taken, text), inputs


def _lines(text: str) -> Iterator[str]:
    """Yield each command as one line, continuation lines joined."""
    held = ""
    for quoted in _unquoted(text).split("\n"):
        raw = _QUOTED.sub("", quoted, count=1) if _QUOTED.match(quoted) else quoted
        prompt = _PROMPT.match(raw)
        line = _DASHED.sub(_ascii_dashes, raw[prompt.end() :] if prompt else raw)
        goes_on = held.endswith("\\") or (not prompt and _GOES_ON.match(line) and _MDADM.search(held))
        if held and not (goes_on or (_COMMAND.match(held) and _has_open_quote(held))):
            yield held
            held = ""
        held = f"{held.removesuffix(chr(92))} {line.rstrip()}" if held else line.rstrip()
    if held:
        yield held.removesuffix("\\")


def _unquoted(text: str) -> str:
    """Return ``text`` without quotes around the whole of it, as a command in prose has them."""
    whole = text.strip()
    is_quoted = len(whole) > 1 and whole[0] == whole[-1] and whole[0] in "'\"" and whole.count(whole[0]) == 2
    return whole[1:-1] if is_quoted else text


def _ascii_dashes(match: re.Match[str]) -> str:
    dashes, name = match[1], match[2] or ""
    if set(dashes) == {"-"}:
        return match[0]
    is_long = len(dashes) > 1 or not name or begins_long_option(name)
    return ("--" if is_long else "-") + name


def _has_open_quote(line: str) -> bool:
    try:
        list(shell_words(line, {}))
    except ValueError:
        return True
    return False


def _simple(pieces: Iterator[ShellWord | Operator], inputs: Mapping[str, str]) -> Iterator[Simple]:
    """Yield the simple commands, each with its input: piped, in a here-string, or in a here-document."""
    words: list[ShellWord] = []
    answers, skips, grouped = "", "", ""
    for piece in chain(pieces, [Operator(";")]):
        if isinstance(piece, ShellWord):
            if not skips:
                words.append(piece)
            elif skips == "<<<" or (skips == "<<" and piece.text.lstrip("-") in inputs):
                answers = f"{skips} {piece.text if skips == '<<<' else inputs[piece.text.lstrip('-')]}"
            skips = ""
        elif piece.text in _ENDS:
            if words:
                yield Simple(tuple(words), answers)
            is_answer = piece.text == ")" and bool(words) and words[0].text in _ANSWERS
            grouped = " ".join(word.text for word in words) if is_answer else ""
            words, answers = [], ""
        elif piece.text == "|":
            start = next((at for at, word in enumerate(words) if not _CARRIES.fullmatch(word.text)), len(words))
            if words[start:] and words[start].text in _ANSWERS:
                answers = " ".join(word.text for word in words[start:])
            elif words:
                yield Simple(tuple(words), answers)
                answers = ""
            else:
                answers = grouped
            words = []
        else:
            skips = "" if "&" in piece.text[1:] else piece.text  # the redirection's target is the next word


def _assign(words: tuple[ShellWord, ...], variables: dict[str, str]) -> tuple[ShellWord, ...]:
    """Set the variables if ``words`` are only assignments, and return (); else return the words to run."""
    rest = words[1:] if words and words[0].text in ("export", "readonly", "declare") else words
    set_here: list[tuple[re.Match[str], str]] = []
    for word in rest:
        match = _ASSIGNED.fullmatch(word.text)
        if not match:
            return rest[len(set_here) :]
        set_here.append((match, word.unknown))
    for match, unknown in set_here:
        if unknown:
            variables.pop(match[1], None)
        else:
            variables[match[1]] = match[2]
    return ()
