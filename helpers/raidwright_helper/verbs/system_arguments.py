"""Reading the arguments of the verbs on an array's surroundings: closed forms, unknown keys refused.

The prompts show the UUID's target, and parsed values; the caller's name is compared with the array before anything is
done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from raidwright.core.errors import InputError
from raidwright.core.json_fields import Fields
from raidwright.core.system.config_files import checked_homehost, checked_mail
from raidwright.core.system.filesystem import checked_kind, checked_label, checked_place
from raidwright.core.system.tuning import Lasting, Tuning, read_tuning

from raidwright_helper.acts.configuration import ConfigurationRequest
from raidwright_helper.acts.filesystem import FileSystemRequest
from raidwright_helper.acts.tune import TuneRequest
from raidwright_helper.host.host import Host
from raidwright_helper.host.seen import label_of_array

_OPTIONS = "The options"
_MAX_MINUTES = 24 * 60
_LASTING = {Lasting.NOW: (), Lasting.ALWAYS: ("at each boot",), Lasting.FORGET: ("no longer at each boot",)}


@dataclass(frozen=True, slots=True)
class SweepRequest:
    """Request of BeginSweep."""

    array_uuid: str
    array_name: str
    settings: tuple[str, ...]
    minutes: int


def array_details(host: Host, arguments: Sequence[Any]) -> Mapping[str, str]:
    """Return the prompt's values: the array by name and UUID."""
    return {"array": label_of_array(host, arguments[0])}


def filesystem_details(host: Host, arguments: Sequence[Any]) -> Mapping[str, str]:
    """Return the prompt's values: the array, and the kind of file system."""
    return {**array_details(host, arguments), "kind": _shown(lambda: str(read_filesystem(arguments).kind))}


def mount_details(host: Host, arguments: Sequence[Any]) -> Mapping[str, str]:
    """Return the prompt's values: the array, and the mount point."""
    return {**array_details(host, arguments), "place": _shown(lambda: checked_place(arguments[2]))}


def tune_details(host: Host, arguments: Sequence[Any]) -> Mapping[str, str]:
    """Return the prompt's values: the array, and the settings."""
    return {**array_details(host, arguments), "values": _shown(lambda: _tuned(read_tune(arguments)))}


def configuration_details(host: Host, arguments: Sequence[Any]) -> Mapping[str, str]:
    """Return the prompt's values: the array, and its lines in the files."""
    return {**array_details(host, arguments), "values": _shown(lambda: _configured(read_configuration(arguments)))}


def sweep_details(host: Host, arguments: Sequence[Any]) -> Mapping[str, str]:
    """Return the prompt's values: the array, the settings tried, and the time."""
    values = _shown(lambda: ", ".join(name.replace("_", " ") for name in read_sweep(arguments).settings))
    return {**array_details(host, arguments), "values": values, "minutes": str(arguments[3])}


def _shown(words: Callable[[], str]) -> str:
    try:
        return words()
    except InputError:
        return "?"  # refused once polkit has answered


def _tuned(request: TuneRequest) -> str:
    values = [f"{name.replace('_', ' ')} {value}" for name, value in request.tuning.values().items()]
    return ", ".join([*values, *_LASTING[request.lasting]])


def _configured(request: ConfigurationRequest) -> str:
    told = (("mounted at", request.place), ("home host", request.homehost), ("mail to", request.mail))
    return ", ".join(["how it is assembled", *(f"{what} {value}" for what, value in told if value)])


def read_filesystem(arguments: Sequence[Any]) -> FileSystemRequest:
    """Read the request of MakeFileSystem; raises InputError."""
    uuid, name, text, data = arguments
    kind, options = checked_kind(text), Fields(data, _OPTIONS)
    label = checked_label(options.take("label", str) or "", kind)
    options.finish()
    return FileSystemRequest(uuid, name, kind, label)


def read_tune(arguments: Sequence[Any]) -> TuneRequest:
    """Read the request of Tune; raises InputError."""
    uuid, name, data = arguments
    options = Fields(data, "The settings")
    tuning = read_tuning(options)
    lasting = options.choice("lasting", Lasting) or Lasting.NOW
    options.finish()
    if tuning.is_empty and lasting is not Lasting.FORGET:
        raise InputError("Say what to set; what is set now, ExamineSettings tells.", code="tuning")
    return TuneRequest(uuid, name, tuning, lasting)


def read_sweep(arguments: Sequence[Any]) -> SweepRequest:
    """Read the request of BeginSweep; raises InputError."""
    uuid, name, settings, minutes = arguments
    known = [one.name for one in fields(Tuning)]
    if not settings or len(settings) > len(known) or not set(settings) <= set(known):
        raise InputError("Name the settings that are tried; there are {known}.", code="tuning", known=known)
    if not 0 < minutes <= _MAX_MINUTES:
        raise InputError("A sweep lasts 1 to {most} minutes.", code="minutes", most=_MAX_MINUTES)
    return SweepRequest(uuid, name, tuple(settings), minutes)


def read_configuration(arguments: Sequence[Any]) -> ConfigurationRequest:
    """Read the request of Preview- and WriteConfiguration; raises InputError."""
    uuid, name, data = arguments[:3]
    options = Fields(data, _OPTIONS)
    place, homehost, mail = (options.take(key, str) or "" for key in ("place", "homehost", "mail"))
    options.finish()
    return ConfigurationRequest(
        uuid,
        name,
        place=place and checked_place(place),
        homehost=homehost and checked_homehost(homehost),
        mail=mail and checked_mail(mail),
    )
