"""The helper's introspection data, made of the protocol's tables."""

from __future__ import annotations

from collections.abc import Iterable

from raidwright import __version__
from raidwright.core.protocol.names import INTERFACE, JOB_INTERFACE, JOBS_PATH, PATH, VERSION
from raidwright.core.protocol.verb import CANCEL, SIGNALS, Argument
from raidwright.core.protocol.verbs import VERBS

_HEAD = '<!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"\n'
_DTD = f'{_HEAD} "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">'


def introspection(path: str) -> str:
    """Return the XML for any ``path``: the service's methods, a job's (existing or not), or the path's next node."""
    if path == PATH:
        methods = (_element("method", verb.name, _args(verb.takes, "in") + _args(verb.gives, "out")) for verb in VERBS)
        version = f'  <annotation name="{VERSION}" value="{__version__}"/>\n'
        return _node(_interface(INTERFACE, (*methods, version)) + '<node name="jobs"/>\n')
    if path.startswith(f"{JOBS_PATH}/"):
        signals = (_element("signal", signal.name, _args(signal.tells)) for signal in SIGNALS)
        return _node(_interface(JOB_INTERFACE, (_element("method", CANCEL.name, ""), *signals)))
    below = PATH.removeprefix(path.rstrip("/")).strip("/").split("/")[0] if PATH.startswith(path) else ""
    return _node(f'<node name="{below}"/>' if below else "")


def _node(inside: str) -> str:
    return f"{_DTD}\n<node>{inside}</node>\n"


def _interface(name: str, members: Iterable[str]) -> str:
    return f'\n<interface name="{name}">\n{"".join(members)}</interface>\n'


def _element(kind: str, name: str, args: str) -> str:
    return f'  <{kind} name="{name}">{args}</{kind}>\n'


def _args(arguments: Iterable[Argument], direction: str = "") -> str:
    way = f'direction="{direction}" ' if direction else ""
    return "".join(f'<arg {way}type="{one.type}" name="{one.name}"/>' for one in arguments)
