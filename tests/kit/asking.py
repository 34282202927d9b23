"""The helper asked without a window: a request done by it, whatever its job tells meanwhile."""

from __future__ import annotations

from typing import TypeVar

from raidwright.machine.helper.client import Helper
from raidwright.operations.operation import Request, Update, ignore

_Result = TypeVar("_Result")


async def ask(helper: Helper, request: Request[_Result], emit: Update = ignore) -> _Result:
    """What the request ends with."""
    result: _Result = await helper.do(request.verb, *request.arguments(), on_update=emit)
    return result
