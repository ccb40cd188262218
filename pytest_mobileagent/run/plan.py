"""The plan of an attempt: what the agent does on which phone, made once and handed on whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from pytest_mobileagent.episode.observation import Reset
from pytest_mobileagent.llm.metered import EpisodeModels

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.agent.agent import Briefing
    from pytest_mobileagent.device.noisy import NoiseSettings
    from pytest_mobileagent.device.state import StateWatch
    from pytest_mobileagent.environment import Environment
    from pytest_mobileagent.screen.sight import Sight


@dataclass(frozen=True, slots=True)
class Limits:
    """The maximum steps of an episode, and the maximum seconds that the agent may think in it.

    `pace` is the minimum time in seconds from one action to the next. The phone is observed only
    after this time, so agents see the screen as it is then.
    """

    steps: int
    seconds: float
    pace: float = 0.0


class AgentRunner(Protocol):
    """Runs an agent in a session (`run.session.Session`) until the session has ended."""

    def run(self, session: Any, briefing: Briefing) -> None:
        """Run the agent until the session ends; an agent's error is recorded as that of its ending.

        Raises:
            AgentKilledError: if somebody kills the agent's process (see `AttemptPlan`).
            InfrastructureError: if the device breaks, or the record cannot be written.
            TaskError: if the task is broken.
        """


@dataclass(frozen=True, slots=True)
class ChosenAgent:
    """An agent as its episodes record it, and how to run it.

    - `name`, `options`: as recorded.
    - `make_runner`: returns a runner for a case and the values of the goal's placeholders.
    - `program`: the record of an external program; None for any other agent.
    - `sees`: the parts of a screen that the agent declares to see; empty if it declares none.
    """

    name: str
    make_runner: Callable[[Case, Mapping[str, Any]], AgentRunner]
    options: Mapping[str, Any] = field(default_factory=dict)
    program: Mapping[str, Any] | None = None
    sees: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class UserSettings:
    """How the task's user answers.

    - `mode`: one of `_task.user.MODES`; `models`: the models that may play the user.
    - `unanswered`: the file of questions that had no answer; None if they are not recorded.
    """

    mode: str = "asked"
    models: EpisodeModels = field(default_factory=EpisodeModels)
    unanswered: Path | None = None


@dataclass(frozen=True, slots=True)
class AttemptPlan:
    """How to play a case.

    - `environment`: the environment that the case names, if any.
    - `clock`: the time to set the device's clock to; None leaves it unchanged.
    - `models`: the models that the agent may ask; `ocr`: its OCR engine.
    - `noise`: the noise in the agent's way; None for none.
    - `sees`: what the agent may see of each screen (see `screen.sight`).
    - `path`: "single" if golden actions are performed in the agent's place (`run.single_path`).
    - `spares_screenshots`: whether the device need not take screenshots, if it can work without.
    - `is_done`: called with the episode's folder after every step; returns whether the goal is met,
      which ends the episode. None if the task does not stop on success.
    - `about`: what else the record says first, such as the number of the attempt.
    - `watch`: reads the phone's state before and after the episode, for side effects; None if they
      are not asked for.
    - `repeats_kills`: whether the caller repeats an attempt whose agent's process somebody kills,
      which raises AgentKilledError; if not, that is the agent's error.
    - `installed`, `reset`: the versions of the phone's packages, by name, and what the reset did;
      known once the phone is prepared, when `case` is adapted to its packages, too.
    """

    case: Case
    agent: ChosenAgent
    limits: Limits
    seed: int = 0
    environment: Environment | None = None
    clock: datetime | None = None
    models: EpisodeModels = field(default_factory=EpisodeModels)
    user: UserSettings = field(default_factory=UserSettings)
    ocr: str = "rapidocr"
    noise: NoiseSettings | None = None
    sees: Sight = "both"
    path: Literal["single", "multi"] = "multi"
    spares_screenshots: bool = False
    is_done: Callable[[Path], bool] | None = None
    about: Mapping[str, Any] = field(default_factory=dict)
    watch: StateWatch | None = None
    repeats_kills: bool = False
    installed: Mapping[str, str] = field(default_factory=dict)
    reset: Reset = field(default_factory=lambda: Reset("none"))
