"""Ways of asking judges: what labels leave open, or say otherwise, is set for all of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mobileagent.episode.record import EpisodeRecord
    from pytest_mobileagent.judge.calibration.label import Label
    from pytest_mobileagent.judge.question import Actions, Evidence, Question


@dataclass(frozen=True, slots=True)
class Mode:
    """What is asked otherwise than the labels say; None and "" leave it as they say.

    - `actions`, `evidence`, `reason`: see `Question`. `language`: of the prompts.
    """

    actions: Actions | None = None
    evidence: Evidence | None = None
    reason: bool | None = None
    language: str = ""

    @property
    def name(self) -> str:
        """What it is called in reports; empty for what changes nothing."""
        reason = {True: "reason and result", False: "result only", None: ""}[self.reason]
        actions = {"none": "no actions", "text": "text actions", "image": "image actions"}
        shown = {"xml": "view hierarchies"}.get(self.evidence or "", "")
        words = (actions.get(self.actions or "", ""), shown, reason, self.language)
        return ", ".join(word for word in words if word)

    def question(self, label: Label) -> Question:
        """Return how judges are asked of a labelled episode."""
        asked = label.question
        return replace(
            asked,
            actions=self.actions or asked.actions,
            evidence=self.evidence or asked.evidence,
            reason=asked.reason if self.reason is None else self.reason,
        )

    def episode(self, label: Label, episode: EpisodeRecord) -> EpisodeRecord:
        """Return the episode with the language in which judges are asked of it."""
        language = self.language or label.language
        if not language or language == episode.case.task.language:
            return episode
        case = replace(episode.case, task=replace(episode.case.task, language=language))
        return replace(episode, case=case)


def six(base: Mode) -> tuple[Mode, ...]:
    """Return SPA-Bench's six modes, in the order of its Table 9's columns."""
    actions: tuple[Actions, ...] = ("none", "text", "image")
    return tuple(
        replace(base, actions=each, reason=reason) for each in actions for reason in (False, True)
    )
