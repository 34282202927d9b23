"""A webhook's URL, token and request: refused, or harmless."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.core.errors import InputError
from raidwright.core.system.webhook import Alert, WebhookKind, checked_webhook, likely_kind

HOSTILE = [
    "file:///etc/shadow", "ftp://x/y", "javascript:alert(1)", "//host/x", "http:/host", "http://", "https://a b/",
    "https://host/\r\nX-Evil: 1", "https://host/\n", "https://host\\@evil/", "https://user:word@host/x", "https://h/#x",
    "https://h/a'b", 'https://h/a"b', "https://h/`id`", "https://h/%0", "https://h/%zz", "https://h:0/", "https://h:70000/",
    "https://-h/", "https://h..x/", "https://hést/", "https://h/é", "https://h/\x00", " https://h/", "https://h/x ",
    "https://h/<x>", "https://[::1", "https://h/{x}", "https://h/|x", f"https://h/{'x' * 600}", "gopher://h/", "",
]  # fmt: skip


@pytest.mark.parametrize("url", HOSTILE)
@pytest.mark.parametrize("kind", WebhookKind)
def test_hostile_urls_are_refused_without_being_quoted(kind: WebhookKind, url: str) -> None:
    with pytest.raises(InputError) as refused:
        checked_webhook(kind, url)
    assert len(url) < len("https://h") or url not in str(refused.value)


@pytest.mark.parametrize("token", ["a b", "a\r\nX-Evil: 1", "a\n", "é", "\x00", "x" * 513, " "])
def test_a_token_that_could_begin_another_header_is_refused(token: str) -> None:
    with pytest.raises(InputError) as refused:
        checked_webhook(WebhookKind.JSON, "https://h/x", token)
    assert refused.value.code == "token"


@pytest.mark.parametrize("url", ["https://ntfy.sh", "https://ntfy.sh/", "https://ntfy.sh/a/", "https://ntfy.sh/a.b"])
def test_ntfy_needs_a_topic(url: str) -> None:
    with pytest.raises(InputError, match="topic"):
        checked_webhook(WebhookKind.NTFY, url)


ALERT = Alert('tank on nas: a disk has failed (slot 1: "WD" \r\nBcc: x)', "Slot 1: é\n", 1790000000)


@pytest.mark.parametrize(
    ("kind", "url", "path", "more"),
    [
        (WebhookKind.NTFY, "https://ntfy.sh/tank", "/", {"topic": "tank", "priority": 5}),
        (WebhookKind.NTFY, "https://h/ntfy/tank?x=1", "/ntfy/?x=1", {"topic": "tank"}),
        (WebhookKind.GOTIFY, "https://g", "/message", {"priority": 8}),
        (WebhookKind.GOTIFY, "https://g/push/", "/push/message", {}),
        (WebhookKind.GOTIFY, "https://g/message?token=A.b", "/message?token=A.b", {}),
        (WebhookKind.JSON, "http://10.0.0.1:8123/api/webhook/x?y=z", "/api/webhook/x?y=z", {"urgent": True}),
        (WebhookKind.JSON, "https://h", "/", {"time": 1790000000}),
    ],
)
def test_what_each_kind_is_sent(kind: WebhookKind, url: str, path: str, more: dict[str, object]) -> None:
    request = checked_webhook(kind, url, "T0k3n").request(ALERT)
    body = json.loads(request.body)
    assert request.path == path
    assert (body["title"], body["message"]) == (ALERT.title, ALERT.text)
    assert more.items() <= body.items()
    assert request.headers["Authorization"] == "Bearer T0k3n"
    assert request.is_tls == url.startswith("https")


@given(st.text(), st.text(), st.sampled_from(WebhookKind))
def test_no_word_of_an_alert_gets_out_of_the_body(title: str, text: str, kind: WebhookKind) -> None:
    quiet = checked_webhook(kind, "https://h:1/topic", "t")
    request, usual = (quiet.request(Alert(*words, 1)) for words in ((title, text), ("", "")))
    assert (request.path, request.headers, request.host, request.port) == (usual.path, usual.headers, "h", 1)
    request.body.decode("ascii")
    assert json.loads(request.body)["title"] == title


def test_neither_url_nor_token_is_in_a_repr_and_the_place_names_the_host_alone() -> None:
    webhook = checked_webhook(WebhookKind.JSON, "https://h.example:8443/secret/path?token=abc", "T0k3n")
    shown = f"{webhook!r}{webhook.request(ALERT)!r}"
    assert "T0k3n" not in shown
    assert "abc" not in shown
    assert webhook.place == "https://h.example:8443"


def test_the_kind_is_guessed_by_the_hosts_name() -> None:
    guessed = [likely_kind(f"https://{host}/x") for host in ("ntfy.sh", "gotify.lan", "hooks.example.org")]
    assert guessed == [WebhookKind.NTFY, WebhookKind.GOTIFY, WebhookKind.JSON]
