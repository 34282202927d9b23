"""Messages to people: the webhook's answers, hostile ones among them, what is kept, and what callers are told."""

from __future__ import annotations

import asyncio
import json
import socket
import stat
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from dbus_fast import MessageType, unpack_variants
from raidwright.core.errors import InputError, JobFailed
from raidwright.core.protocol import looking, verbs
from raidwright.core.protocol.facts import AlertChannel
from raidwright.core.system.webhook import Alert, Webhook, WebhookKind, checked_webhook
from raidwright_helper.acts import alerts as acts
from raidwright_helper.acts import event, post
from raidwright_helper.acts.alerts import PROGRAM, Alerts
from raidwright_helper.acts.post import post as post_alert
from raidwright_helper.host.host import Host
from raidwright_helper.host.outside import posting_argv
from raidwright_helper.host.runner import ProgramResult
from raidwright_helper.records.alerts import AlertRecords

from .helper_house import House, put_text

ALERT = Alert("tank on nas: a disk has failed", "Slot 1: WD80EFZX, serial ZHZ1\n", int(time.time()))


class _Server(ThreadingHTTPServer):
    """Answers each request with ``answer``, raw; ``got`` are the requests."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        self.pause_s = 0.0
        self.got: list[tuple[str, dict[str, str], bytes]] = []


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, _Server)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        server.got.append((self.path, dict(self.headers.items()), body))
        step = 1 if server.pause_s else len(server.answer)  # 70,000 writes would take a busy computer too long
        for first in range(0, len(server.answer), step or 1):
            time.sleep(server.pause_s)
            try:
                self.wfile.write(server.answer[first : first + step])
            except OSError:
                return

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def server() -> Iterator[_Server]:
    with _Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def alerts(tmp_path: Path) -> Alerts:
    """A host without mail, and a systemd-run that notes its words."""
    systemd_run = tmp_path / "systemd-run"
    put_text(systemd_run, f'#!/bin/sh\necho "$*" >>{tmp_path}/begun\n')
    systemd_run.chmod(0o755)
    sendmail = tmp_path / "sendmail"
    put_text(sendmail, f"#!/bin/sh\ncat >>{tmp_path}/mail\n")
    sendmail.chmod(0o755)
    return Alerts(Host(tmp_path / "host"), AlertRecords(tmp_path / "alerts"), str(sendmail), str(systemd_run))


def _hook(server: _Server) -> Webhook:
    return checked_webhook(WebhookKind.NTFY, f"http://127.0.0.1:{server.server_address[1]}/topic", "T0k3n")


def _put(alerts: Alerts, server: _Server) -> None:
    alerts.records.set_webhook(_hook(server))
    asyncio.run(alerts.send(ALERT))


def test_an_event_waits_for_its_unit_and_is_posted_by_it_once(alerts: Alerts, server: _Server) -> None:
    _put(alerts, server)
    assert not server.got
    begun = (alerts.records.folder.parent / "begun").read_text()
    assert begun.endswith(f"-- {PROGRAM} --deliver\n")
    assert "--unit=raidwright-post.service" in begun
    assert "After=network-online.target" in begun
    assert [one.alert for one in alerts.records.waiting()] == [ALERT]
    alerts.deliver()
    [(path, headers, body)] = server.got
    assert (path, headers["Authorization"]) == ("/", "Bearer T0k3n")
    assert json.loads(body)["title"] == ALERT.title
    assert not alerts.records.waiting()
    last = alerts.records.last(AlertChannel.WEBHOOK)
    assert last.sent_s is not None
    assert not last.failure
    alerts.deliver()
    assert len(server.got) == 1


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"HTTP/1.1 302 Found\r\nLocation: file:///etc/shadow\r\nContent-Length: 0\r\n\r\n", "redirects"),
        (b"HTTP/1.1 307 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", "redirects"),
        (b"HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n", "token"),
        (b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", "code 500"),
        (b"SSH-2.0-OpenSSH\r\n", "HTTP"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n", "HTTP"),
        (b"HTTP/1.1 " + b"9" * 70000, "HTTP"),
        (b"", "HTTP"),
    ],
)
def test_any_other_answer_than_success_is_a_failure_and_the_message_waits_on(
    alerts: Alerts, server: _Server, answer: bytes, why: str
) -> None:
    server.answer = answer
    _put(alerts, server)
    with pytest.raises(JobFailed, match=why) as failed:
        alerts.deliver()
    assert "T0k3n" not in str(failed.value)
    assert "topic" not in str(failed.value)
    assert len(server.got) == 1
    assert len(alerts.records.waiting()) == 1
    assert why in alerts.records.last(AlertChannel.WEBHOOK).failure


def test_a_host_that_answers_drop_by_drop_is_left_after_the_time_limit(
    server: _Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(post, "_LIMIT_SECONDS", 1)
    server.pause_s = 0.3
    with pytest.raises(JobFailed, match="no answer within 1 s"):
        post_alert(_hook(server), ALERT)
    assert server.got


def test_a_long_reason_is_kept_with_its_way_on(alerts: Alerts) -> None:
    reason = f"The message didn't reach https://{'home.' * 10}example: {'why ' * 40}and what to do."
    alerts.records.note(AlertChannel.WEBHOOK, reason)
    assert alerts.records.last(AlertChannel.WEBHOOK).failure == reason


def test_a_host_that_is_not_there_is_a_sentence() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and doesn't listen
        hook = checked_webhook(WebhookKind.JSON, f"http://127.0.0.1:{taken.getsockname()[1]}/secret")
        with pytest.raises(JobFailed, match=r"didn't reach http://127\.0\.0\.1:\d+: Connection refused\."):
            post_alert(hook, ALERT)


def test_no_proxy_of_the_environment_is_asked(server: _Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1/")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1/")
    post_alert(_hook(server), ALERT)
    assert len(server.got) == 1


def test_a_failing_mail_keeps_nothing_from_the_webhook(alerts: Alerts, server: _Server) -> None:
    put_text(alerts.host.root / "etc/mdadm/mdadm.conf", "MAILADDR root\n")
    without = replace(alerts, sendmail="/nowhere/sendmail")
    without.records.set_webhook(_hook(server))
    with pytest.raises(JobFailed, match="can't be started"):
        asyncio.run(without.send(ALERT))
    assert len(without.records.waiting()) == 1
    assert "can't be started" in without.records.last(AlertChannel.MAIL).failure


def test_token_and_url_are_in_a_file_of_roots_alone_and_go_with_the_webhook(alerts: Alerts, server: _Server) -> None:
    _put(alerts, server)
    file = alerts.records.folder / "webhook.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(alerts.records.folder.stat().st_mode) == 0o700
    alerts.records.set_webhook(checked_webhook(WebhookKind.JSON, "https://elsewhere.example/x"))
    assert "T0k3n" not in file.read_text()
    assert not alerts.records.waiting()  # what was meant for the one doesn't go to the other
    alerts.records.set_webhook(None)
    assert not file.exists()


def test_what_waited_too_long_or_is_too_many_is_dropped(alerts: Alerts) -> None:
    alerts.records.put(replace(ALERT, at_s=int(time.time()) - 8 * 86400))
    assert not alerts.records.waiting()
    for number in range(70):
        alerts.records.put(replace(ALERT, at_s=int(time.time()), title=str(number)))
    assert len(alerts.records.waiting()) == 64
    assert len(list((alerts.records.folder / "waiting").iterdir())) == 64


@pytest.mark.parametrize("url", ["file:///etc/shadow", "https://h/x\r\nX: y"])
def test_a_webhook_of_other_hands_is_not_used(alerts: Alerts, url: str) -> None:
    record = {"version": 2, "kind": "json", "url": url, "token": ""}
    alerts.records.folder.mkdir(mode=0o700)
    put_text(alerts.records.folder / "webhook.json", json.dumps(record))
    assert alerts.records.webhook() is None


def test_a_test_goes_by_the_channel_that_is_meant(alerts: Alerts, server: _Server) -> None:
    for channel in AlertChannel:
        with pytest.raises(InputError):
            asyncio.run(alerts.test(channel))
    alerts.records.set_webhook(_hook(server))
    put_text(alerts.host.root / "etc/mdadm/mdadm.conf", "MAILADDR root\n")
    asyncio.run(alerts.test(AlertChannel.WEBHOOK))
    assert "a test of its messages" in json.loads(server.got[0][2])["title"]
    assert not (alerts.records.folder.parent / "mail").exists()
    asyncio.run(alerts.test(AlertChannel.MAIL))
    assert "Subject: " in (alerts.records.folder.parent / "mail").read_text()


def test_the_units_that_post_have_a_network_and_little_else() -> None:
    for waits in (False, True):
        argv = posting_argv((PROGRAM, "--deliver"), "/var/lib/raidwright/alerts", waits=waits)
        assert not any("PrivateNetwork" in one for one in argv)
        for wanted in ("ProtectSystem=strict", "CapabilityBoundingSet=", "NoNewPrivileges=yes", "PrivateDevices=yes"):
            assert f"--property={wanted}" in argv


def test_the_programs_failure_is_printed_for_the_helper(
    alerts: Alerts, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(event, "Monitored", type("M", (), {"alerts": alerts}))
    assert event.main(["--test", "webhook"]) == 1
    error = acts._failure(capsys.readouterr().out)
    assert isinstance(error, InputError)
    assert error.code == "no-webhook"
    assert event.main(["--deliver"]) == 0


def test_no_reply_carries_url_or_token(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run(argv: tuple[str, ...], **_: object) -> ProgramResult:
        return ProgramResult(argv, 0, "", "")

    monkeypatch.setattr(acts, "run", run)
    monkeypatch.setattr("raidwright_helper.acts.configuration.run", run)

    put_text(house.root / "host/etc/mdadm/mdadm.conf", "")

    async def test() -> None:
        async with house.open() as client:
            await client.ask(verbs.SET_WEBHOOK, "ntfy", "https://ntfy.sh/hidden", "T0k3n")
            ended = await client.signal("Ended", "Failed")
            assert ended.member == "Ended", ended.body
            reply = await client.ask(looking.EXAMINE_ALERTS)
            assert reply.message_type is MessageType.METHOD_RETURN
            [told] = unpack_variants(reply.body)
            assert (told["webhook"], told["kind"], told["has_token"]) == ("https://ntfy.sh", "ntfy", True)
            assert told["is_called"]
            for said in (repr(ended.body), repr(told)):
                assert "hidden" not in said
                assert "T0k3n" not in said
            await client.ask(verbs.SET_WEBHOOK, "json", "", "")
            assert (await client.signal("Ended", "Failed")).member == "Ended"
            [told] = unpack_variants((await client.ask(looking.EXAMINE_ALERTS)).body)
            assert not told["webhook"]
            for wrong in (["telnet", "https://h/x", ""], ["json", "file:///etc/shadow", ""], ["json", "", "T0k3n"]):
                refused = await client.ask(verbs.SET_WEBHOOK, *wrong)
                assert str(refused.error_name).endswith("BadInput")
            refused = await client.ask(verbs.SEND_TEST_ALERT, "pigeon")
            assert str(refused.error_name).endswith("BadInput")

    asyncio.run(asyncio.wait_for(test(), 60))
    conf = (house.root / "host/etc/mdadm/mdadm.conf").read_text()
    assert conf == f"PROGRAM {PROGRAM}\n"
