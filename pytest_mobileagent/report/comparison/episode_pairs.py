"""Pairs of episodes of one task: where the two diverge, and what else was different.

Two runs often differ in more than was intended: the provider serves another version of the model,
an app has been updated, or the prompt was edited. The records of both episodes reveal that.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pytest_mobileagent.action import in_words
from pytest_mobileagent.episode import EpisodeRecord
from pytest_mobileagent.episode.exchanges import first_prompt
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.episode.runs import inside
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.jsonable import cut
from pytest_mobileagent.report.comparison.divergence import first_divergence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.report.comparison.divergence import Divergence
    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.report.recorded_run import RecordedRun

    Differences = Iterator[tuple[str, str, str]]  # what differs, and the two values

BASE = "~"  # prefix of the baseline's episode names on a page of two runs
MOST_PAIRS = 100  # pairs whose episodes are read: the screenshots of each take megabytes
_LONGEST = 160  # characters of a value that differs


def with_episode_pairs(
    comparison: Mapping[str, Any], base: RecordedRun, run: RecordedRun
) -> dict[str, Any]:
    """Return the comparison with details on the episodes of the first lost and gained tasks.

    Each of their entries gets "episodes", the folder names of a pair of episodes with different
    outcomes, by "baseline" and "run", and the fields that `episode_differences` returns. A task
    without such a pair, for example because the baseline's episodes were deleted, is unchanged.
    """
    room = MOST_PAIRS
    found = dict(comparison)
    before, after = _by_success(base.tasks), _by_success(run.tasks)
    for kind, passed in (("lost", False), ("gained", True)):
        entries = []
        for entry in comparison[kind]:
            key = entry["id"], entry["environment"]
            pair = _pair(before[*key, not passed], after[*key, passed]) if room else None
            room -= pair is not None
            entries.append(entry if pair is None else {**entry, **_pair_fields(pair, base, run)})
        found[kind] = entries
    return found


def _by_success(tasks: Iterable[Entry]) -> Mapping[tuple[Any, ...], dict[int, Entry]]:
    """Return the tasks that have an episode, by id, environment and success, then by epoch."""
    found: dict[tuple[Any, ...], dict[int, Entry]] = defaultdict(dict)
    for task in tasks:
        if task.episode:
            found[task.id, task.environment, task.success][task.epoch] = task
    return found


def _pair(before: Mapping[int, Entry], after: Mapping[int, Entry]) -> tuple[Entry, Entry] | None:
    """Return one entry of each run, of the same epoch if possible; both are given by epoch."""
    if not before or not after:
        return None
    shared = before.keys() & after.keys()
    return before[min(shared or before)], after[min(shared or after)]


def _pair_fields(pair: tuple[Entry, Entry], base: RecordedRun, run: RecordedRun) -> dict[str, Any]:
    before, after = inside(base.folder, pair[0].episode), inside(run.folder, pair[1].episode)
    if before is None or after is None:
        return {}
    found = episode_differences(before, after)
    names = {"baseline": before.name, "run": after.name}
    return {} if found is None else {"episodes": names, **found}


def episode_differences(before: Path, after: Path) -> dict[str, Any] | None:
    """Return how the episodes in two folders differ; None if one of them is unreadable.

    - "parting": the first `Divergence`, or None, as plain data, with "did", both actions in it.
    - "beside": the other differences, each with "what", "before" and "after".
    """
    try:
        episodes = read(before, EpisodeRecord), read(after, EpisodeRecord)
    except (RecordError, ValueError):  # ValueError: a name that is not a path
        return None
    found = first_divergence(*episodes)
    return {
        "parting": None if found is None else _divergence_data(found, *episodes),
        "beside": [
            {"what": what, "before": one, "after": other}
            for what, one, other in _differences(*episodes)
        ],
    }


def _divergence_data(found: Divergence, *episodes: EpisodeRecord) -> dict[str, Any]:
    return {
        "step": found.step,
        "why": found.why,
        "did": [_actions_of_step(episode, found.step) for episode in episodes],
        "before": list(found.before),
        "after": list(found.after),
    }


def _actions_of_step(episode: EpisodeRecord, number: int) -> str | None:
    """Return the actions of a step (from 1) in words; None if the episode has no such step."""
    if number > len(episode.steps):
        return None
    step = episode.steps[number - 1]
    words = ", ".join(in_words(action, step.screen) for action in step.actions) or "nothing"
    return f"{words} (not done)" if step.notice else words


def _differences(before: EpisodeRecord, after: EpisodeRecord) -> Differences:
    """Yield the differences in the conditions of two episodes."""
    prompts = (first_prompt(e.folder) if e.folder else "" for e in (before, after))
    pairs = [
        ("goal", before.goal, after.goal),
        ("prompt", *_first_difference(*prompts)),
        *_by_name("model", _models(before), _models(after)),
        *_by_name("app", dict(before.apps), dict(after.apps)),
        ("phone", _phone(before), _phone(after)),
        ("start", str(before.reset or ""), str(after.reset or "")),
    ]
    for what, one, other in pairs:
        if one and other and one != other:
            yield what, _cut(one), _cut(other)


def _by_name(what: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Differences:
    """Yield the values of the names that both have; equal values are filtered out later."""
    for name in before.keys() & after.keys():
        yield f"{what} {name}", str(before[name]), str(after[name])


def _models(episode: EpisodeRecord) -> dict[str, str]:
    """Return the models that were called in each role, as their providers reported them."""
    found: dict[str, dict[str, None]] = {}
    for call in episode.calls:
        found.setdefault(call.role, {})[call.response_model or call.model] = None
    return {role: ", ".join(names) for role, names in found.items()}


def _phone(episode: EpisodeRecord) -> str:
    device = episode.device
    size = "x".join(map(str, device.size))
    return f"{device.model}, Android {device.android}, {size}, {device.locale}"


def _first_difference(before: str, after: str) -> tuple[str, str]:
    """Return the first line in which two strings differ, from each; "" if one has no text."""
    if not (before and after):
        return "", ""
    one, other = before.splitlines(), after.splitlines()
    differ = (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    first = next(differ, min(len(one), len(other)))
    lines = [each[first] if first < len(each) else "(its end)" for each in (one, other)]
    return lines[0], lines[1]


def _cut(text: str) -> str:
    return cut(" ".join(text.split()), _LONGEST)


def divergence_in_words(found: Mapping[str, Any] | None) -> str:
    """Return where two episodes diverge, in words; `found` is `episode_differences`' "parting"."""
    if found is None:
        return "the same steps on the same screens"
    step, (one, other) = found["step"], found["did"]
    match found["why"]:
        case "action":
            return f"diverge at step {step}: {one}, now {other}"
        case "length":
            return f"diverge at step {step}: {one or 'it had ended'}, now {other or 'it had ended'}"
        case "start":
            return f"begin on different screens{_screen_texts(found)}"
    texts = _screen_texts(found)
    return f"diverge at step {step}, after the same actions, by what the phone showed{texts}"


def _screen_texts(found: Mapping[str, Any]) -> str:
    both = (found["before"], found["after"])
    one, other = (", ".join(f'"{_cut(text)}"' for text in texts[:2]) for texts in both)
    return f": {one or 'nothing else'}, now {other or 'nothing else'}" if one or other else ""


def differences_in_words(beside: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the other differences in words; `beside` is `episode_differences`' "beside"."""
    return [f"{each['what']}: {each['before']} → {each['after']}" for each in beside]


def page_fragment(entry: Mapping[str, Any]) -> str:
    """Return the URL fragment of an entry's episodes on the page of two runs: "#e=…&with=…&s=4"."""
    found, names = entry["parting"], entry["episodes"]
    step = "" if found is None else f"&s={found['step']}"
    return f"#e={quote(names['run'])}&with={quote(BASE + names['baseline'])}{step}"
