"""Posting an alert to a webhook: one request, no redirects, no proxy, a time limit, and nothing kept of the answer."""

from __future__ import annotations

import contextlib
import http.client
import signal
import ssl
from collections.abc import Iterator
from types import FrameType

from raidwright.core.errors import JobFailed
from raidwright.core.messages import Message, say
from raidwright.core.system.webhook import Alert, PostRequest, Webhook

_CONNECTION_SECONDS = 10.0
_OWN_AUTHORITIES = "/usr/local/share/ca-certificates"  # update-ca-certificates(8)
_UNKNOWN_AUTHORITY = frozenset(
    {18, 19, 20, 21}
)  # X509_V_ERR_… of openssl's x509_vfy.h: self-signed, or no issuer found
_LIMIT_SECONDS = 20  # of the whole, however slowly the host answers


def post(webhook: Webhook, alert: Alert) -> None:
    """Post ``alert``; raises JobFailed unless the host answers that it has it (2xx). Neither URL nor token is quoted.

    For the main thread alone: the time limit is an alarm.
    """
    request = webhook.request(alert)
    try:
        with _limited():
            status = _status(request)
    except TimeoutError:
        raise _failed(webhook, say("no answer within {limit_s} s", limit_s=_LIMIT_SECONDS)) from None
    except ssl.SSLCertVerificationError as error:
        raise _failed(webhook, _why_untrusted(error)) from None
    except (http.client.HTTPException, ValueError):
        raise _failed(webhook, say("it doesn't speak HTTP")) from None
    except OSError as error:
        raise _failed(webhook, error.strerror or type(error).__name__) from None
    if 300 <= status < 400:
        raise _failed(webhook, say("it redirects to another address (code {status}); give that one", status=status))
    if not 200 <= status < 300:
        why = say("it refuses the token, or wants one") if status in (401, 403) else say("it refuses the message")
        raise _failed(webhook, say("{why} (code {status})", why=why, status=status))


def _why_untrusted(error: ssl.SSLCertVerificationError) -> Message:
    if error.verify_code in _UNKNOWN_AUTHORITY:
        return say(
            "its certificate is of an authority that this computer doesn't know; if it is your own, copy the "
            "authority's certificate to {folder} as a .crt file and run update-ca-certificates",
            folder=_OWN_AUTHORITIES,
        )
    return say("its certificate isn't trusted ({why})", why=error.verify_message)


def _status(request: PostRequest) -> int:
    """Send the request and return the answer's code; ``http.client`` follows no redirect and asks no proxy."""
    connection: http.client.HTTPConnection
    if request.is_tls:
        connection = http.client.HTTPSConnection(
            request.host, request.port, timeout=_CONNECTION_SECONDS, context=ssl.create_default_context()
        )
    else:
        connection = http.client.HTTPConnection(request.host, request.port, timeout=_CONNECTION_SECONDS)
    with contextlib.closing(connection):
        connection.request("POST", request.path, request.body, dict(request.headers))
        return connection.getresponse().status


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """Raise TimeoutError in the block after the time limit."""

    def end(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(_LIMIT_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _failed(webhook: Webhook, why: str) -> JobFailed:
    return JobFailed("The message didn't reach {place}: {why}.", code="webhook-failed", place=webhook.place, why=why)
