"""Commands of mdadm's within mark-up, programs and configurations, written as lines of a shell.

Pages emphasise a command, forums put it in brackets, programs have it as a list of words or in a string, and
configurations as the items of a list.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_RUN = r"(?:sudo\s+)?(?:/\S*/)?mdadm\s+(?:-|/dev/)"
_WORD = r"""(?:"[^"\n]*"|'[^'\n]*'|[^\s"',\[\]()]+)"""
_OWN_LINE = r"\n\g<command>\n"


def _words(found: re.Match[str]) -> str:
    """Return the words of a list as one command."""
    return "\nmdadm " + " ".join(word.strip("\"'") for word in re.findall(_WORD, found["words"])) + "\n"


def _items(found: re.Match[str]) -> str:
    """Return the items of a list of YAML's as one command."""
    items = re.findall(r"(?m)^[ \t]*-[ \t]+(.*?)[ \t]*$", found["words"])
    return "\nmdadm " + " ".join(item.strip("\"'") for item in items) + "\n"


def _args(found: re.Match[str]) -> str:
    """Return the words of calls, one each, as one command."""
    return "\nmdadm " + " ".join(re.findall(r"""\(\s*["']([^"'\n]*)["']\s*\)""", found["words"])) + "\n"


_Change = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]
_CHANGES: tuple[_Change, ...] = (
    (re.compile(r"\[/?(?:code|icode|quote|php)(?:=[^\]\n]*)?\]", re.IGNORECASE), "\n"),
    (re.compile(r"\[/?(?:font|size|color|b|i|u|tt|mono)(?:=[^\]\n]*)?\]", re.IGNORECASE), ""),
    (re.compile(rf"\\(?:texttt|lstinline|code)\{{(?P<command>{_RUN}[^{{}}\n]*)\}}"), _OWN_LINE),
    (re.compile(rf"(?<![\w*/])(\*\*?)(?P<command>{_RUN}[^*\n]*)\1(?!\w)"), _OWN_LINE),
    (re.compile(rf"(?<!\w)(__?)(?P<command>{_RUN}[^\n]*?)\1(?=[\s.,;:)]|$)"), _OWN_LINE),
    (re.compile(rf"(?m)^[ \t]*(?:[-*+] |\d+[.)] )?(`{{1,3}})(?P<command>{_RUN}[^`\n]*)\1[.,;:]?[ \t]*$"), _OWN_LINE),
    # A program's list of words: spawn("mdadm", ["--create", …]), Command::new("mdadm").args(["--create", …])
    (re.compile(r"""["'](?:/\S*/)?mdadm["']\s*(?:,|\)\s*\.args\(&?)\s*\[(?P<words>[^\]\n]*)\]"""), _words),
    (re.compile(rf"""["'](?:/\S*/)?mdadm["']\s*\)(?P<words>(?:\s*\.arg\(\s*{_WORD}\s*\))+)"""), _args),
    # Items of YAML's: Ansible's argv, a container's command
    (
        re.compile(
            r"""(?m)^[ \t]*(?:-[ \t]+)+["']?(?:/\S*/)?mdadm["']?[ \t]*\n"""
            rf"(?P<words>(?:[ \t]*-[ \t]+{_WORD}[ \t]*(?:\n|$))+)"
        ),
        _items,
    ),
    # Ansible's own arguments behind a command
    (
        re.compile(r"(?m)(?P<command>\bmdadm\s[^\n]*?)(?:\s+(?:creates|removes|chdir|executable|warn|stdin)=\S+)+\s*$"),
        r"\g<command>",
    ),
    (re.compile(r"\$\{[\w.]*mdadm[\w.]*\}/s?bin/mdadm\b"), "mdadm"),  # Nix
    (re.compile(r"\$\{?(?:mdadm|MDADM(?:_BIN|_CMD)?)\}?(?=\s+(?:-|/dev/))"), "mdadm"),
    (re.compile(rf"(?m)^\t[@+-]+(?={_RUN})"), "\t"),  # a Makefile's recipe
    (re.compile(rf"(?m)^[ \t]*#+ ?[\w ]{{1,40}}: +(?={_RUN})"), ""),  # a comment that has one
)
_ESCAPED = re.compile(rf"\\n[ \t]*{_RUN}|{_RUN}[^\n\"']*\\n")  # line breaks as \n, in a string


def with_own_lines(text: str) -> str:
    """Return ``text`` with each such command on a line of its own."""
    if _ESCAPED.search(text):
        text = text.replace("\\n", "\n")
    for pattern, changed in _CHANGES:
        text = pattern.sub(changed, text)
    return text
