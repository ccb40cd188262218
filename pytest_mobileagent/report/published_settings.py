"""The settings in which a run differs from those of a published score.

The published ones are in run.json, as the agent declares them for its preset (see
`episode.published`); the run's own are read from what it recorded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from pytest_mobileagent.episode import runs
from pytest_mobileagent.episode.exchanges import settings_sent
from pytest_mobileagent.episode.published import NOT_SENT, TASKS_LIMIT, UNTIL_IT_RESTS
from pytest_mobileagent.episode.reader import head_of
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.jsonable import mapping
from pytest_mobileagent.llm.model import RETRIES
from pytest_mobileagent.report.metrics.epochs import epochs_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.report.entry import Entry

_SENT = ("temperature", "max_tokens")  # settings with which models are called
Value = str | float | None  # of a setting; None if it is unknown


class Difference(TypedDict):
    """A setting that differs: in the run, and as published (None if not stated) in its source."""

    name: str
    own: Value
    published: Value
    source: str


def preset_of(about: Mapping[str, Any]) -> str | None:
    """Return the preset with which a run was made, if its authors' settings are declared."""
    preset = mapping(about.get("published")).get("preset")
    return None if preset is None else str(preset)


def unlike_preset(
    folder: Path, about: Mapping[str, Any], tasks: Sequence[Entry]
) -> list[Difference]:
    """Return the settings of a run that differ from those of its preset, or are unknown there.

    `folder`, `about` and `tasks` are a `RecordedRun`'s. Empty without a preset with such settings.
    """
    published = mapping(about.get("published"))
    if not published:
        return []
    places = [runs.inside(folder, task.episode) for task in tasks]
    episodes = [place for place in places if place is not None]
    heads = list(map(head_of, episodes))
    sent = next(filter(None, map(settings_sent, episodes)), [])  # by the first that called any
    own = {
        **_own(about, heads),
        **{name: _all(each.get(name, NOT_SENT) for each in sent) for name in _SENT},
        "steps": _steps(folder, about, heads),
        "runs": f"{epochs}, the mean" if (epochs := epochs_of(tasks)) > 1 else epochs,
    }
    found = []
    for name, stated in mapping(published.get("settings")).items():
        given = mapping(stated)
        value, mine = given.get("value"), own.get(name)
        is_fixed = name not in own  # such as the history, which the agent's code makes
        if value is None or (not is_fixed and _text(mine) != _text(value)):
            source = str(given.get("source") or "")
            found.append(Difference(name=name, own=mine, published=value, source=source))
    if about.get("virtual"):
        found.append(Difference(name="phone", own="virtual", published="an emulator", source=""))
    return [*found, *_options(published, heads, own)]


def in_words(differences: Iterable[Difference]) -> list[str]:
    """Return each difference in a few words: "screen 720x1600 for 1080x2400", "runs unknown"."""
    return [
        f"{each['name']} unknown"
        if each["published"] is None
        else f"{each['name']} {_text(each['own'])} for {_text(each['published'])}"
        for each in differences
    ]


def _own(about: Mapping[str, Any], heads: Sequence[Mapping[str, Any]]) -> dict[str, Value]:
    """Return settings of a run, by the names that `PublishedSettings` gives them."""
    devices = [mapping(head.get("device")) for head in heads]
    sizes = (device.get("size") for device in devices)
    retries = (mapping(head.get("options")).get("retries") for head in heads)
    return {
        "android": _all(device.get("android") for device in devices),
        "screen": _all("x".join(map(str, size)) for size in sizes if isinstance(size, list)),
        "pause": _number(_option(about, "mobile-pace")) or UNTIL_IT_RESTS,
        "retries": _all(RETRIES if each is None else each for each in retries),
        "seed": _number(_option(about, "mobile-seed")),
    }


def _steps(folder: Path, about: Mapping[str, Any], heads: Sequence[Mapping[str, Any]]) -> Value:
    """Return the step limit: a number for all tasks, or that each task has its own."""
    try:
        limits = [case.task.step_limit for case in runs.cases(folder)]
    except RecordError:
        limits = []
    if limits and None not in limits:
        most = _option(about, "mobile-max-steps")
        return f"{TASKS_LIMIT}, at most {most}" if most else TASKS_LIMIT
    each = {head.get("step_limit") for head in heads} - {None}
    factor = _option(about, "mobile-step-factor")
    return f"{factor} x golden steps" if len(each) > 1 and factor else _all(each)


def _options(
    published: Mapping[str, Any], heads: Sequence[Mapping[str, Any]], own: Mapping[str, Any]
) -> list[Difference]:
    """Return the agent's options that differ from those of the preset, but for its settings."""
    preset, alone = published.get("preset"), mapping(published.get("options"))
    given = mapping(next(iter(heads), {}).get("options"))
    return [
        Difference(name=name, own=str(value), published=str(alone[name]), source=f"preset {preset}")
        for name, value in given.items()
        if name in alone and name not in own and value != alone[name]
    ]


def _option(about: Mapping[str, Any], name: str) -> str | None:
    value = mapping(mapping(about.get("options")).get(name)).get("value")
    return None if value is None else str(value)


def _all(values: Iterable[Any]) -> Value:
    """Return the value that all have; several are joined by commas, and None without any."""
    each = list(dict.fromkeys(value for value in values if value is not None))
    if len(each) == 1 and isinstance(each[0], int | float | str):
        return each[0]
    return ", ".join(sorted(map(_text, each))) or None


def _number(text: str | None) -> Value:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return "unknown" if value is None else str(value)
