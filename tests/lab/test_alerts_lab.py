"""Messages about an array on a real md: a test, a failed disk, an array that is degraded when the monitor starts."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from raidwright.core.errors import Denied, InputError, JobFailed
from raidwright.core.protocol.facts import AlertChannel
from raidwright.core.system.webhook import WebhookKind
from raidwright.lab.machine import Lab, LabSpec, Role, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.helper.client import Helper
from raidwright.machine.machine import Machine
from raidwright.operations.alerts import ExamineAlerts, SendTestAlert, SetWebhook
from raidwright.operations.operation import Request

from tests.kit.asking import ask
from tests.kit.listener import GOT, INSTALL, PORT

pytestmark = pytest.mark.lab
URL = f"http://127.0.0.1:{PORT}/tank"
_PATIENCE_S = 120.0
_BUILD = (
    "mdadm --quiet --create /dev/md/tank --run --level=1 --metadata=1.2 --bitmap=none --assume-clean --name=tank "
    "--raid-devices=2 /dev/sda /dev/sdb; udevadm settle"
)


@pytest.fixture(scope="module")
def machine() -> Iterator[Lab]:
    with start(LabSpec(disks_from_text("2x64MB", at_memory_speed=True))) as machine:
        machine.exec(["sh", "-c", f"{_BUILD}; {INSTALL}"])
        yield machine


def sh(lab: Lab, script: str) -> str:
    """Return the output of ``script`` as root in the machine."""
    return lab.exec(["sh", "-c", script], check=False).stdout.decode().strip()


def run(lab: Lab, test: Callable[[Helper], Coroutine[Any, Any, None]], role: Role = "admin") -> None:
    async def connected() -> None:
        async with Machine.connect(lab.bus_address(role)) as machine:
            await test(machine.helper)

    asyncio.run(asyncio.wait_for(connected(), 300))


def _got(lab: Lab, word: str) -> list[dict[str, Any]]:
    """Return the requests with ``word`` in the title, once there is one."""
    end = time.monotonic() + _PATIENCE_S
    while time.monotonic() < end:
        requests = [json.loads(line) for line in sh(lab, f"cat {GOT} 2>/dev/null").splitlines()]
        if found := [one for one in requests if word in json.loads(one["body"])["title"]]:
            return found
        time.sleep(0.3)
    raise AssertionError(sh(lab, f"cat {GOT}; journalctl --no-pager -n 60"))


def test_messages_arrive_at_a_webhook(machine: Lab) -> None:
    async def refused(helper: Helper) -> None:
        requests: tuple[Request[Any], ...] = (
            SetWebhook(WebhookKind.NTFY, URL),
            SendTestAlert(AlertChannel.WEBHOOK),
            ExamineAlerts(),
        )
        for request in requests:
            with pytest.raises(Denied):
                await ask(helper, request)

    run(machine, refused, "user")

    async def test(helper: Helper) -> None:
        for channel in AlertChannel:
            if not (await ask(helper, ExamineAlerts())).channels:
                with pytest.raises(InputError):
                    await ask(helper, SendTestAlert(channel))
        await ask(helper, SetWebhook(WebhookKind.NTFY, URL, "wrong"))
        with pytest.raises(JobFailed, match=r"refuses the token, or wants one \(code 401\)"):
            await ask(helper, SendTestAlert(AlertChannel.WEBHOOK))
        assert "code 401" in (await ask(helper, ExamineAlerts())).webhook_failure
        await ask(helper, SetWebhook(WebhookKind.NTFY, URL, "T0k3n"))
        await ask(helper, SendTestAlert(AlertChannel.WEBHOOK))
        facts = await ask(helper, ExamineAlerts())
        assert (facts.webhook, facts.has_token, facts.is_called, facts.watches) == (URL[:-5], True, True, True)
        assert facts.webhook_sent_s
        assert not facts.webhook_failure

    run(machine, test)
    request = _got(machine, "a test of its messages")[-1]
    assert (request["path"], request["headers"]["Authorization"]) == ("/", "Bearer T0k3n")
    assert json.loads(request["body"])["topic"] == "tank"
    assert sh(machine, "stat -c %a,%U /var/lib/raidwright/alerts/webhook.json") == "600,root"
    assert "T0k3n" not in sh(machine, "journalctl --no-pager")
    assert URL not in sh(machine, "journalctl --no-pager")

    serial = machine.disks()[1]
    sh(machine, "mdadm --fail /dev/md/tank /dev/sdb")
    body = json.loads(_got(machine, "a disk has failed")[0]["body"])
    assert serial in body["title"]
    assert "1 of 2 slots has no working disk." in body["message"]

    sh(machine, "mdadm --remove /dev/md/tank failed; systemctl restart mdmonitor")  # as after a boot
    assert serial in json.loads(_got(machine, "a disk is missing")[0]["body"])["title"]

    async def later(helper: Helper) -> None:
        facts = await ask(helper, ExamineAlerts())
        assert facts.event_s
        assert not facts.waiting

    run(machine, later)


def test_what_could_not_be_posted_waits_and_goes_with_the_next_event(machine: Lab) -> None:
    sh(machine, "mdadm --fail /dev/md/tank /dev/sdb; mdadm --remove /dev/md/tank failed")
    sh(machine, f"systemctl stop listener; rm -f {GOT}; systemctl restart mdmonitor")
    waiting = "ls /var/lib/raidwright/alerts/waiting | wc -l"
    end = time.monotonic() + _PATIENCE_S
    while sh(machine, waiting) == "0" and time.monotonic() < end:
        time.sleep(0.3)
    assert sh(machine, waiting) != "0"
    # As after a reboot: its unit is gone, and the next event finds what is left.
    sh(machine, "sleep 3; systemctl stop raidwright-post; systemctl start listener; systemctl restart mdmonitor")
    assert len(_got(machine, "a disk is missing")) >= 1
    while sh(machine, waiting) != "0" and time.monotonic() < end:
        time.sleep(0.3)
    assert sh(machine, waiting) == "0"
