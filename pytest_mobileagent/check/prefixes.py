"""When the goal was first met: the results of a body on the prefixes of an episode."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.check.forked import all_in_fork

if TYPE_CHECKING:
    from pytest_mobileagent.check.episode import Episode
    from pytest_mobileagent.check.subgoals import SubGoal

# Returns whether a body holds for a prefix, and the sub-goals that it evaluated.
Holds = Callable[["Episode"], "tuple[bool, Sequence[SubGoal]]"]


@dataclass(frozen=True, slots=True)
class OnTheWay:
    """The results of a test body on prefixes of an episode.

    - `first_step`: the number of steps after which the body first held; None if it never did, or
      could not be evaluated.
    - `subgoals`: by name, the weight and the first step of each sub-goal that a prefix evaluated.
    - `asked`: whether the body could be evaluated.
    - `held`: whether the body held at the start, and after each step; None if unknown.
    """

    first_step: int | None = None
    asked: bool = False
    subgoals: Mapping[str, tuple[float, int | None]] = field(default_factory=dict)
    held: Sequence[bool | None] = ()


def on_the_way(holds: Holds, episode: Episode, *, whole: bool) -> OnTheWay:
    """Return when a body first held; `whole` is whether it holds for the whole episode.

    The body is run in a forked process, so that it cannot change fixtures, plugins or modules.
    """
    if not episode.steps:
        return OnTheWay(0 if whole else None, asked=True, held=[whole])
    first, *later = all_in_fork(lambda: _ask(holds, episode, whole=whole)) or [None]
    if first is None:
        return OnTheWay()
    subgoals = {name: (weight, step) for name, weight, step in first["subgoals"]}
    known = [*first["held"], *later]
    held = [*known, *[None] * (len(episode.steps) - len(known)), whole]
    return OnTheWay(first["first"], asked=True, subgoals=subgoals, held=held)


def first_success(holds: Callable[[Episode], bool], episode: Episode, *, whole: bool) -> int | None:
    """Return after how many steps a predicate first held: 0 if at the start, None if never.

    It is evaluated for every proper prefix of the episode until it holds, whether or not the agent
    noticed; `whole` says whether it holds for the whole episode. The final report does not count as
    a step, but may be what makes the predicate hold.
    """
    for length in range(len(episode.steps)):
        prefix = episode.prefix(length)
        if holds(prefix):
            return prefix.step_count
    return episode.step_count if whole else None


def _ask(holds: Holds, episode: Episode, *, whole: bool) -> Iterator[Any]:
    """Run the body on every prefix, to find when it and each of its sub-goals first held.

    The first item that is yielded is that result. The following items are whether the body held
    for each later prefix.
    """
    weights, firsts, each_held = dict[str, float](), dict[str, int](), list[bool]()

    def noted(prefix: Episode) -> bool:
        held, subgoals = holds(prefix)
        each_held.append(held)
        for each in subgoals:
            weights.setdefault(each.name, each.weight)
            if each.held:
                firsts.setdefault(each.name, prefix.step_count)
        return held

    first = first_success(noted, episode, whole=whole)
    reached = [(name, weight, firsts.get(name)) for name, weight in weights.items()]
    yield {"first": first, "subgoals": reached, "held": each_held}
    for length in range(len(each_held), len(episode.steps)):
        yield noted(episode.prefix(length))
