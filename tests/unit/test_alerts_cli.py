"""``raidwright alerts``: input that is refused before a machine is asked, and the words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from raidwright.cli import main
from raidwright.core.protocol.facts import AlertFacts
from raidwright.text.alerts import alert_line, channel_lines, trouble


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--webhook", "file:///etc/shadow"], "begins with http:// or https://"),
        (["--webhook", "https://h/\nX: y"], "begins with http:// or https://"),
        (["--webhook", "https://ntfy.sh"], "ends with a topic"),
        (["--webhook", "https://h", "--token-file", "/nowhere"], "/nowhere can't be read"),
        (["--kind", "ntfy"], "go with --webhook"),
        (["--test", "--token-file", "-"], "go with --webhook"),
        (["--test", "--no-webhook"], "not allowed with"),
        (["--webhook", "https://h", "--kind", "pigeon"], "invalid choice"),
    ],
)
def test_what_can_not_be_sent_to_is_refused(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["alerts", *words]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("token", ["", "\n", "a b", "two\nlines"])
def test_a_token_that_is_none_is_refused_and_not_quoted(
    tmp_path: Path, token: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "token").write_text(token)
    assert main(["alerts", "--webhook", "https://h/x", "--token-file", str(tmp_path / "token")]) == 2
    assert "token" in (said := capsys.readouterr().err)
    assert not token.strip() or token not in said


def test_the_words_name_each_channel_and_what_is_wrong() -> None:
    assert alert_line(AlertFacts()) == "Nobody is told when a disk fails."
    mailed = AlertFacts(mail="me@example.org", can_mail=False, watches=True, mail_sent_s=1_700_000_000)
    assert alert_line(mailed).startswith("Nobody is told when a disk fails.")  # and then why
    assert "me@example.org" in channel_lines(mailed)[0]
    assert "me@example.org" in alert_line(replace(mailed, can_mail=True))
    assert [line for line in trouble(mailed) if "no mail server" in line]
    posted = AlertFacts(webhook="https://h", kind="json", watches=True, webhook_sent_s=1_700_000_000)
    assert [line for line in trouble(posted) if "another PROGRAM" in line]
    assert channel_lines(posted)[0].startswith("Webhook: https://h (JSON, without a token).")
    assert "send a test" in alert_line(AlertFacts(webhook="https://h", kind="pigeon", watches=True, is_called=True))
