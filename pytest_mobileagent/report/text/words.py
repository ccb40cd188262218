"""An episode in a few words, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action.action import (
    Ask,
    DoubleTap,
    Finish,
    Impossible,
    Key,
    LongPress,
    Open,
    Raw,
    Scroll,
    Swipe,
    Tap,
    Type,
)
from pytest_mobileagent.errors import ScreenError
from pytest_mobileagent.plain import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.episode.record import EpisodeRecord, Step
    from pytest_mobileagent.screen.screen import Screen

PAGE = "report.html"  # in a run's folder
_LAST_STEPS = 4
_VERBS = {LongPress: "long press", DoubleTap: "double tap", Impossible: "give up"}
_SHORT = 40  # characters of an action's text
_LONG = 160  # characters of a line


def failure(
    episode: EpisodeRecord,
    sought: str,
    where: str,
    closest: str,
    met: str,
    *,
    subgoals: Sequence[Mapping[str, Any]] = (),
    screen: str = "",
    page: str = "",
) -> list[str]:
    """Return at most ten lines on why a task was not done, without the source of the task.

    `sought` is what the body asked for, at `where`; `closest` what came nearest to it; `met` says
    when the goal was met on the way, if it was. `subgoals` are those of the verdict's evidence.
    `screen` and `page` say where the last screenshot is, and the report's page of the episode.
    """
    rows = [
        ("goal", episode.goal),
        ("sought", f"{sought}   {where}".strip()),
        ("closest", closest),
        ("sub-goals", progress(subgoals)),
        ("actions", actions(episode)),
        ("said", said(episode)),
        ("ended", f"{ending(episode)}{met}"),
        ("error", episode.error.partition("\n")[0]),
        ("screen", screen),
        ("page", page),
    ]
    return [f"{name:<8} {_line(text)}" for name, text in rows if text]


def progress(subgoals: Sequence[Mapping[str, Any]]) -> str:
    """Return what share of some sub-goals held, by weight, and when each first did."""
    if not subgoals:
        return ""
    held = sum(each["weight"] for each in subgoals if each["held"])
    share = f"{held:g}/{sum(each['weight'] for each in subgoals):g}"
    room = max(_SHORT, 3 * _LONG // len(subgoals))
    return f"{share}  " + "   ".join(_cut(_one_subgoal(each), room) for each in subgoals)


def _one_subgoal(subgoal: Mapping[str, Any]) -> str:
    first = subgoal["first_step"]
    at = f"at step {first}" if first else "at the start"
    if subgoal["held"]:
        when = "held" if first is None else at
    else:
        when = "never" if first is None else f"{at}, but not at the end"
    return f"{' '.join(subgoal['name'].split())}: {when}"


def actions(episode: EpisodeRecord) -> str:
    """Return the last actions of an episode with the numbers of their steps."""
    if not episode.steps:
        return "none"
    numbered = list(enumerate(episode.steps, 1))
    shown = [f"{number} {step_in_words(step)}" for number, step in numbered[-_LAST_STEPS:]]
    return "   ".join([*(["…"] if len(numbered) > _LAST_STEPS else []), *shown])


def step_in_words(step: Step) -> str:
    """Return what an agent did in a step."""
    each = [in_words(action, step.screen) for action in step.actions] or ["nothing"]
    return ", ".join(each) + (" (not done)" if step.notice else "")


def said(episode: EpisodeRecord) -> str:
    """Return what the agent said last, in quotation marks; empty if it said nothing."""
    words = next((step.said for step in reversed(episode.steps) if step.said.strip()), "")
    return f'"{_cut(" ".join(words.split()), _LONG)}"' if words else ""


def ending(episode: EpisodeRecord) -> str:
    """Return why an episode ended, and after how many steps."""
    golden = episode.case.task.shortest
    of = f" (golden steps {golden})" if golden else ""
    count = episode.step_count
    return f"{episode.termination} after {count} step{'s' * (count != 1)}{of}"


def telling_step(episode: EpisodeRecord, met: int | None) -> int | None:
    """Return the number of the step from which to look at a failure, as `actions` numbers them.

    It is the one after the `met` steps after which the goal was met, which can have undone it, else
    the last one that was no report of being done. None if the agent decided nothing.
    """
    counted = [number for number, step in enumerate(episode.steps, 1) if _counts(step)]
    if met is not None and met < len(counted):
        return counted[met]
    return counted[-1] if counted else (1 if episode.steps else None)


def deep_link(page: Path, episode: str, step: int | None) -> str:
    """Return the address within a run's page of an episode, by its folder's name, and a step."""
    return f"{page}#e={episode}" + ("" if step is None else f"&s={step}")


def _counts(step: Step) -> bool:
    return step.counts and not step.is_report


def last_screenshot(episode: EpisodeRecord) -> Path | None:
    """Return the file of the last screenshot; None if the episode is not recorded."""
    if episode.folder is None:
        return None
    links = sorted((episode.folder / "screens").glob("*.png"))
    return links[-1] if links else episode.folder


def in_words(action: Action, screen: Screen) -> str:
    """Return an action in words, naming what stands where it touches the screen."""
    verb = _VERBS.get(type(action), type(action).__name__.lower())
    match action:
        case Tap(x, y) | LongPress(x, y) | DoubleTap(x, y):
            return f"{verb} {_target(screen, x, y)}"
        case Swipe(x1, y1, x2, y2):
            return f"{verb} ({x1}, {y1}) to ({x2}, {y2})"
        case Type(text) | Ask(text) | Finish(text) | Impossible(text) | Raw(text):
            return f"{verb} {_quoted(text)}" if text else verb
        case Scroll(word) | Key(word) | Open(word):
            return f"{verb} {_cut(str(word), _SHORT)}"
    return f"{verb} {getattr(action, 'seconds', '')} s"


def _target(screen: Screen, x: int, y: int) -> str:
    try:
        label = next((e.label for e in screen.at(x, y) if e.label), "")
    except (ScreenError, TypeError):  # the agent's coordinates may be no numbers
        label = ""
    return _quoted(label) if label else f"({x}, {y})"


def _quoted(text: object) -> str:
    return f'"{_cut(" ".join(str(text).split()), _SHORT)}"'


def _line(text: str) -> str:
    one_line = " ".join(line.strip() for line in text.splitlines())
    return printable(_cut(one_line, 4 * _LONG))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
