"""A webhook behind TLS: an authority that the system knows, one that it doesn't, and a certificate for another host."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from raidwright.core.errors import JobFailed
from raidwright.core.system.webhook import Alert, Webhook, WebhookKind, checked_webhook
from raidwright_helper.acts.post import post

ALERT = Alert("tank on nas: a disk has failed", "Slot 1\n", int(time.time()))
TLS = Path(__file__).parents[1] / "kit/tls"  # an authority of its own, and a certificate by it for localhost


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    got = 0

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a caller that leaves during the handshake."""


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        assert isinstance(self.server, _Server)
        self.server.got += 1
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def server() -> Iterator[_Server]:
    """A server with that certificate, at 127.0.0.1."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "server.pem", TLS / "server.key")
    with _Server(("127.0.0.1", 0), _Handler) as made:
        made.socket = context.wrap_socket(made.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


@pytest.fixture(autouse=True)
def _localhost_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Know the name of the certificate on a system without /etc/hosts, too, such as a bare Debian 12."""
    found = socket.getaddrinfo

    def look_up(host: str, *rest: Any, **named: Any) -> list[Any]:
        return found("127.0.0.1" if host == "localhost" else host, *rest, **named)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)


def _hook(server: _Server, host: str = "localhost") -> Webhook:
    return checked_webhook(WebhookKind.JSON, f"https://{host}:{server.server_address[1]}/secret")


def test_an_authority_that_the_system_does_not_know_is_refused_with_the_way_on(server: _Server) -> None:
    with pytest.raises(JobFailed) as refused:
        post(_hook(server), ALERT)
    said = str(refused.value.sentence)
    assert "its certificate is of an authority that this computer doesn't know" in said
    assert "update-ca-certificates" in said
    assert "secret" not in said
    assert not server.got


def test_once_the_system_knows_the_authority_it_arrives(server: _Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(TLS / "authority.pem"))  # OpenSSL's place of the system's authorities
    post(_hook(server), ALERT)
    assert server.got == 1


def test_a_certificate_for_another_host_is_refused_by_that_reason(
    server: _Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(TLS / "authority.pem"))
    with pytest.raises(JobFailed, match="its certificate isn't trusted"):
        post(_hook(server, "127.0.0.1"), ALERT)
    assert not server.got
