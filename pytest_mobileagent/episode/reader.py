"""Reads episodes back from disk (see `episode.store`), whatever has happened to their files.

Fields added by newer versions are kept in `extra`; damaged records are refused.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_mobileagent._task.case import Case
from pytest_mobileagent.action import Raw, from_json
from pytest_mobileagent.action.matching import golden_from_json
from pytest_mobileagent.episode import EpisodeRecord, Step, Termination, event
from pytest_mobileagent.episode.calls import ModelCall
from pytest_mobileagent.episode.event import Crash, LogLine
from pytest_mobileagent.episode.exchanges import CallReader
from pytest_mobileagent.episode.findings import SideEffects
from pytest_mobileagent.episode.migrate import SCHEMA_VERSION, migrate
from pytest_mobileagent.episode.observation import DeviceInfo, Noise, Reset
from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.episode.store import STREAM, where
from pytest_mobileagent.errors import RecordError, TaskError
from pytest_mobileagent.fileio import opened, parse_json, read_text
from pytest_mobileagent.jsonable import expect, kinds_of, read_as, to_line
from pytest_mobileagent.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.action.matching import Golden

E = TypeVar("E", bound=EpisodeRecord)
_LONGEST_HEAD = 65_536  # bytes
# The known fields of each record, with their types; all others are kept in `extra`.
_HEAD: dict[str, Any] = {
    "agent": str,
    "options": dict,
    "seed": int,
    "attempt": int,
    "recorded": str,
    "goal": str,
    "program": dict | None,
    "step_limit": int | None,
    "apps": dict,
    "full_goal": str,
    "user": str,
    "sees": str,
    "node": str,
    "versions": dict,
}
_STEP: dict[str, Any] = {"actions": list, "said": str, "calls": list, "seconds": float}
_STEP_OPTIONAL: dict[str, Any] = {"counts": bool, "golden": dict}
_TEXTS = {"text", "app", "question", "answer", "reason", "command"}
_NUMBERS = {"x", "y", "x1", "y1", "x2", "y2", "seconds"}
_OUTCOME: dict[str, Any] = {"notice": str, "reply": str | None, "undone": int}
_OUTCOME_LISTED: dict[str, Any] = {"answers": list, "user_calls": list}
_OBSERVATION: dict[str, Any] = {
    "png": str,
    "xml": str,
    "package": str,
    "activity": str,
    "time": str | None,
    "probes": dict,
    "seconds": float,
    "told": str,
    "notice": str,
    "size": list,
}
_PAGES: dict[str, Any] = {"page": str, "same": list}  # on recorded pages only
_BENEATH: dict[str, Any] = dict.fromkeys(("png", "xml", "package", "activity"), str)
_END: dict[str, Any] = {
    "termination": str,
    "error": str,
    "seconds": float,
    "unused": list,
    "is_logged": bool,
    "golden_left": int,
    "measured": dict,
}


def read(folder: Path, kind: type[E]) -> E:
    """Return the episode in a folder as an object of `kind`, or as much of it as was written.

    Raises:
        RecordError: if there is not even a first screen, or it is of a newer major version.
    """
    try:
        return whole(folder, kind, records_of(folder), {})
    except RecursionError as error:
        raise RecordError(f"{folder / STREAM} is damaged: it is nested too deeply") from error
    except (LookupError, TypeError, ValueError, AttributeError, OSError, OverflowError) as error:
        why = f"{type(error).__name__}: {error}"
        raise RecordError(f"{folder} does not contain a complete record: {why}") from error


def whole(
    folder: Path, kind: type[E], recorded: Sequence[dict[str, Any]], known: dict[int, Screen]
) -> E:
    """Return the episode in records (see `assemble`), with the calls of an unfinished step.

    An interrupted episode may have called models for a step that it never took.
    """
    episode = assemble(folder, kind, recorded, known)
    if any(record["record"] == "end" for record in recorded):
        return episode
    taken = {call.get("line") for record in recorded for call in record.get("calls", ())}
    unended = (call for call in CallReader(folder).new() if call.line not in taken)
    return replace(episode, unused=tuple(unended))


def assemble(
    folder: Path, kind: type[E], recorded: Sequence[dict[str, Any]], known: dict[int, Screen]
) -> E:
    """Return the episode described by records, without reading the screens `known` by number.

    Screens that are read are added to `known`. Model calls that belong to no step are left out.

    Raises:
        RecordError: if there is not even a first screen.
    """
    head, *records = migrate(recorded)
    seen = [record for record in records if record["record"] == "observation"]
    if not seen:
        raise RecordError(f"{folder / STREAM} stops before the first screen")
    end = next((record for record in records if record["record"] == "end"), {})
    screens = ScreenStore.of_episode(folder)
    for number, record in enumerate(seen, 1):
        if number not in known:
            known[number] = _screen(screens, where(number, folder), record)
    known_screens = [known[number] for number in range(1, len(seen) + 1)]
    about, ending, last = _about(head), _ending(end), known_screens[-1]
    extra = about.pop("extra") | ending.pop("extra")
    return kind(
        folder=folder,
        screen=last.own,
        covered=None if last.beneath is None else last,
        steps=tuple(_steps(records, known_screens, seen)),
        initial_probes=seen[0]["probes"],
        started=known_screens[0].time,
        side_effects=SideEffects.read(folder),
        extra=extra,
        **about,
        **ending,
    )


def head_of(folder: Path) -> dict[str, Any]:
    """Return the first record of the episode in a folder, as it was written; {} if unreadable."""
    try:
        with opened(folder / STREAM) as stream:
            head = parse_json(stream.readline(_LONGEST_HEAD))
    except (OSError, ValueError):
        return {}
    return head if isinstance(head, dict) else {}


def records_of(folder: Path) -> list[dict[str, Any]]:
    """Return the records of the episode in a folder, as many as were written.

    Raises:
        RecordError: if there are no records, one is damaged, or they are of a newer major version.
    """
    path = folder / STREAM
    try:
        # Only "\n" ends a line: agents' texts may contain all of Unicode's other line endings.
        *lines, _ = read_text(path, "replace").split("\n")
    except OSError as error:
        what = f"no episode is recorded in {path.parent}"
        raise RecordError(f"{what}: {path.name}: {error.strerror}") from error
    try:
        records = [parse_json(line) for line in lines]
    except ValueError as error:
        raise RecordError(f"{path} is damaged: {error}") from error
    if not all(isinstance(record, dict) and "record" in record for record in records):
        raise RecordError(f"{path} is damaged: a line is not a record")
    if not records or records[0]["record"] != "episode":
        raise RecordError(f"{path} does not begin with an episode")
    _check_version(path, records[0].get("schema_version"))
    return records


def _check_version(path: Path, version: Any) -> None:
    """Refuse a newer major version; a newer minor version only adds fields."""
    number = isinstance(version, int | float) and not isinstance(version, bool)
    if not number or not 1 <= version < SCHEMA_VERSION + 1:
        msg = (
            f"{path} has schema version {version!r}; this version of pytest-mobileagent reads up "
            f"to {SCHEMA_VERSION}: install a newer one"
        )
        raise RecordError(msg)


def _known(what: str, record: Mapping[str, Any], types: Mapping[str, Any]) -> dict[str, Any]:
    """Return the known fields of a record, after checking their types."""
    return {n: expect(record[n], kind, f"{what}.{n}") for n, kind in types.items() if n in record}


def _unknown(record: Mapping[str, Any], *known: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in {"record", *known}}


def _about(head: Mapping[str, Any]) -> dict[str, Any]:
    extra = _unknown(head, "schema_version", "case", "device", "reset", *_HEAD)
    device = read_as(DeviceInfo, head["device"], "device")
    for name, cls in (("device", DeviceInfo), ("reset", Reset)):
        if beyond := _unknown(head.get(name) or {}, *kinds_of(cls)):
            extra[name] = beyond
    width, height = device.size
    return {
        "case": Case.from_json(head["case"]),
        "device": replace(device, size=(width, height)),
        "reset": read_as(Reset, head["reset"], "reset") if head.get("reset") else None,
        "extra": extra,
        **_known("episode", head, _HEAD),
    }


def _ending(end: Mapping[str, Any]) -> dict[str, Any]:
    known = _known("end", end, _END)
    extra = _unknown(end, *_END)
    word = known.get("termination", Termination.INTERRUPTED)
    if word not in list(Termination):  # from a newer version
        extra["termination"], word = word, Termination.INTERRUPTED
    return {
        **known,
        "termination": Termination(word),
        "unused": tuple(map(ModelCall.from_json, known.get("unused", ()))),
        "extra": {"end": extra} if extra else {},
    }


def _screen(screens: ScreenStore, where: str, record: Mapping[str, Any]) -> Screen:
    known = _known("observation", record, _OBSERVATION)
    pages = _known("observation", record, _PAGES)
    about = {
        "time": datetime.fromisoformat(known["time"]) if known["time"] else None,
        "page": pages.get("page", ""),
        "notice": known.get("notice", ""),
        "same": tuple(expect(each, str, "observation.same") for each in pages.get("same", ())),
    }

    def screen(each: Mapping[str, Any], beneath: Screen | None = None) -> Screen:
        name, size = each["png"], each.get("size")
        screens.found(*((name, ".png") if size is None else (each["xml"], ".xml")))
        xml = screens.read(each["xml"], ".xml").decode("utf-8")
        place = {name: each[name] for name in ("package", "activity")}
        attributes: dict[str, Any] = {**about, **place, "where": where, "beneath": beneath}
        if size is not None:
            width, height = (expect(length, int, "observation.size") for length in size)
            return Screen(xml, b"", **attributes, extent=(width, height))
        return Screen.recorded(xml, name, partial(screens.read, name, ".png"), **attributes)

    own = expect(record.get("beneath"), dict | None, "observation.beneath")
    return screen(known, None if own is None else screen(_known("beneath", own, _BENEATH)))


def _steps(
    records: Sequence[Mapping[str, Any]],
    screens: Sequence[Screen],
    seen: Sequence[Mapping[str, Any]],
) -> Iterator[Step]:
    pending: list[dict[str, Any]] = []
    for record in records:
        match record["record"]:
            case "step":
                pending.append(_step(record, len(pending), screens, seen))
            case "noise" if pending:
                pending[-1]["noise"] = read_as(Noise, record, "noise")
            case "events" if pending:
                pending[-1]["events"] += map(event.from_json, record["events"])
            case "log" if pending:
                number = expect(record.get("step", len(pending)), int, "log.step")
                step = pending[max(0, min(number, len(pending)) - 1)]
                step["crashes"] += map(Crash.from_json, record.get("crashes", ()))
                step["log"] += map(LogLine.from_json, record.get("lines", ()))
            case "outcome" if pending:
                pending[-1] |= _outcome(record)
                pending[-1]["extra"] |= _unknown(record, *_OUTCOME, *_OUTCOME_LISTED)
    listed = ("events", "crashes", "log")
    return (Step(**each | {name: tuple(each[name]) for name in listed}) for each in pending)


def _outcome(record: Mapping[str, Any]) -> dict[str, Any]:
    listed = _known("outcome", record, _OUTCOME_LISTED)
    found = _known("outcome", record, _OUTCOME)
    if "answers" in listed:
        found["answers"] = tuple(expect(each, str | None, "answers") for each in listed["answers"])
    if "user_calls" in listed:
        found["user_calls"] = tuple(map(ModelCall.from_json, listed["user_calls"]))
    return found


def _action(recorded: Mapping[str, Any]) -> Action:
    """Return a recorded action, or a Raw action if a string or a number has the wrong type."""
    whole = all(isinstance(recorded[name], str) for name in _TEXTS & recorded.keys())
    at = recorded.get("at")
    points = [recorded[name] for name in _NUMBERS & recorded.keys()]
    points += at if isinstance(at, list) and len(at) == 2 else [] if at is None else [at]
    whole = whole and all(isinstance(point, int | float) for point in points)
    return from_json(recorded) if whole else Raw(to_line(recorded))


def _golden(recorded: Mapping[str, Any]) -> Golden:
    try:
        return golden_from_json(recorded)
    except TaskError as error:
        raise ValueError(str(error)) from None


def _step(
    record: Mapping[str, Any],
    number: int,
    screens: Sequence[Screen],
    seen: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    known = _known("step", record, _STEP)
    optional = _known("step", record, _STEP_OPTIONAL)
    if "golden" in optional:
        optional["golden"] = _golden(optional["golden"])
    # There is no screen after a final report, or if the record was cut off.
    led_to = min(number + 1, len(screens) - 1)
    return {
        "screen": screens[number],
        "actions": tuple(map(_action, known["actions"])),
        "said": known["said"],
        "calls": tuple(map(ModelCall.from_json, known["calls"])),
        "seconds_thinking": known["seconds"],
        "seconds_acting": seen[led_to]["seconds"] if led_to > number else 0.0,
        "probes": seen[led_to]["probes"],
        "events": [],
        "crashes": [],
        "log": [],
        "told": expect(seen[number].get("told", ""), str, "observation.told"),
        "extra": _unknown(record, *_STEP, *_STEP_OPTIONAL),
        **optional,
    }
