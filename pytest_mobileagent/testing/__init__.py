"""Test your own agents and tasks: phones in memory, scripted models, and `play`.

model = ScriptedModel(["tap 540 1200", Fault(429), "done: 3"])
episode = play(MyAgent, "How many items are on the list?", phone=FakePhone(["list.xml"]))
assert episode.answers("3")
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pytest_mobileagent._task import Task
from pytest_mobileagent._task.case import Case
from pytest_mobileagent.agent.options import as_dict, as_word, options_of
from pytest_mobileagent.check.episode import Episode, load
from pytest_mobileagent.episode.screens import FOLDER, ScreenStore
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.extras import is_installed
from pytest_mobileagent.llm.metered import EpisodeModels
from pytest_mobileagent.llm.model import ToolCall
from pytest_mobileagent.llm.reference import ModelChoice, ModelReference
from pytest_mobileagent.llm.scripted import ScriptedModel
from pytest_mobileagent.llm.scripted.entries import Fault, ScriptedReply, When
from pytest_mobileagent.run.attempt import attempt
from pytest_mobileagent.run.plan import AttemptPlan, ChosenAgent, Limits, UserSettings
from pytest_mobileagent.run.runner import in_thread
from pytest_mobileagent.testing.phones import FakeLease, FakePhone, MemoryPhone, make_screen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.llm.model import Client
    from pytest_mobileagent.run.runner import ModelPort

__all__ = [
    "FakeLease", "FakePhone", "Fault", "MemoryPhone", "ScriptedModel", "ScriptedReply", "ToolCall",
    "When", "make_screen", "play",
]  # fmt: skip


def play(
    agent: Callable[[], Any],
    task: Task | str,
    *,
    phone: Device,
    model: Client | Mapping[str, Client] | None = None,
    parameters: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    step_limit: int = 20,
    time_limit: float = 60.0,
    seed: int = 0,
    path: Literal["single", "multi"] = "multi",
    user: str = "asked",
    folder: Path | None = None,
) -> Episode:
    """Run an agent on a task, or on a goal in words, and return the episode.

    `agent` is a class, or any callable that returns an agent; it runs in a thread of this process.
    `model` is the client that it uses, such as a `ScriptedModel`, or one client per role; a
    `ScriptedModel` also answers the agent's own SDKs (`Briefing.endpoint`), and one for the role
    "user" plays a `person`. `options` are the options that the agent declares, and `user` is how a
    user answers ("asked", "told", "silent"). With `path="single"`, the task's golden actions are
    performed in place of the agent's. The episode is recorded in `folder`; without one, the record
    is deleted and only the returned episode remains.

    Raises:
        InfrastructureError: if the phone broke.
        TaskError: if the task is broken.
    """
    asked = Task(task) if isinstance(task, str) else task
    words = [f"{name}={as_word(value)}" for name, value in (options or {}).items()]
    name = getattr(agent, "__name__", "agent")
    clients = _by_role(model)
    given = options_of(agent, words)
    referred = {_reference(role): each for role, each in clients.items()}
    models = EpisodeModels(_choice(clients), clients=referred)
    run_agent = partial(in_thread, agent, given, make_port=_port_maker(model))
    plan = AttemptPlan(
        case=Case(asked, "play", parameters=parameters or {}),
        agent=ChosenAgent(name, run_agent, as_dict(given)),
        limits=Limits(step_limit, time_limit),
        seed=seed,
        path=path,
        user=UserSettings(user, models),
        models=models,
    )
    if folder is not None:
        return _attempt(plan, phone, folder)
    with tempfile.TemporaryDirectory(prefix="mobileagent-") as temporary:
        episode = _attempt(plan, phone, Path(temporary))
        for screen in (*episode.seen, *episode.screens):
            getattr(screen, "png")  # noqa: B009 - load the image before its file is deleted
        return episode


def _port_maker(model: Any) -> Callable[[Path], ModelPort] | None:
    """Return a factory of ports for the agent's own SDKs; None if the extra is not installed."""
    if not is_installed("models"):
        return None
    from pytest_mobileagent.program.endpoints import EndpointPort

    scripted = model if isinstance(model, ScriptedModel) else None
    return lambda folder: EndpointPort(
        EpisodeModels(), scripted, folder, folder.parents[1] / FOLDER
    )


_EVERY_ROLE = ""


def _by_role(model: Client | Mapping[str, Client] | None) -> Mapping[str, Client]:
    if model is None:
        return {}
    return model if isinstance(model, Mapping) else {_EVERY_ROLE: model}


def _reference(role: str) -> ModelReference:
    return ModelReference("scripted", role or "model")


def _choice(roles: Iterable[str]) -> ModelChoice:
    references = {role: _reference(role) for role in roles}
    return ModelChoice(references.pop(_EVERY_ROLE, None), references)


def _attempt(plan: AttemptPlan, phone: Device, folder: Path) -> Episode:
    recorder = Recorder(folder / "episodes" / "play.0", ScreenStore(folder / FOLDER))
    attempt(plan, phone, recorder)
    return load(recorder.folder)
