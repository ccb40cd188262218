"""When noise comes in an episode, and which: drawn for each action by the seed of its case.

What is drawn for the n-th action depends on the seed and on n, and on nothing else: so it is the
same on every phone, in every worker and attempt, and for every agent.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.noise import ACTIONS
from pytest_mobileagent.noise.cover import check_fonts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.noise import NoiseChoice
    from pytest_mobileagent.noise.template import Template


@dataclass(frozen=True, slots=True)
class NoiseSettings:
    """The noise of a run: how often and which kinds, and all templates that there are."""

    choice: NoiseChoice
    templates: tuple[Template, ...]


class Schedule:
    """The noise of one episode; templates are those in the task's language, or else in English.

    Raises:
        HostError: a template cannot be drawn on this machine.
    """

    def __init__(self, settings: NoiseSettings, seed: int, language: str) -> None:
        self._choice, self._seed = settings.choice, seed
        self._templates = {
            kind: _of(kind, language, settings.templates)
            for kind in settings.choice.kinds
            if kind not in ACTIONS
        }
        check_fonts(each for found in self._templates.values() for each in found)

    def at(self, number: int) -> Template | str | None:
        """Return what comes with the n-th action: a template, one of `ACTIONS`, or None."""
        dice = random.Random(f"noise {self._seed} {number}")
        if dice.random() >= self._choice.rate:
            return None
        kind = dice.choice(self._choice.kinds)
        return kind if kind in ACTIONS else dice.choice(self._templates[kind])


def _of(kind: str, language: str, templates: Sequence[Template]) -> list[Template]:
    """Return the templates of a kind: in a language, else in English, else in any."""
    each = sorted((t for t in templates if t.kind == kind), key=lambda t: t.name)
    for wanted in (language, "en"):
        if found := [template for template in each if template.language == wanted]:
            return found
    return each
