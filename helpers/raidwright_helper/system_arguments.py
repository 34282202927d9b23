"""Reading the arguments of the verbs on what surrounds an array: closed forms, unknown keys refused.

What the prompts name is the caller's word, made printable; the verbs compare it with the array before they act.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from raidwright.core.config_files import checked_homehost, checked_mail
from raidwright.core.filesystem import checked_kind, checked_label, checked_place
from raidwright.core.json_fields import Fields, printable
from raidwright.core.tuning import Lasting, read_tuning

from .arrays import array_label
from .configuration import ConfigurationRequest
from .filesystem import FileSystemRequest
from .tune import TuneRequest
from .wire import ACTIONS

_OPTIONS = "The options"


def array_details(arguments: Sequence[Any]) -> Mapping[str, str]:
    """What the prompt names: the array by name and UUID."""
    return {"array": array_label(arguments[1], arguments[0])}


def filesystem_details(arguments: Sequence[Any]) -> Mapping[str, str]:
    """The array, and what is made on it."""
    return {**array_details(arguments), "kind": printable(arguments[2])}


def mount_details(arguments: Sequence[Any]) -> Mapping[str, str]:
    """The array, and the place."""
    return {**array_details(arguments), "place": printable(arguments[2])}


def tune_action(arguments: Sequence[Any]) -> str:
    """Looking at the settings is looking at the disks."""
    return f"{ACTIONS}.tune" if arguments[2] else f"{ACTIONS}.examine"


def read_filesystem(arguments: Sequence[Any]) -> FileSystemRequest:
    """What MakeFileSystem is asked for; raises InputError."""
    uuid, name, text, data = arguments
    kind, options = checked_kind(text), Fields(data, _OPTIONS)
    label = checked_label(options.take("label", str) or "", kind)
    options.finish()
    return FileSystemRequest(uuid, name, kind, label)


def read_tune(arguments: Sequence[Any]) -> TuneRequest:
    """What Tune is asked for; raises InputError."""
    uuid, name, data = arguments
    options = Fields(data, "The settings")
    tuning = read_tuning(options)
    lasting = options.choice("lasting", Lasting) or Lasting.NOW
    options.finish()
    return TuneRequest(uuid, name, tuning, lasting)


def read_configuration(arguments: Sequence[Any]) -> ConfigurationRequest:
    """What Preview- and WriteConfiguration are asked for; raises InputError."""
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
