"""Parses the table cells whose columns are fields of a task."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task.needs import split_needs
from pytest_mobileagent._task.user import user_of_cell
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.jsonable import why_unreadable

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.action.matching import Golden


def as_list(value: Any) -> tuple[str, ...]:
    """Return the items of a list; a string is split at commas and semicolons."""
    if isinstance(value, str):
        return tuple(word.strip() for word in value.replace(";", ",").split(",") if word.strip())
    return tuple(map(str, value))


def _needs(value: Any) -> tuple[str, ...]:
    return split_needs(value, separators=",;") if isinstance(value, str) else as_list(value)


def _golden(value: Any) -> tuple[Golden, ...]:
    """Return golden actions from JSON data, or from JSON text as in a CSV cell.

    Raises:
        TaskError: if the JSON is invalid or an action is; the message gives its number, from 1.
    """
    from pytest_mobileagent.action.matching import golden_from_json

    try:
        each = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError) as error:
        raise TaskError(f"golden is not JSON: {why_unreadable(error)}") from None
    if not isinstance(each, list):
        raise TaskError("golden must be a list of golden actions")
    found = []
    for number, one in enumerate(each, 1):
        try:
            found.append(golden_from_json(one))
        except TaskError as error:
            raise TaskError(f"golden action {number}: {error}") from None
    return tuple(found)


def _whole(value: Any) -> int:
    return int(str(value))


def _flag(value: Any) -> bool:
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    word = str(value).strip().casefold()
    if word not in words:
        raise ValueError(value)
    return words[word]


# The parser for each column that is a field of a task.
FIELDS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("goal", "vague", "app", "kind", "language", "source", "suite"), str),
    **dict.fromkeys(("snapshot", "task_set", "twin"), str),
    **dict.fromkeys(("apps", "tags", "instructions"), as_list),
    **dict.fromkeys(("golden_steps", "level", "step_limit"), _whole),
    "needs": _needs,
    "golden": _golden,
    "stop_on_success": _flag,
    "user": user_of_cell,
}
EXPECTED = {
    "level": "1, 2 or 3",
    "stop_on_success": "true or false",
    "user": "a text, or a list of pairs of question and answer",
}
