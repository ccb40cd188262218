"""What the authors of an agent ran it with, when they measured the scores that they publish.

An agent declares this for a preset; runs with that preset record it, and reports name each setting
in which a run differs from it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

TASKS_LIMIT = "the task's"  # the value of `steps` if each task has a limit of its own
UNTIL_IT_RESTS = "until the screen rests"  # the value of `pause` if it depends on the screen
NOT_SENT = "not sent"  # the value of a setting of the model that is left to the provider


@dataclass(frozen=True, slots=True)
class Stated:
    """The value of a setting, and where the authors state it, such as a section or a file.

    Raises:
        ValueError: if there is no source: a setting that is stated nowhere is unknown.
    """

    value: str | float
    source: str

    def __post_init__(self) -> None:
        if not self.source.strip():
            msg = f"{self.value!r} has no source: name it, or leave the setting out as unknown"
            raise ValueError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedSettings:
    """The settings of a published score; None for those that are unknown.

    - `android`: the version of Android ("13"). `screen`: its size in pixels ("1080x2400").
    - `steps`: the step limit of every task, or `TASKS_LIMIT` if each task has its own.
    - `pause`: the seconds from an action to the next screenshot, or `UNTIL_IT_RESTS`.
    - `temperature`, `max_tokens`: as sent to the model, or `NOT_SENT`.
    - `retries`: how often a call is repeated if the provider does not answer.
    - `history`: what the model is shown of earlier steps.
    - `seed`: of the tasks' parameters. `runs`: how often each task was run, and what was kept: 1,
      "3, the mean" or "3, the best".
    """

    android: Stated | None = None
    screen: Stated | None = None
    steps: Stated | None = None
    pause: Stated | None = None
    temperature: Stated | None = None
    max_tokens: Stated | None = None
    retries: Stated | None = None
    history: Stated | None = None
    seed: Stated | None = None
    runs: Stated | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the value and the source of each setting, as plain data."""
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            name: None if stated is None else {"value": stated.value, "source": stated.source}
            for name, stated in given.items()
        }
