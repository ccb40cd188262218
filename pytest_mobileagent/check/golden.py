"""Compares an agent's actions with golden ones, step by step, by a given rule."""

from __future__ import annotations

import inspect
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action import Raw
from pytest_mobileagent.action.matching import NO_MATCH, Golden, GoldenFunctionError, golden_on
from pytest_mobileagent.action.matching.graph_mobile_bench import graph
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.screen.explain import collect_misses, missed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.action.matching import Match, Wanted
    from pytest_mobileagent.episode import EpisodeRecord
    from pytest_mobileagent.screen import Screen

    Rule = Callable[..., Match]


@dataclass(slots=True)
class Compared:
    """The comparison made by a test body: a match per golden step, and the scorer's name.

    `steps` is None until a comparison is made; of several comparisons, the last one counts.
    `beside` has the matches by other scorers, which are only reported.
    """

    scorer: str = ""
    steps: Sequence[Match] | None = None
    beside: dict[str, Sequence[Match]] = field(default_factory=dict)

    def reset(self) -> None:
        """Forget the comparisons, before the body is run again."""
        self.scorer, self.steps, self.beside = "", None, {}

    def to_json(self) -> dict[str, Any]:
        """Return the comparisons as plain data, as in the evidence of a verdict."""
        beside = {scorer: _plain(steps) for scorer, steps in self.beside.items()}
        found = {"scorer": self.scorer, "steps": _plain(self.steps or ())}
        return found | ({"beside": beside} if beside else {})


def _plain(steps: Sequence[Match]) -> list[dict[str, Any]]:
    return [
        {"step": number, "type": each.type, "exact": each.exact, "counts": each.counts}
        | ({"noisy": True} if each.noisy else {})
        for number, each in enumerate(steps, 1)
    ]


_compared: ContextVar[Compared | None] = ContextVar("compared", default=None)


@contextmanager
def collect_matches() -> Iterator[Compared]:
    """Collect the comparison made inside the `with` block."""
    compared = Compared()
    token = _compared.set(compared)
    try:
        yield compared
    finally:
        _compared.reset(token)


def compare(
    rule: Rule,
    episode: EpisodeRecord,
    golden: Sequence[Any] | None = None,
    *,
    beside: bool = False,
    **options: Any,
) -> list[Match]:
    """Compare the steps of an episode with golden actions, and report the matches.

    The matches appear in report.json as `matches` of the task, with the scorer's name, and in the
    run's step and type accuracy; those of a comparison `beside` it appear as `matched_beside`.
    Arguments and result are those of `matches`; without golden actions, the ones performed in the
    agent's place are used (`--mobile-path=single`).

    Raises:
        TaskError: if there are no golden actions, or the rule does not support one of them.
    """
    found = matches(rule, episode, golden, **options)
    if (compared := _compared.get()) is not None:
        name = scorer_name(rule, options)
        if beside:
            compared.beside[name] = found
        else:
            compared.scorer, compared.steps = name, found
    return found


def matches(
    rule: Rule, episode: EpisodeRecord, golden: Sequence[Any] | None = None, **options: Any
) -> list[Match]:
    """Compare the actions of an episode with golden ones, pairwise in order.

    Each golden action is a `Golden`, an action in pixels of the screen that the agent saw, or a
    function of that screen that returns either of these, or the element to tap. If it does not find
    its element, nothing matches. `options` are those of the rule, such as `scorer`.

    The result has one match per golden action: those that the agent did not reach match nothing,
    and actions after the last one are ignored. The report that ends an episode is an action here,
    too. On a golden path (`--mobile-path=single`) the first action of each decision is compared,
    since it is the only one that was chosen for that screen.

    Raises:
        TaskError: if there are no golden actions, or the rule does not support one of them.
    """
    path = _recorded(episode) if golden is None else golden
    done = _decided(episode, path, partial(rule, **options))
    found: list[Match] = []
    for number, wanted in enumerate(path):
        if number >= len(done):
            missed(lambda: f"golden action {len(done) + 1}: the episode has only {len(done)}")
            return [*found, *(_as_noisy(NO_MATCH, each) for each in path[number:])]
        screen, action = done[number]
        target, match = None, NO_MATCH
        try:
            with collect_misses() as misses:
                target = None if wanted is None else golden_on(screen, wanted)
                match = rule(action, target, size=screen.size, **options) if target else NO_MATCH
        except GoldenFunctionError as error:  # it was written for a screen of the golden path
            misses.append(partial(str, error))
        except TaskError as error:
            raise TaskError(f"golden action {number + 1}: {error}") from None
        found.append(_as_noisy(match, target))
        for each in misses:
            missed(partial(_in_step, number + 1, each))
    return found


