"""Run the official evaluations of A3's first release on our episodes.

A copy of https://github.com/YuxiangChai/A3 that `releases.toml` names contains a function
`eval(task, xml, screenshot, history, answer, client, model_type)` for each task. It is run like any
official evaluation (`judge.official`): nothing of the copy is imported here.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action import Finish, Impossible, Type
from pytest_mobileagent.dialect import A3, Decision, DialectError, Frame
from pytest_mobileagent.judge.official import Evaluation, hierarchy_of
from pytest_mobileagent.releases import release_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest_mobileagent as mobile
    from pytest_mobileagent.action import Action
    from pytest_mobileagent.screen import Screen

SUITE = Path(__file__).parent
SCORER = "a3-official"
# What its modules import for devices, judges and pictures, and no evaluation needs.
STAND_INS = ("openai", "anthropic", "google", "appium", "cv2")
DIALECT = A3()


def evaluation(episode: Any, row: mobile.Row) -> Evaluation | None:
    """Return the official evaluation of a row on an episode; None without a copy of the release.

    Raises:
        TaskError: if `releases.toml` names something that is not a folder.
    """
    release = release_of(SUITE, "v1")
    if release is None:
        return None
    pages = list(history(episode))
    size = episode.device.size
    states = [
        (hierarchy_of(screen, size), base64.b64encode(screen.png).decode()) for screen, _ in pages
    ]
    hierarchies, screenshots = (list(each) for each in zip(*states, strict=True))
    actions = [action for _, action in pages]
    kept = {"xml": hierarchies, "screenshot": screenshots, "actions": actions}
    answer = episode.answer or ""
    folder, _, number = row.id.rpartition("_")
    return Evaluation(
        SCORER,
        row.where,
        release.folder,
        f"ace.task_eval.{folder}.task{number}",
        "eval",
        (episode.whole_goal, hierarchies[-1], screenshots[-1], kept, answer, None, "judge"),
        now=episode.started,
        stand_ins=STAND_INS,
    )


def history(episode: Any) -> Iterator[tuple[Screen, dict[str, Any]]]:
    """Yield each action of an episode in the format of A3's device, with its page.

    As in A3, the last action is the report, on the last page. An episode without a report has an
    empty answer; A3's own script would count it as failed, or use the previous task's answer.
    """
    for step, screen in zip(episode.steps, episode.screens, strict=False):
        for action in step.done:
            if not isinstance(action, Finish | Impossible):
                yield from ((screen, each) for each in _as_a3(action, episode.device.size))
    yield episode.screen, {"action": "end", "answer": episode.answer or ""}


def _as_a3(action: Action, size: tuple[int, int]) -> Iterator[dict[str, Any]]:
    """Yield A3's actions for one of ours; actions that A3 does not have keep our names."""
    if isinstance(action, Type) and action.at is not None:
        yield {"action": "tap", "x": action.at[0], "y": action.at[1]}
    if isinstance(action, Type):
        yield {"action": "type", "text": action.text}
        if action.enter:
            yield {"action": "enter"}
        return
    try:
        yield json.loads(DIALECT.print(Decision((action,)), Frame(size)))
    except DialectError:
        yield {"action": type(action).__name__.lower()}
