"""The errors of Raidwright.

    RaidwrightError
        ├── InputError        invalid input from a person or a file (exit code 2)
    │   └── PlanRefused   a plan that mdadm or md would refuse
        ├── MachineError      an error of a machine, its bus or a service on it
        │   ├── Denied        polkit denied the action
        │   ├── DiskRefused   a disk is in use, holds something, or isn't the confirmed one
        │   └── Unreachable   no bus, no service, or the connection was lost
    └── JobFailed         a privileged job ended without its result

Each is raised with the template of its sentence, a machine-readable ``code``, and the fields that fill the sentence
or that a caller uses:

    raise InputError("A chunk of {chunk_kib} KiB is out of range.", code="chunk", chunk_kib=chunk_kib)
"""

from __future__ import annotations

from .messages import Message, say


class RaidwrightError(Exception):
    """Root of all our errors; ``str()`` is the English sentence, which names the object and the remedy.

    A ``Message`` in place of the template is the sentence, and takes none of the fields.
    """

    exit_code = 1

    def __init__(self, template: str, /, *, code: str = "failed", **fields: object) -> None:
        self.sentence = template if isinstance(template, Message) else say(template, **fields)
        super().__init__(str(self.sentence))
        self.code = code
        self.fields = fields


class InputError(RaidwrightError):
    """Input from a person, a file or a script that can't be used."""

    exit_code = 2


class PlanRefused(InputError):
    """A plan that mdadm or the kernel would refuse; ``code`` names the rule."""


class MachineError(RaidwrightError):
    """An error of a machine, its bus or a service on it."""


class Denied(MachineError):
    """polkit denied the caller this action."""


class DiskRefused(MachineError):
    """A disk is in use, holds something, or is not the disk that was confirmed."""


class Unreachable(MachineError):
    """The bus or the service can't be reached, or the connection was lost."""


class JobFailed(MachineError):
    """A privileged job ended without its result."""