def _in_step(number: int, explain: Callable[[], str]) -> str:
    return f"step {number}, {explain()}"


def _as_noisy(match: Match, wanted: Any) -> Match:
    return replace(match, noisy=getattr(wanted, "noisy", False))


class OffPathError(AssertionError):
    """The agent left the golden path, so the goal does not count as met."""


_MOST_WRONG = 5  # steps off the path that a message lists


def check_path(episode: EpisodeRecord) -> None:
    """Check that each step of an episode on a golden path is the golden one, by the rule of graphs.

    Such a path shows the golden screens whatever the agent decides, so a body that compares no
    actions would say nothing about the agent.

    Raises:
        OffPathError: if a step is not the golden one.
    """
    counted = list(enumerate(compare(graph, episode), 1))
    if wrong := [number for number, match in counted if not match]:
        steps = f"step{'s' * (len(wrong) > 1)} {', '.join(map(str, wrong[:_MOST_WRONG]))}"
        more = ", …" * (len(wrong) > _MOST_WRONG)
        msg = f"{len(wrong)} of {len(counted)} steps are not the golden one, by {graph.__name__}"
        raise OffPathError(f"{msg}: {steps}{more}")


def scorer_name(rule: Rule, options: dict[str, Any]) -> str:
    """Return the name of a rule with its scorer, such as "androidcontrol:qwen2.5-vl"."""
    name = getattr(rule, "__name__", type(rule).__name__)
    try:
        default = inspect.signature(rule).parameters["scorer"].default
    except (KeyError, TypeError, ValueError):
        default = None
    scorer = options.get("scorer", default)
    named = f"{name}:{scorer}" if isinstance(scorer, str) else name
    return f"{named}, quirks" if options.get("quirks") is True else named


def _recorded(episode: EpisodeRecord) -> Sequence[Wanted | None]:
    """Return the golden actions that were performed, and None for each one not reached.

    Raises:
        TaskError: if the episode was not on a golden path.
    """
    if not episode.is_on_path:
        raise TaskError(
            "no golden actions were performed in this episode: pass them as compare(…, golden=[…])"
        )
    done = [step.golden for step in episode.steps if step.golden is not None]
    return [*done, *[None] * episode.golden_left]


def _decided(
    episode: EpisodeRecord, path: Sequence[Any], rule: Rule
) -> list[tuple[Screen, Action | None]]:
    """Return the actions to compare, with the screens that the agent saw.

    Off a golden path, these reached the phone. On a recorded page, the golden action counts even if
    no page was recorded after it, so that it could not be done.
    """
    if not episode.is_on_path:
        found: list[tuple[Screen, Action | None]] = []
        for step in episode.steps:
            screen = step.screen.own
            found += [(screen, action) for action in step.reached]
            wanted = path[len(found)] if len(found) < len(path) else None
            if isinstance(wanted, Golden) and screen.page and wanted.page == screen.page:
                undone = step.actions[len(step.done) :][:1]
                with collect_misses(), suppress(TaskError):
                    found += [(screen, action) for action in undone if rule(action, wanted)]
        return found
    return [
        (step.screen, None if isinstance(step.action, Raw) else step.action)
        for step in episode.steps
        if step.golden is not None
    ]
