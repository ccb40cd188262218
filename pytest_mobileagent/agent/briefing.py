"""What an agent is given before its first step."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import AgentError

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.episode.record import DeviceInfo
    from pytest_mobileagent.llm.model import Model, Models


@dataclass(frozen=True, slots=True)
class Briefing:
    """A goal, and everything else an agent may know before it sees the screen.

    - `goal`: the task in words; `language`: the language it is in ("en").
    - `device`: model, Android's version, size and the like; `apps`: the packages the task is about.
    - `seed`: differs from task to task and from epoch to epoch, and is the same each time the same
      run is made.
    - `options`: an instance of the agent's `Options`, with what `--mobile-agent-option` gave.
    - `folder`: a folder of the episode's own, for files that the agent wants to keep.
    - `instructions`: what to do step by step, where the task says that beside its goal.
    - `installed`: the packages of all apps that the device has.
    - `ocr`: the OCR engine to use ("rapidocr"), for `pytest_mobileagent.screen.ocr`.
    """

    goal: str
    device: DeviceInfo
    apps: tuple[str, ...]
    seed: int
    folder: Path
    language: str = "en"
    options: Any = field(default=None)
    instructions: tuple[str, ...] = ()
    installed: frozenset[str] = frozenset()
    ocr: str = "rapidocr"
    models: Models | None = field(default=None, repr=False)

    def model(self, role: str = "actor") -> Model:
        """Return the model that was chosen for a role; its cost is counted automatically.

        Raises:
            AgentError: no model was chosen for it.
        """
        if self.models is None:
            msg = f"no model was chosen for the role {role!r}: --mobile-model=PROVIDER:NAME"
            raise AgentError(msg)
        return self.models.model(role)

    def with_options(self, options: Any) -> Briefing:
        """Return the briefing with an instance of the agent's options."""
        return replace(self, options=options)
