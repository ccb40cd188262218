"""Decides when noise appears in an episode, and which: chosen at random for each action.

The choice for the n-th action depends only on n and the seed of the case, so it is the same on
every phone, in every worker and attempt, and for every agent.
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
    """The noise settings of a run: how often, which kinds, and all available templates."""

    choice: NoiseChoice
    templates: tuple[Template, ...]


class Schedule:
    """The noise of one episode. Templates in the task's language are preferred, then English ones.

    Raises:
        HostError: if a template cannot be drawn on this machine.
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
        """Return the noise of the n-th action: a template, one of `ACTIONS`, or None."""
        dice = random.Random(f"noise {self._seed} {number}")
        if dice.random() >= self._choice.rate:
            return None
        kind = dice.choice(self._choice.kinds)
        return kind if kind in ACTIONS else dice.choice(self._templates[kind])


def _of(kind: str, language: str, templates: Sequence[Template]) -> list[Template]:
    """Return the templates of a kind in a language, or else in English, or else in any language."""
    each = sorted((t for t in templates if t.kind == kind), key=lambda t: t.name)
    for wanted in (language, "en"):
        if found := [template for template in each if template.language == wanted]:
            return found
    return each
