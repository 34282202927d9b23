"""A row of a table of verbs: what it takes, the action that polkit is asked for, and the act that runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raidwright.core.protocol.actions import Action
from raidwright.core.protocol.verb import Verb


@dataclass(frozen=True, slots=True)
class AuthorisedCall:
    """An authorised call: plain ``arguments`` of the verb's signature, and the request read from them."""

    sender: str
    uid: int
    arguments: Sequence[Any]
    request: Any = None


Act = Callable[[AuthorisedCall], Awaitable[object]]


def _as_they_are(arguments: Sequence[Any]) -> Sequence[Any]:
    return arguments


def _no_details(_request: Any) -> Mapping[str, str]:
    return {}


def _never(_sender: str, _request: Any) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Method:
    """A verb and its implementation; the answer is a value of the protocol, or several (``told``).

    ``read`` makes a request of the arguments, once, for the prompt and for ``run``; its InputError is raised after
    polkit's answer. ``details`` are the request's values for an action's prompt, ``choose`` selects the action by the
    arguments, if there are several. ``is_let`` returns whether polkit has authorised a caller and a request before
    (``trials``). None of them may raise.
    """

    verb: Verb[Any]
    run: Act
    details: Callable[[Any], Mapping[str, str]] = _no_details
    choose: Callable[[Sequence[Any]], Action] | None = None
    read: Callable[[Sequence[Any]], Any] = _as_they_are
    is_let: Callable[[str, Any], bool] = _never

    def action_for(self, arguments: Sequence[Any]) -> Action | None:
        """Return the polkit action for a call with ``arguments``."""
        if self.choose is not None:
            return self.choose(arguments)
        return self.verb.actions[0] if self.verb.actions else None
