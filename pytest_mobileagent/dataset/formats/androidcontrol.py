"""AndroidControl as UI-S1 evaluates it: a list of episodes with golden actions and their boxes.

    [{"goal": …, "is_successful": true, "steps": [
        {"action_content": {"action": "click", "coordinate": [540, 2273]},
         "screenshot": "images/0_0.png", "step_instruction": …,
         "check_options": {"action": "click", …, "candidate_bbox": [[456, 2211, 624, 2337], …]}}]}]

Source: the files of X-PLUG/MobileAgent, UI-S1/evaluation/dataset. Coordinates and boxes are pixels
of the screenshot; a box is (left, top, right, bottom). `candidate_bbox` holds the boxes in which a
touch counts: those of the elements under it that take touches, the smallest first. Paths are
relative to the folder. Episodes have an `episode_id`, and steps a `view_hierarchy` if it is asked
for, which the original has not.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent.action.action import LongPress, Tap
from pytest_mobileagent.dataset.formats.format import (
    HIERARCHY,
    SCREENSHOT,
    Format,
    entries,
    screen_of,
)
from pytest_mobileagent.dataset.trajectory import Trajectory, TrajectoryStep
from pytest_mobileagent.dialect.androidcontrol import AndroidControl
from pytest_mobileagent.dialect.dialect import Frame

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from pytest_mobileagent.dataset.formats.format import Spoken
    from pytest_mobileagent.dialect.dialect import Dialect
    from pytest_mobileagent.screen.screen import Screen

_MOST_BOXES = 4  # as in the released files


class Layout(Format):
    """One JSON file for each split, `androidcontrol_SPLIT.json`, and a folder `images`."""

    dialect: ClassVar[str] = "androidcontrol"
    is_bound: ClassVar[bool] = True
    offers: ClassVar[tuple[str, ...]] = (SCREENSHOT, HIERARCHY)

    def __init__(self, folder: Path, dialect: Dialect, observed: Collection[str]) -> None:
        super().__init__(folder, AndroidControl("mobile_use"), observed)

    def add(self, split: str, number: int, trajectory: Trajectory) -> int:
        """Write an episode."""
        said = self.spoken(trajectory)
        steps = [self._step(number, place, each) for place, each in enumerate(said)]
        episode = {
            "episode_id": number,
            "goal": trajectory.goal,
            "is_successful": trajectory.succeeded,
            "steps": steps,
        }
        self.append(f"androidcontrol_{split}.json", episode)
        return len(steps)

    def _step(self, number: int, place: int, spoken: Spoken) -> dict[str, Any]:
        screen = spoken.step.screen
        content = json.loads(spoken.words)
        options = dict(content)
        if isinstance(spoken.action, Tap | LongPress):
            options["candidate_bbox"] = boxes(screen, spoken.action.x, spoken.action.y)
        name = f"images/{number}_{place}"
        step = {"action_content": content, "screenshot": self.keep(f"{name}.png", screen.png)}
        if HIERARCHY in self.observed and screen.xml:
            step["view_hierarchy"] = self.keep(f"{name}.xml", screen.xml)
        if spoken.step.instruction:
            step["step_instruction"] = spoken.step.instruction
        return {**step, "check_options": options}

    @classmethod
    def read(cls, folder: Path, about: Mapping[str, Any]) -> Iterator[Trajectory]:
        """Read the episodes of all splits."""
        for path in sorted(folder.glob("androidcontrol_*.json")):
            for episode in entries(path):
                steps = tuple(_read_step(folder, step) for step in episode["steps"])
                origin = about["trajectories"][episode["episode_id"]]["origin"]
                yield Trajectory(episode["goal"], steps, episode["is_successful"], origin)


def _read_step(folder: Path, step: Mapping[str, Any]) -> TrajectoryStep:
    screen = screen_of(folder, step["screenshot"], step.get("view_hierarchy"))
    words = json.dumps(step["action_content"])
    (action,) = AndroidControl("mobile_use").parse(words, Frame.of(screen)).actions
    return TrajectoryStep(screen, action, instruction=step.get("step_instruction", ""))


def boxes(screen: Screen, x: int, y: int) -> list[list[int]]:
    """Return the boxes of the elements at a pixel that take touches, the smallest first.

    If none does, it is that of the smallest element there; empty without a hierarchy.

    Raises:
        ScreenError: the hierarchy cannot be read.
    """
    if not screen.xml:
        return []
    there = sorted(screen.at(x, y), key=lambda e: e.bounds.width * e.bounds.height)
    touchable = [each for each in there if each.clickable or each.long_clickable]
    found = dict.fromkeys(each.bounds for each in touchable or there[:1])
    return [list(bounds) for bounds in found][:_MOST_BOXES]
