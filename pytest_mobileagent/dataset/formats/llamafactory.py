"""LLaMA-Factory's ShareGPT format, for supervised fine-tuning of multimodal models.

    [{"messages": [{"role": "user", "content": "<image>Goal: …"},
                   {"role": "assistant", "content": "the action in a dialect's words"}],
      "images": ["images/0_0.png"], "episode": 0, "step": 0}]

A sample is one step: the prompt has the goal, the previous actions and the screen; the reply is the
action. `dataset_info.json` lists the files, as `mobileagent_SPLIT`, so the folder can be used as
`dataset_dir` directly. Source: data/README.md of hiyouga/LLaMA-Factory.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent.dataset import Trajectory, TrajectoryStep, frame_of, listed
from pytest_mobileagent.dataset.formats import (
    ELEMENTS,
    HIERARCHY,
    SCREENSHOT,
    Format,
    entries,
    screen_of,
)
from pytest_mobileagent.dialect import dialects
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import write_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pytest_mobileagent.dataset.formats import Spoken
    from pytest_mobileagent.screen import Screen

# What LLaMA-Factory reads as the placeholder of an image, a video or a sound, anywhere in text.
_PLACES = re.compile(r"<(?=(image|video|audio)>)")
_TAGS = {f"{name}_tag": name for name in ("role", "content", "user", "assistant")}


class Layout(Format):
    """One JSON file for each split, `SPLIT.json`, a folder `images`, and `dataset_info.json`."""

    dialect: ClassVar[str] = "qwen"
    offers: ClassVar[tuple[str, ...]] = (SCREENSHOT, HIERARCHY, ELEMENTS)

    def add(self, split: str, number: int, trajectory: Trajectory) -> int:
        """Write a sample for each step."""
        actions = self.spoken(trajectory)
        prompts = [self._prompt(trajectory.goal, actions[:n], now) for n, now in enumerate(actions)]
        for place, (each, prompt) in enumerate(zip(actions, prompts, strict=True)):
            messages = [
                {"role": "user", "content": prompt},
                {"role": "assistant", "content": _harmless(each.words)},
            ]
            sample = {"messages": messages, "episode": number, "step": place}
            if SCREENSHOT in self.observed:
                sample["images"] = [self.keep(f"images/{number}_{place}.png", each.step.screen.png)]
            self.append(f"{split}.json", sample)
        return len(actions)

    def close(self) -> None:
        """Complete all files, and list them in `dataset_info.json`."""
        splits = [name.removesuffix(".json") for name in self._lists]
        super().close()
        about = {f"mobileagent_{split}": self._about(split) for split in splits}
        write_json(self.folder / "dataset_info.json", about)

    def _about(self, split: str) -> dict[str, Any]:
        columns = {"messages": "messages"}
        if SCREENSHOT in self.observed:
            columns["images"] = "images"
        about = {"file_name": f"{split}.json", "formatting": "sharegpt"}
        return {**about, "columns": columns, "tags": _TAGS}

    def _prompt(self, goal: str, before: list[Spoken], now: Spoken) -> str:
        parts = [f"Goal: {goal}"]
        if before:
            lines = [f"{n}. {each.words}" for n, each in enumerate(before, 1)]
            parts.append("\n".join(["Actions so far:", *lines]))
        parts += self._seen(now.step.screen)
        parts.append("What is the next action? Reply with it alone.")
        text = _harmless("\n\n".join(parts))
        return f"<image>{text}" if SCREENSHOT in self.observed else text

    def _seen(self, screen: Screen) -> list[str]:
        found = []
        if ELEMENTS in self.observed:
            found.append(f"Elements on the screen:\n{listed(self.words, screen)}")
        if HIERARCHY in self.observed:
            found.append(f"View hierarchy:\n{screen.xml}")
        return found

    @classmethod
    def read(cls, folder: Path, about: Mapping[str, Any]) -> Iterator[Trajectory]:
        """Yield the trajectories of all splits, which must have pictures."""
        dialect = dialects()[about["dialect"]]()
        for split in about["splits"]:
            each = entries(folder / f"{split}.json")
            for number, samples in groupby(each, lambda sample: int(sample["episode"])):
                steps = []
                for sample in samples:
                    if not sample.get("images"):
                        raise RecordError(f"{folder} has no pictures, which its actions refer to")
                    screen = screen_of(folder, sample["images"][0])
                    words = sample["messages"][1]["content"]
                    (action,) = dialect.parse(words, frame_of(dialect, screen)).actions
                    steps.append(TrajectoryStep(screen, action))
                known = about["trajectories"][number]
                yield Trajectory(known["goal"], tuple(steps), known["succeeded"], known["origin"])


def _harmless(text: str) -> str:
    """Return the text without placeholders of pictures, which an app's text may contain."""
    return _PLACES.sub("< ", text)
