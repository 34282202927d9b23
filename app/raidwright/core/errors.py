"""The errors of Raidwright.

    RaidwrightError
    ├── InputError        what a person or a file gave can't be used (exit code 2)
    │   └── PlanRefused   a plan that mdadm or md would refuse
    ├── MachineError      a machine, its bus or a service on it
    │   ├── Denied        polkit said no
    │   ├── DiskRefused   a disk shows a sign of life, or isn't the one that was confirmed
    │   └── Unreachable   no bus, no service, or it went away
    └── JobFailed         a privileged job ended without its result

Each is raised with the template of its sentence, a machine-readable ``code``, and the fields that the sentence is made
of or a caller goes by:

    raise InputError("A chunk of {chunk_kib} KiB is out of range.", code="chunk", chunk_kib=chunk_kib)
"""

from __future__ import annotations

from .messages import Message, say


class RaidwrightError(Exception):
    """Root of all our errors; ``str()`` is the English sentence, which names the thing and the way out.

    A ``Message`` in the template's place is the sentence, and takes none of the fields.
    """

    exit_code = 1

    def __init__(self, template: str, /, *, code: str = "failed", **fields: object) -> None:
        self.sentence = template if isinstance(template, Message) else say(template, **fields)
        super().__init__(str(self.sentence))
        self.code = code
        self.fields = fields


class InputError(RaidwrightError):
    """Something given by a person, a file or a script can't be used."""

    exit_code = 2


class PlanRefused(InputError):
    """mdadm or the kernel would refuse this plan; ``code`` says for which rule."""


class MachineError(RaidwrightError):
    """A machine, its bus or a service on it answered with an error."""


class Denied(MachineError):
    """polkit refused the caller this action."""


class DiskRefused(MachineError):
    """A disk is in use, holds something, or is not the disk that was confirmed."""


class Unreachable(MachineError):
    """The bus or the service can't be reached, or went away in the middle."""


class JobFailed(MachineError):
    """A privileged job ended without its result."""
