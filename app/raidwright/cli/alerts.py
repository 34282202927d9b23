"""``raidwright alerts``: who is told when a disk fails, the webhook, and a test that arrives."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from dataclasses import asdict
from pathlib import Path

from raidwright.cli.options.machine import add_machine_options, chosen_machine, connected
from raidwright.cli.options.progress import say_progress
from raidwright.core.errors import InputError, RaidwrightError
from raidwright.core.protocol.facts import AlertFacts
from raidwright.core.system.webhook import WebhookKind, checked_webhook, likely_kind
from raidwright.machine.machine import Machine
from raidwright.operations.alerts import ExamineAlerts, SendTestAlert, SetWebhook
from raidwright.text.alerts import alert_line, channel_lines, sent_words, trouble
from raidwright.text.catalogue import tr, translated
from raidwright.text.times import moment

_MAX_TOKEN_BYTES = 4096


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("alerts", help=tr("say who is told when a disk fails, set a webhook, send a test"))
    act = parser.add_mutually_exclusive_group()
    act.add_argument("--webhook", metavar="URL", help=tr("post each message there, too: http or https"))
    act.add_argument("--no-webhook", action="store_true", help=tr("post no messages any more"))
    act.add_argument("--test", action="store_true", help=tr("send a test by mail and to the webhook"))
    parser.add_argument(
        "--kind", choices=tuple(map(str, WebhookKind)), help=tr("what the URL takes (guessed by the host's name)")
    )
    parser.add_argument(
        "--token-file", metavar="FILE", help=tr("the file with the token that the webhook asks for (-: standard input)")
    )
    add_machine_options(parser)
    parser.add_argument("--json", action="store_true", help=tr("print JSON"))


def run(options: argparse.Namespace) -> int:
    if (options.kind or options.token_file) and not options.webhook:
        raise InputError("--kind and --token-file go with --webhook.", code="usage")
    request = _request(options)
    facts, sent, failures = asyncio.run(_alerts(options, request))
    if options.json:
        failed = {channel: str(error.sentence) for channel, error in failures.items()}
        tested = {"sent": sent, "failed": failed} if options.test else {}
        print(json.dumps(asdict(facts) | tested, indent=2, ensure_ascii=False))
    else:
        print("\n".join(_lines(options, facts)))
    for error in failures.values():
        print(tr("raidwright: {translated}", translated=translated(error.sentence)), file=sys.stderr)
    return 1 if failures else 0


def _request(options: argparse.Namespace) -> SetWebhook | None:
    if options.no_webhook:
        return SetWebhook(WebhookKind.JSON, "")
    if not options.webhook:
        return None
    kind = WebhookKind(options.kind) if options.kind else likely_kind(options.webhook)
    webhook = checked_webhook(kind, options.webhook, _token(options.token_file) if options.token_file else "")
    return SetWebhook(webhook.kind, webhook.url, webhook.token)


def _token(file: str) -> str:
    """Return the token in ``file``; never from the command line, which every user of the computer can see."""
    try:
        if file == "-":
            text = sys.stdin.read(_MAX_TOKEN_BYTES)
        else:
            with Path(file).open(encoding="utf-8") as opened:
                text = opened.read(_MAX_TOKEN_BYTES)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else tr("it is not text")
        raise InputError("{file} can't be read: {why}.", code="token-file", file=file, why=why) from error
    if not text.strip():
        raise InputError("There is no token in {file}.", code="token-file", file=file)
    return text.strip()


async def _alerts(
    options: argparse.Namespace, request: SetWebhook | None
) -> tuple[AlertFacts, list[str], dict[str, RaidwrightError]]:
    sent, failures = list[str](), dict[str, RaidwrightError]()
    async with connected(chosen_machine(options)) as machine:
        if request is not None:
            await request.perform(machine, say_progress)
        facts = await ExamineAlerts().perform(machine)
        if not options.test:
            return facts, sent, failures
        if not facts.channels:
            raise InputError(
                "Nobody is told yet. Set a webhook with --webhook URL, or an address with “raidwright configure ARRAY "
                "--mail ADDRESS --apply”.",
                code="no-alerts",
            )
        for channel in facts.channels:
            try:
                await SendTestAlert(channel).perform(machine, say_progress)
            except RaidwrightError as error:
                failures[str(channel)] = error
            else:
                sent.append(str(channel))
                if not options.json:
                    print(sent_words(channel, facts))
        return await ExamineAlerts().perform(machine), sent, failures


def _lines(options: argparse.Namespace, facts: AlertFacts) -> list[str]:
    if options.test:
        return []
    lines = [*channel_lines(facts), *trouble(facts)] or [alert_line(facts)]
    if facts.event_s is not None:
        lines.append(tr("md's monitor last reported something {when}.", when=moment(facts.event_s)))
    return lines


async def alert_words(machine: Machine) -> str:
    """Return who is told, in a line; "" where the helper can't say (none, or an older one)."""
    try:
        return alert_line(await ExamineAlerts().perform(machine))
    except RaidwrightError:
        return ""
