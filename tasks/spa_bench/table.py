"""The tables of SPA-Bench's tasks, and how its test files decide them.

SPA-Bench (arXiv 2410.15164) has 300 single-app tasks and 40 cross-app tasks, in English and
Chinese; the tables follow the release (commit bc932bf of ai-agents-2030/SPA-Bench). Their columns,
beside those that are fields of a task:

- `step_limit` is twice the golden steps plus one, as in section 5.1.
- `key_components` are the words and numbers, separated by `;`, that the last screen of a success
  shows (section 5.2 and appendix D.1).
- `subtasks` are those by which a cross-app task is judged (appendix E.1); `category` is that of the
  release, and `twin` the same task in the other language.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import pytest_mobileagent as mobile
from pytest_mobileagent.action import Open
from pytest_mobileagent.errors import TaskError

pytest.register_assert_rewrite(
    *(f"{__package__}.{name}" for name in ("across", "checks", "planning"))
)

from . import across, planning  # noqa: E402, F401 - imported now, so that failures are explained
from .checks import CHECKS  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SOURCE = "SPA-Bench"
IN_GOAL = "its goal names all of its key components: a screen that shows the goal has them, too"
NONE = "it has no key components: each of its episodes is judged by a model"


def read_labels() -> dict[str, str]:
    """Return the packages of each app, alternatives joined, by its label in lower case."""
    text = Path(__file__).with_name("apps.toml").read_text("utf-8")
    return {label.casefold(): packages for label, packages in tomllib.loads(text).items()}


LABELS = read_labels()


def opened(device: Any, app: str) -> None:
    """Open the app of a task before the agent begins, as the release does."""
    device.perform(Open(app))


def components(row: mobile.Row) -> list[str]:
    """Return the key components of a row.

    Raises:
        TaskError: if the cell is not a list of words.
    """
    words = row.key_components.split(";") if row.key_components else []
    if any(not word.strip() for word in words):
        msg = f"{row.where}: key_components {row.key_components!r} must be words separated by ;"
        raise TaskError(msg)
    return words


def single(rows: Sequence[mobile.Row]) -> Mapping[str, Mapping[str, Any]]:
    """Return the fields of single-app tasks beyond their columns, by row id."""
    fields = {}
    for row in rows:
        words = components(row)
        remark = NONE if not words else IN_GOAL if _shows(row.goal, words) else ""
        fields[row.id] = {"remarks": (remark,)} if remark else {}
        fields[row.id] |= playable(row)
    return fields


def playable(row: mobile.Row) -> Mapping[str, Any]:
    """Return the fields of a task that our own apps support; none for other tasks."""
    checked = CHECKS.get((row.language, row.id))
    return checked.fields if checked else {}


def _shows(text: str, words: Sequence[str]) -> bool:
    """Return whether a text has all words, as the coarse stage looks for them on a screen."""
    plain = re.sub(r"\s", "", unicodedata.normalize("NFKC", text)).casefold()
    return all(word.casefold() in plain for word in words)


def decide(episode: Any, row: mobile.Row, judge: Any, **asked: Any) -> None:
    """Decide a task: by the judges, or by a check if our own apps support it.

    With a check, the judges are also asked, and the run lists the differences.
    """
    checked = CHECKS.get((row.language, row.id))
    if checked is None:
        assert judge(episode, **asked)
    else:
        judge.beside(episode, **asked)
        checked.body(episode)


def crossing(rows: Sequence[mobile.Row]) -> Mapping[str, list[Any]]:
    """Return the subtasks of cross-app tasks, by row id.

    Raises:
        TaskError: if the subtasks of a row are invalid.
    """
    return {row.id: subtasks(row, LABELS) for row in rows}


def subtasks(row: mobile.Row, labels: Mapping[str, str]) -> list[Any]:
    """Return the subtasks of a row, whose apps are labels of `apps.toml`.

    Raises:
        TaskError: if a subtask is invalid, or in an app that the row does not name.
    """
    found = []
    for number, each in enumerate(row.subtasks, 1):
        where = f"{row.where}: subtask {number}"
        try:
            names = each["app"].split("|")
            apps = "|".join(labels[name.casefold()] for name in names)
            found.append(mobile.subtask(**{**each, "app": apps}))
        except (LookupError, TypeError, AttributeError) as error:
            msg = f"{where} is not valid (it needs app, task, memory and history): {error}"
            raise TaskError(msg) from None
        if missing := [name for name in names if labels[name.casefold()] not in row.apps]:
            msg = f"{where} uses {missing[0]}, which is not one of the row's apps"
            raise TaskError(msg)
    return found
