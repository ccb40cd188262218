"""Helpers for the tests of judges: a judge with scripted replies, and small episodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent import Case, DeviceInfo, Finish, Screen, Step, Task
from pytest_mobileagent.episode import EpisodeRecord, Termination
from pytest_mobileagent.judge.ask import judge_models
from pytest_mobileagent.llm.metered import EpisodeModels
from pytest_mobileagent.llm.reference import ModelReference
from pytest_mobileagent.testing import ScriptedModel, make_screen

if TYPE_CHECKING:
    from pytest_mobileagent.llm.metered import MeteredModel

DEVICE = DeviceInfo("emulator-5554", "Pixel", "15", 35, (270, 600), 160)
SIZE = (270, 600)


def judge(*replies: Any) -> tuple[MeteredModel, ScriptedModel]:
    """Return a judge with scripted replies, and the model that records its requests."""
    script = ScriptedModel(replies)
    reference = ModelReference("scripted", "judge")
    (model,) = judge_models([reference], EpisodeModels(), clients={reference: script})
    return model, script


def screen(*elements: Any, **fields: Any) -> Screen:
    return make_screen(*elements, **{"size": SIZE, **fields})


def worked(*steps: Any, last: Screen, answer: str | None = None, **task: Any) -> EpisodeRecord:
    """Return an episode of screens, each with its actions; `answer` is the agent's final answer."""
    asked = Task(**{"goal": "Turn on Wi-Fi.", **task})
    done = [each if isinstance(each, Step) else Step(each[0], tuple(each[1:])) for each in steps]
    if answer is not None:
        done.append(Step(last, (Finish(answer),)))
    return EpisodeRecord(
        Case(asked, "wifi"),
        asked.goal,
        "mine",
        DEVICE,
        last,
        tuple(done),
        termination=Termination.SELF_REPORTED,
    )
