"""Results of tasks, as reports take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Case, Task
from pytest_mobileagent.report.result import Result

if TYPE_CHECKING:
    from collections.abc import Callable

_OUTCOMES = {True: "passed", False: "failed", None: "error"}


def make(success: bool | None = None, **fields: Any) -> dict[str, Any]:
    """A task's entry in report.json; fields that are not given are as without an episode."""
    case = Case(Task("Do it."), fields.pop("id", "t"), fields.pop("suite", ""), "t")
    plain = Result(case, _OUTCOMES[success]).to_wire() | {"success": success}
    assert not set(fields) - set(plain)
    return plain | fields


@pytest.fixture
def result() -> Callable[..., dict[str, Any]]:
    return make
