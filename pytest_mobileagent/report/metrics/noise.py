"""Noise in numbers: how much an agent met, and what it did about it (docs/noise.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.noise import PASSING
from pytest_mobileagent.statistics import field, quotient_of, sum_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_mobileagent.episode.observation import Noise
    from pytest_mobileagent.episode.record import EpisodeRecord
    from pytest_mobileagent.report.entry import Entry

_RIGHT = {"closed", "recovered", "left"}
_WAITING = {"countdown-ad", "delayed"}  # are over if the agent waits
FIELDS = (
    "noisy_steps", "noises", "noise_handled", "noisy_steps_asking", "noisy_steps_right", "noise",
)  # fmt: skip


def measures(episode: EpisodeRecord) -> dict[str, Any]:
    """Return what noise an episode met.

    - `noisy_steps`: the steps that met some. `noises`: pieces of noise that ask for a reaction,
      which toasts and actions that are done twice do not; `noise_handled`: those of them that the
      agent has closed, waited for, left, or recovered from.
    - `noisy_steps_asking`: the noisy steps whose noise asks for a reaction; `noisy_steps_right`:
      those of them in which the agent did what helps.
    - `noise`: by kind, how many there were (`met`), and how many were handled.
    """
    each = [step.noise for step in episode.steps if step.noise is not None]
    asking = [noise for noise in each if noise.kind not in PASSING]
    last = {noise.number: noise for noise in asking}.values()
    kinds = {noise.kind for noise in last}
    return {
        "noisy_steps": len(each),
        "noises": len(last),
        "noise_handled": sum(map(is_handled, last)),
        "noisy_steps_asking": len(asking),
        "noisy_steps_right": sum(map(_is_right, asking)),
        "noise": {
            kind: {
                "met": sum(noise.kind == kind for noise in last),
                "handled": sum(noise.kind == kind and is_handled(noise) for noise in last),
            }
            for kind in sorted(kinds)
        },
    }


def is_handled(last: Noise) -> bool:
    """Whether the agent has handled a piece of noise, by the last step that met it."""
    return last.reaction in _RIGHT or (last.reaction == "waited" and last.kind in _WAITING)


def _is_right(noise: Noise) -> bool:
    """Whether an agent did in a step what helps: until a late ad can be closed, waiting does."""
    may_wait = noise.kind in {*_WAITING, "late-ad"}
    return noise.reaction in _RIGHT or (noise.reaction == "waited" and may_wait)


def noise_totals(results: Sequence[Entry]) -> dict[str, Any]:
    """Return the same over tasks; a number over nothing is None.

    - `noisy_steps`, `noises`: sums. `noise_handled` = handled / noises.
    - `noisy_step_accuracy` = noisy steps in which the agent did what helps / noisy steps that ask
      for it: the step accuracy on noisy steps.
    - `noise`: by kind, the sums of `met` and `handled`, and their quotient, the `rate`.
    """
    return {
        "noisy_steps": sum_of(results, field("noisy_steps")),
        "noises": sum_of(results, field("noises")),
        "noise_handled": quotient_of(results, field("noise_handled"), field("noises")),
        "noisy_step_accuracy": quotient_of(
            results, field("noisy_steps_right"), field("noisy_steps_asking")
        ),
        "noise": _by_kind(results),
    }


def _by_kind(results: Iterable[Entry]) -> dict[str, Any]:
    found: dict[str, tuple[int, int]] = {}
    for result in results:
        for kind, count in (result["noise"] or {}).items():
            met, handled = found.get(kind, (0, 0))
            found[kind] = met + (count.get("met") or 0), handled + (count.get("handled") or 0)
    return {
        kind: {"met": met, "handled": handled, "rate": handled / met if met else None}
        for kind, (met, handled) in sorted(found.items())
    }
