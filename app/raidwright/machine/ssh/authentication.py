"""Password entry here for PAM there, through polkit's own program.

``polkit-agent-helper-1`` is the setuid program that every polkit agent runs (polkit, ``src/polkitagent/``): it reads a
cookie and then answers, one per line, and writes a line for each PAM message.
"""

from __future__ import annotations

import asyncio
import contextlib
from asyncio.subprocess import Process

from raidwright.core.messages import say
from raidwright.machine.prompts import Person, PromptRequest

from .failures import printable
from .tunnel import Tunnel, end

_ATTEMPTS = 3
_LONGEST_WHAT = 8000  # a prompt names each disk of a build
# Its path differs between distributions; the first line of output is the user whose password it asks for.
_SCRIPT = (
    "id -un {uid} && for helper in /usr/lib/polkit-1 /usr/libexec /usr/lib/policykit-1; do "
    'helper="$helper/polkit-agent-helper-1"; [ -x "$helper" ] && exec "$helper" "$(id -un {uid})"; done'
)


class Dismissed(Exception):
    """The question got no answer."""


async def authenticate(way: Tunnel, person: Person, uid: int, cookie: str, what: str) -> bool:
    """Return True if PAM there authenticated the user ``uid``; polkit has then been told.

    Tries three times at most; raises Dismissed.
    """
    complaint = ""
    for _attempt in range(_ATTEMPTS):
        process = await way.run(_SCRIPT.format(uid=uid))
        try:
            question = PromptRequest(
                way.host.name, printable(what, _LONGEST_WHAT), user="", prompt="", complaint=complaint
            )
            is_convinced, told = await _converse(process, person, question, cookie)
        finally:
            await asyncio.shield(end(process))
        if is_convinced:
            return True
        complaint = told or say("That was not right.")
    return False


async def _converse(process: Process, person: Person, question: PromptRequest, cookie: str) -> tuple[bool, str]:
    """Return (PAM succeeded, its message if it didn't); raises Dismissed."""
    assert process.stdin is not None  # noqa: S101 -- narrows the type
    assert process.stdout is not None  # noqa: S101 -- narrows the type
    question = question._replace(user=printable((await process.stdout.readline()).decode(errors="replace")))
    told = ""
    process.stdin.write(f"{cookie}\n".encode())
    async for line in process.stdout:
        kind, _, text = line.decode(errors="replace").rstrip("\n").partition(" ")
        match kind:
            case "SUCCESS":
                return True, ""
            case "PAM_ERROR_MSG" | "PAM_TEXT_INFO":
                told = printable(text)
            case "PAM_PROMPT_ECHO_OFF" | "PAM_PROMPT_ECHO_ON":
                is_secret = kind == "PAM_PROMPT_ECHO_OFF"
                answer = await person.answer(question._replace(prompt=printable(text), is_secret=is_secret))
                if answer is None:
                    raise Dismissed
                with contextlib.suppress(ConnectionError):  # it has ended, and its output has the reason
                    process.stdin.write(f"{answer}\n".encode())
                    await process.stdin.drain()
            case _:
                break
    return False, told
