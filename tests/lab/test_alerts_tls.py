"""Messages to a server with TLS and an authority of its own: from the helper's own unit, in a practice machine."""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from raidwright.core.errors import JobFailed
from raidwright.core.protocol.facts import AlertChannel
from raidwright.core.system.webhook import WebhookKind
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.machine import Machine
from raidwright.operations.alerts import ExamineAlerts, SendTestAlert, SetWebhook

from tests.kit.asking import ask
from tests.kit.listener import GOT, INSTALL_TLS, TLS_PORT

pytestmark = pytest.mark.lab
URL = f"https://localhost:{TLS_PORT}/tank"
_AUTHORITY = Path(__file__).parents[1] / "kit/tls/authority.pem"
_HASH = "7246a697"  # openssl x509 -hash: the name under which OpenSSL looks for it, as update-ca-certificates links it


@pytest.fixture(scope="module")
def machine() -> Iterator[Lab]:
    with start(LabSpec(disks_from_text("2x64MB", at_memory_speed=True))) as machine:
        machine.exec(["sh", "-c", f"echo 127.0.0.1 localhost >> /etc/hosts; {INSTALL_TLS}"])
        yield machine


def test_it_is_refused_until_the_system_knows_the_authority(machine: Lab) -> None:
    async def test() -> None:
        async with Machine.connect(machine.bus_address("admin")) as connected:
            helper = connected.helper
            await ask(helper, SetWebhook(WebhookKind.JSON, URL))
            with pytest.raises(JobFailed, match="an authority that this computer doesn't know"):
                await ask(helper, SendTestAlert(AlertChannel.WEBHOOK))
            assert "update-ca-certificates" in (await ask(helper, ExamineAlerts())).webhook_failure
            known = shlex.quote(_AUTHORITY.read_text(encoding="ascii"))
            machine.exec(["sh", "-c", f"mkdir -p /usr/lib/ssl/certs; printf %s {known} > /usr/lib/ssl/certs/{_HASH}.0"])
            await ask(helper, SendTestAlert(AlertChannel.WEBHOOK))
            facts = await ask(helper, ExamineAlerts())
            assert facts.webhook_sent_s
            assert not facts.webhook_failure

    asyncio.run(asyncio.wait_for(test(), 300))
    [line] = machine.exec(["cat", GOT]).stdout.decode().splitlines()
    assert "a test of its messages" in json.loads(json.loads(line)["body"])["title"]
