"""Shell word splitting: quotes, variables, braces and brackets, as in ``bash(1)``. Nothing is ever run.

Words that only a running shell could expand (a command's output, an unset variable) are unknown; the caller decides
whether that matters. Bracket patterns are expanded in the shell's sort order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_OPERATORS = re.compile(r"\|\||&&|\d*>>?&\d|&>>?|\d*>>|\d*>|<<<?|<|\||&|;|\(|\)")
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_TEMPLATE = re.compile(r"\{\{-?\s*([^{}\n]*?)\s*-?\}\}")  # Jinja's {{ variable }}
_COMMAND_OUTPUT = re.compile(r"\$\((?:[^()]|\([^()]*\))*\)|`[^`]*`|\$\{[^}]*\}")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)|([A-Za-z])\.\.([A-Za-z])")
_MAX_WORDS = 2000  # of one word with braces: a short range can expand to very many

# Origin of a character of a word, which decides its expansion.
_PLAIN, _FROM_VARIABLE, _QUOTED = range(3)
_Signs = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class ShellWord:
    """One word as the program gets it; ``unknown`` is the part that only a shell could expand, "" for none."""

    text: str
    unknown: str = ""


@dataclass(frozen=True, slots=True)
class Operator:
    """Separator between words: ``|``, ``&&``, ``;``, ``>`` and the like."""

    text: str


@dataclass(slots=True)
class _Part:
    """A word being read; ``is_begun`` also for an empty one in quotes."""

    signs: list[tuple[str, int]]
    unknown: str = ""
    is_begun: bool = False

    def add(self, text: str, how: int) -> None:
        self.signs += [(sign, how) for sign in text]
        self.is_begun = True


def shell_words(line: str, variables: Mapping[str, str]) -> Iterator[ShellWord | Operator]:
    """Yield the words and operators of ``line``; raises ValueError for an unclosed quote.

    ``variables`` is read lazily, so that earlier commands may set some.
    """
    part, at = _Part([]), 0
    while at < len(line):
        sign = line[at]
        operator = _OPERATORS.match(line, at)
        # A number belongs to a redirection only at the beginning of a word.
        is_operator = operator is not None and not (part.is_begun and sign.isdigit())
        if sign in " \t\n" or (operator and is_operator):
            yield from _finished(part)
            part = _Part([])
            if operator and is_operator:
                yield Operator(operator[0])
                at = operator.end()
            else:
                at += 1
        elif sign == "#" and not part.is_begun:
            break
        else:
            at = _read(line, at, part, variables)
    yield from _finished(part)


def _read(line: str, at: int, part: _Part, variables: Mapping[str, str]) -> int:
    """Read the element at ``at`` into ``part``, and return the position after it."""
    sign = line[at]
    if sign == "\\":
        part.add(line[at + 1 : at + 2], _QUOTED)
        return at + 2
    if sign == "'":
        end = line.index("'", at + 1)
        part.add(line[at + 1 : end], _QUOTED)
        return end + 1
    if sign == '"':
        return _read_quoted(line, at + 1, part, variables)
    if sign in "$`{" and (end := _read_expansion(line, at, part, variables, _FROM_VARIABLE)):
        return end
    part.add(sign, _PLAIN)
    return at + 1


def _read_quoted(line: str, at: int, part: _Part, variables: Mapping[str, str]) -> int:
    part.is_begun = True
    while line[at : at + 1] != '"':
        if at >= len(line):
            raise ValueError("a quote isn't closed")
        if line[at] == "\\" and line[at + 1 : at + 2] in ('"', "\\", "$", "`"):
            part.add(line[at + 1], _QUOTED)
            at += 2
        elif line[at] in "$`{" and (end := _read_expansion(line, at, part, variables, _QUOTED)):
            at = end
        else:
            part.add(line[at], _QUOTED)
            at += 1
    return at + 1


def _read_expansion(line: str, at: int, part: _Part, variables: Mapping[str, str], how: int) -> int:
    """Read a variable, a template's too, or a command's output; return the position after it, 0 for another brace."""
    template = _TEMPLATE.match(line, at)
    if line[at] == "{" and not template:
        return 0
    variable = template or _VARIABLE.match(line, at)
    if variable:
        name = variable[1] if template else variable[1] or variable[2]
        if name in variables:
            part.add(variables[name], how)
        else:
            part.add(variable[0], _QUOTED)
            part.unknown = part.unknown or variable[0]
        return variable.end()
    output = _COMMAND_OUTPUT.match(line, at)
    if output:
        part.add(output[0], _QUOTED)
        part.unknown = part.unknown or output[0]
        return output.end()
    part.add(line[at], _QUOTED)
    return at + 1


def _finished(part: _Part) -> list[ShellWord]:
    if not part.is_begun:
        return []
    whole = "".join(sign for sign, _ in part.signs)
    if _ASSIGNMENT.match(whole):  # a value isn't expanded here
        return [ShellWord(whole, part.unknown)]
    return [
        ShellWord(text, part.unknown)
        for one in _braced(tuple(part.signs))
        for piece in _parted(one)
        for text in _bracketed(piece)
    ]


def _braced(signs: _Signs) -> Iterator[_Signs]:
    """Expand ``a{b,c}`` to ``ab`` and ``ac``, ``{b..e}`` to four; other braces stay, as in the shell."""
    for start, (sign, how) in enumerate(signs):
        if (sign, how) != ("{", _PLAIN):
            continue
        parts = _alternatives(signs, start)
        if parts is not None:
            alternatives, end = parts
            rests = list(_braced(signs[end:]))
            for one in alternatives:
                for middle in _braced(one):
                    yield from (signs[:start] + middle + rest for rest in rests)
            return
    yield signs


def _alternatives(signs: _Signs, start: int) -> tuple[list[_Signs], int] | None:
    """Return the expansions of the brace at ``start``, and its end; None for a literal brace."""
    depth, found, begun = 0, [], start + 1
    for at in range(start, len(signs)):
        if signs[at][1] == _QUOTED:
            continue
        match signs[at][0]:
            case "{":
                depth += 1
            case "," if depth == 1:
                found.append(signs[begun:at])
                begun = at + 1
            case "}":
                depth -= 1
                if depth == 0:
                    last = signs[begun:at]
                    ranged = [] if found else _ranged("".join(sign for sign, _ in last))
                    return ([*found, last] if found else ranged, at + 1) if found or ranged else None
    return None


def _ranged(text: str) -> list[_Signs]:
    match = _RANGE.fullmatch(text)
    if not match:
        return []
    is_number = match[1] is not None
    first, last = (int(match[1]), int(match[2])) if is_number else (ord(match[3]), ord(match[4]))
    step = 1 if first <= last else -1
    if abs(last - first) >= _MAX_WORDS:
        return []
    numbers = range(first, last + step, step)
    return [tuple((sign, _QUOTED) for sign in (str(one) if is_number else chr(one))) for one in numbers]


def _parted(signs: _Signs) -> Iterator[_Signs]:
    """Split the results of unquoted variables at spaces."""
    found: list[list[tuple[str, int]]] = [[]]
    is_empty_meant = not signs
    for sign, how in signs:
        if how == _FROM_VARIABLE and sign in " \t\n":
            found.append([])
        else:
            found[-1].append((sign, how))
    yield from (tuple(one) for one in found if one or is_empty_meant)


def _bracketed(signs: _Signs) -> list[str]:
    """Expand ``sd[bc]`` and ``sd[b-e]`` to the names that they match, in order; an option matches no file.

    A bracket that begins a word is a list's, or a section's of a configuration.
    """
    if signs[:1] and signs[0][0] in "-[":
        return ["".join(sign for sign, _ in signs)]
    for start, (sign, how) in enumerate(signs):
        if sign != "[" or how == _QUOTED:
            continue
        end = next((at for at in range(start + 2, len(signs)) if signs[at][0] == "]"), None)
        letters = end and _letters("".join(sign for sign, _ in signs[start + 1 : end]))
        if end and letters:
            head = "".join(sign for sign, _ in signs[:start])
            return [head + letter + rest for letter in letters for rest in _bracketed(signs[end + 1 :])]
    return ["".join(sign for sign, _ in signs)]


def _letters(inside: str) -> list[str]:
    """Return the characters that one bracket matches, sorted; none for a negated one."""
    found: set[str] = set()
    if inside[:1] in ("!", "^"):
        return []
    while inside:
        if len(inside) >= 3 and inside[1] == "-":
            found |= {chr(code) for code in range(ord(inside[0]), ord(inside[2]) + 1)}
            inside = inside[3:]
        else:
            found.add(inside[0])
            inside = inside[1:]
    return sorted(found - {","} if len(found) > 1 else found)  # no device's name has a comma
