"""A webhook for alerts: its URL and token in a closed form, and the request that carries an alert.

Sources: https://docs.ntfy.sh/publish/#publish-as-json, https://gotify.net/docs/pushmsg, RFC 3986, RFC 6750.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from raidwright.core.errors import InputError

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?"
_HOST = rf"(?:{_LABEL}(?:\.{_LABEL}){{0,63}}|\[[0-9A-Fa-f:.]{{2,45}}\])"
_TEXT = r"(?:[A-Za-z0-9._~!$&()*+,;=:@-]|%[0-9A-Fa-f]{2})"  # no blank, quote, backslash or control character
_URL = re.compile(
    rf"(?P<scheme>https?)://(?P<host>{_HOST})(?::(?P<port>[0-9]{{1,5}}))?(?P<rest>(?:/{_TEXT}*)*(?:\?(?:{_TEXT}|/)*)?)"
)
_TOPIC = re.compile(r"(?P<base>(?:/[^/?]+)*)/(?P<topic>[A-Za-z0-9_-]{1,64})")
_TOKEN = re.compile(r"[\x21-\x7e]{1,512}")
_MAX_URL = 512
_MAX_PORT = 65535
_MAX_TEXT = 3500  # ntfy makes an attachment of more than 4096 bytes
_NTFY_PRIORITIES, _GOTIFY_PRIORITIES = (3, 5), (5, 8)  # of a test, and of a loss


class WebhookKind(StrEnum):
    """The form of the requests that a webhook takes."""

    NTFY = "ntfy"  # a topic's URL
    GOTIFY = "gotify"  # a server's URL
    JSON = "json"  # any other: an object with title, message and more


@dataclass(frozen=True, slots=True)
class Alert:
    """A message to people: ``is_urgent`` unless it is a test. ``at_s`` is Unix time."""

    title: str
    text: str
    at_s: int
    is_urgent: bool = True


@dataclass(frozen=True, slots=True)
class PostRequest:
    """An HTTP request by POST, of JSON."""

    host: str
    port: int
    is_tls: bool
    path: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    body: bytes


@dataclass(frozen=True, slots=True)
class Webhook:
    """A webhook, validated by ``checked_webhook``. The URL may be a secret as well: whoever knows it can post to it."""

    kind: WebhookKind
    url: str = field(repr=False)
    token: str = field(default="", repr=False)

    @property
    def place(self) -> str:
        """The part of the URL that is no secret: scheme, host and port."""
        return "/".join(self.url.split("?")[0].split("/")[:3])

    def request(self, alert: Alert) -> PostRequest:
        """Return the request for ``alert``; its words are in the JSON body alone, never in a header or the path."""
        found = _parsed(self.url)
        is_tls = found["scheme"] == "https"
        path, body = self._addressed(found["rest"] or "/", alert)
        headers = {"Content-Type": "application/json", "User-Agent": "raidwright"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        port = int(found["port"] or (443 if is_tls else 80))
        return PostRequest(found["host"].strip("[]"), port, is_tls, path, headers, json.dumps(body).encode("ascii"))

    def _addressed(self, path: str, alert: Alert) -> tuple[str, dict[str, object]]:
        text = alert.text[:_MAX_TEXT]
        body: dict[str, object] = {"title": alert.title, "message": text}
        match self.kind:
            case WebhookKind.NTFY:
                where, _, query = path.partition("?")
                topic = _parsed_topic(where)
                body |= {"topic": topic["topic"], "priority": _NTFY_PRIORITIES[alert.is_urgent]}
                return f"{topic['base']}/{query and f'?{query}'}", body
            case WebhookKind.GOTIFY:
                where, _, query = path.partition("?")
                where = f"{where.removesuffix('/').removesuffix('/message')}/message"
                return f"{where}{query and f'?{query}'}", {**body, "priority": _GOTIFY_PRIORITIES[alert.is_urgent]}
            case WebhookKind.JSON:
                both = f"{alert.title}\n{text}"  # the key that Slack's and Mattermost's webhooks read
                return path, {**body, "text": both, "time": alert.at_s, "urgent": alert.is_urgent}


def checked_webhook(kind: WebhookKind, url: str, token: str = "") -> Webhook:
    """Return the webhook if URL and token have the closed form; raises InputError, which never quotes either."""
    found = _parsed(url)
    if kind is WebhookKind.NTFY:
        _parsed_topic((found["rest"] or "").partition("?")[0])
    if token and not _TOKEN.fullmatch(token):
        raise InputError("A token has no blanks, line ends or accents, and at most 512 characters.", code="token")
    return Webhook(kind, url, token)


def _parsed(url: str) -> re.Match[str]:
    found = _URL.fullmatch(url) if len(url) <= _MAX_URL else None
    if found is None or not 0 < int(found["port"] or 1) <= _MAX_PORT:
        raise InputError(
            "The webhook's URL begins with http:// or https:// and a host; a user, blank, accent or “#” isn't taken.",
            code="webhook-url",
        )
    return found


def _parsed_topic(path: str) -> re.Match[str]:
    found = _TOPIC.fullmatch(path)
    if found is None:
        raise InputError(
            "ntfy's URL ends with a topic of letters, digits, “-” and “_”: https://ntfy.sh/topic.", code="webhook-topic"
        )
    return found


def likely_kind(url: str) -> WebhookKind:
    """Return the kind that the host's name suggests."""
    host = url.partition("://")[2].partition("/")[0].lower()
    return next((kind for kind in (WebhookKind.NTFY, WebhookKind.GOTIFY) if kind in host), WebhookKind.JSON)
