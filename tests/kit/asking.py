"""The helper asked without a window: a request done by it, whatever its job tells meanwhile."""

from __future__ import annotations

from typing import TypeVar

from raidwright.machine.helper.client import Helper
from raidwright.machine.helper.job_progress import OnUpdate, ignore
from raidwright.operations.operation import Request

_Result = TypeVar("_Result")


async def ask(helper: Helper, request: Request[_Result], on_update: OnUpdate = ignore) -> _Result:
    """What the request ends with."""
    result: _Result = await helper.do(request.verb, *request.arguments(), on_update=on_update)
    return result
