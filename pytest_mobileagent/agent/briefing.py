"""What an agent is given before its first step."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.episode.device_info import DeviceInfo


@dataclass(frozen=True, slots=True)
class Briefing:
    """A goal, and what else an agent may know before it sees the screen.

    - `goal`: the task in words; `language`: the language it is in ("en").
    - `device`: model, Android's version, size and the like; `apps`: the packages the task is about.
    - `seed`: differs from task to task and from epoch to epoch, and is the same each time the same
      run is made.
    - `options`: an instance of the agent's `Options`, with what `--mobile-agent-option` gave.
    - `folder`: a folder of the episode's own, for files that the agent wants to keep.
    """

    goal: str
    device: DeviceInfo
    apps: tuple[str, ...]
    seed: int
    folder: Path
    language: str = "en"
    options: Any = field(default=None)

    def with_options(self, options: Any) -> Briefing:
        """Return the briefing with an instance of the agent's options."""
        return replace(self, options=options)
