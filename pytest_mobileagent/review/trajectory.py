"""An episode as the page of a review shows it: plain data, in words and marks on screenshots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.report.html.trajectory import mark, screens, size_of
from pytest_mobileagent.report.text.narration import ending, step_in_words

if TYPE_CHECKING:
    from pytest_mobileagent.episode.record import EpisodeRecord, Step


def trajectory(episode: EpisodeRecord) -> dict[str, Any]:
    """Return what there is to see of an episode, as plain data.

    Each frame is a screen with what was done on it: words, and marks in pixels of the screenshot.
    """
    steps = list(episode.steps)
    frames = []
    for number, screen in enumerate(screens(episode)):
        step = steps[number] if number < len(steps) else None
        frames.append({"size": size_of(screen), "app": screen.package, **_frame(step, number)})
    return {
        "goal": episode.goal,
        "agent": episode.agent,
        "device": f"{episode.device.model}, Android {episode.device.android}",
        "ending": ending(episode),
        "error": episode.error,
        "answer": episode.answer,
        "frames": frames,
    }


def _frame(step: Step | None, number: int) -> dict[str, Any]:
    if step is None:
        return {"title": "At the end", "words": "", "marks": []}
    done, screen = len(step.done), step.screen
    marks = [
        {**found, "done": place < done}
        for place, action in enumerate(step.actions)
        if (found := mark(action, screen)) is not None
    ]
    return {
        "title": f"Step {number + 1}",
        "words": step_in_words(step),
        "said": step.said,
        "notice": step.notice,
        "reply": step.reply,
        "marks": marks,
    }
