"""Two episodes of one task beside each other: where they part, and what else was not the same.

Runs that are compared differ in what was meant to differ, and often in more: a provider serves
another version of a model, an app was updated, a prompt was edited. What is recorded of both
episodes says so.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pytest_mobileagent.episode.exchanges import first_prompt
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.episode.record import EpisodeRecord
from pytest_mobileagent.episode.runs import inside
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.perception.words import in_words
from pytest_mobileagent.report.comparison.divergence import parting

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.report.comparison.divergence import Parting
    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.report.recorded_run import RecordedRun

BASE = "~"  # before the names of the baseline's episodes, on a page of two runs
MOST_PAIRS = 100  # of which episodes are read, as each has pictures of megabytes
_LONGEST = 160  # characters of what differs
Case = tuple[str, str | None, int]  # a task's id, its environment and epoch


def case_of(task: Mapping[str, Any]) -> Case:
    """Return what an entry of a report has in common with that of the same case in another run."""
    return task["id"], task["environment"], task["epoch"]


def with_episodes(
    comparison: Mapping[str, Any], base: RecordedRun, run: RecordedRun
) -> dict[str, Any]:
    """Return a comparison that tells, of the first tasks that are lost or gained, how they differ.

    Their entries get "episodes", the folders of a pair of episodes that turned out differently, by
    "baseline" and "run", and what `told` says of it. Tasks without such a pair, as where the
    baseline's episodes were not kept, are left as they are.
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
            entries.append(entry if pair is None else {**entry, **_of(pair, base, run)})
        found[kind] = entries
    return found


def _by_success(tasks: Iterable[Entry]) -> Mapping[tuple[Any, ...], dict[int, Entry]]:
    """Return the tasks with an episode by id, environment and success, and then by epoch."""
    found: dict[tuple[Any, ...], dict[int, Entry]] = defaultdict(dict)
    for task in tasks:
        if task["episode"]:
            found[task["id"], task["environment"], task["success"]][task["epoch"]] = task
    return found


def _pair(before: Mapping[int, Entry], after: Mapping[int, Entry]) -> tuple[Entry, Entry] | None:
    """Return entries of a task from those by epoch, of one epoch if there is one."""
    if not before or not after:
        return None
    epoch = min(before.keys() & after.keys(), default=None)
    return (
        (before[min(before)], after[min(after)]) if epoch is None else (before[epoch], after[epoch])
    )


def _of(pair: tuple[Entry, Entry], base: RecordedRun, run: RecordedRun) -> dict[str, Any]:
    folders = [
        inside(each.folder, task["episode"]) for each, task in zip((base, run), pair, strict=True)
    ]
    before, after = folders
    if before is None or after is None:
        return {}
    found = told(before, after)
    names = {"baseline": before.name, "run": after.name}
    return {} if found is None else {"episodes": names, **found}


def told(before: Path, after: Path) -> dict[str, Any] | None:
    """Return where the episodes in two folders part, and what differs; None if one is unreadable.

    "parting": `Parting` as plain data, with "did", what was done in that step by each; None if they
    do not part. "beside": what else differs, each with "what", "before" and "after".
    """
    try:
        episodes = read(before, EpisodeRecord), read(after, EpisodeRecord)
    except (RecordError, ValueError):  # ValueError: a name that is not a path
        return None
    found = parting(*episodes)
    return {
        "parting": None if found is None else _parting(found, *episodes),
        "beside": [
            {"what": what, "before": one, "after": other}
            for what, one, other in _differences(*episodes)
        ],
    }


def _parting(found: Parting, *episodes: EpisodeRecord) -> dict[str, Any]:
    return {
        "step": found.step,
        "why": found.why,
        "did": [_did(episode, found.step) for episode in episodes],
        "before": list(found.before),
        "after": list(found.after),
    }


def _did(episode: EpisodeRecord, number: int) -> str | None:
    """Return what was done in a step, from 1, in words; None if the episode has no such step."""
    if number > len(episode.steps):
        return None
    step = episode.steps[number - 1]
    words = ", ".join(in_words(action, step.screen) for action in step.actions) or "nothing"
    return f"{words} (not done)" if step.notice else words


def _differences(before: EpisodeRecord, after: EpisodeRecord) -> Iterator[tuple[str, str, str]]:
    """Yield what differs between two episodes before the agents did anything, with both values."""
    pairs = [
        ("goal", before.goal, after.goal),
        ("prompt", *_first_difference(_prompt(before), _prompt(after))),
        *_by_name("model", _models(before), _models(after)),
        *_by_name("app", dict(before.apps), dict(after.apps)),
        ("phone", _phone(before), _phone(after)),
        ("start", _start(before), _start(after)),
    ]
    for what, one, other in pairs:
        if one and other and one != other:
            yield what, _cut(one), _cut(other)


def _by_name(
    what: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[tuple[str, str, str]]:
    """Yield what differs of that which both name."""
    for name in before.keys() & after.keys():
        yield f"{what} {name}", str(before[name]), str(after[name])


def _models(episode: EpisodeRecord) -> dict[str, str]:
    """Return the models that were asked in each role, by the names that their providers gave."""
    found: dict[str, dict[str, None]] = {}
    for call in episode.calls:
        found.setdefault(call.role, {})[call.response_model or call.model] = None
    return {role: ", ".join(names) for role, names in found.items()}


def _prompt(episode: EpisodeRecord) -> str:
    return "" if episode.folder is None else first_prompt(episode.folder)


def _phone(episode: EpisodeRecord) -> str:
    device = episode.device
    size = "x".join(map(str, device.size))
    return f"{device.model}, Android {device.android}, {size}, {device.locale}"


def _start(episode: EpisodeRecord) -> str:
    return str(episode.reset or "")


def _first_difference(before: str, after: str) -> tuple[str, str]:
    """Return the first line of each text that is not the same in both; "" if one has no text."""
    if not (before and after):
        return "", ""
    one, other = before.splitlines(), after.splitlines()
    differ = (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    first = next(differ, min(len(one), len(other)))
    lines = [each[first] if first < len(each) else "(its end)" for each in (one, other)]
    return lines[0], lines[1]


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def parting_words(found: Mapping[str, Any] | None) -> str:
    """Return in words where two episodes part, by the "parting" of `told`."""
    if found is None:
        return "the same steps on the same screens"
    step, (one, other) = found["step"], found["did"]
    match found["why"]:
        case "action":
            return f"part at step {step}: {one}, now {other}"
        case "length":
            return f"part at step {step}: {one or 'it had ended'}, now {other or 'it had ended'}"
        case "start":
            return f"begin on different screens{_shown(found)}"
    return f"part at step {step}, after the same actions, by what the phone showed{_shown(found)}"


def _shown(found: Mapping[str, Any]) -> str:
    texts = (", ".join(f'"{_cut(text)}"' for text in found[w][:2]) for w in ("before", "after"))
    one, other = texts
    return f": {one or 'nothing else'}, now {other or 'nothing else'}" if one or other else ""


def beside_words(beside: Sequence[Mapping[str, str]]) -> list[str]:
    """Return in words what else differs, by the "beside" of `told`."""
    return [f"{each['what']}: {each['before']} → {each['after']}" for each in beside]


def place_of_pair(entry: Mapping[str, Any]) -> str:
    """Return the place on the page of two runs where an entry's episodes are: "#e=…&with=…&s=4"."""
    found, names = entry["parting"], entry["episodes"]
    step = "" if found is None else f"&s={found['step']}"
    return f"#e={quote(names['run'])}&with={quote(BASE + names['baseline'])}{step}"
