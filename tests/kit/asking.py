"""Requests to the helper without a window, ignoring the job's progress."""

from __future__ import annotations

from typing import TypeVar

from raidwright.machine.helper.client import Helper
from raidwright.machine.helper.job_progress import OnUpdate, ignore
from raidwright.operations.operation import Request

_Result = TypeVar("_Result")


async def ask(helper: Helper, request: Request[_Result], on_update: OnUpdate = ignore) -> _Result:
    """Return the request's result."""
    result: _Result = await helper.do(request.verb, *request.arguments(), on_update=on_update)
    return result
