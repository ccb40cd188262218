"""Episodes on disk: written as they happen, read back to equal objects.

One folder each, in the folder of a run:

    episode.jsonl      one record a line, in the order in which things happened:
                       {"record": "episode", "schema_version": 2, …}   what is known at the start
                       {"record": "observation", …}                    a screen, and the probes
                       {"record": "step", …}                           what the agent decided
                       {"record": "events", …}                         what the phone told of since
                       {"record": "end", …}                            why it ended
    screens/000-start.png, 000-start.xml, 001-tap.png, …    links to the screens, in order

Screens themselves are stored once in a run (see `episode.screens`). The first observation comes
before the first step, and one follows every step but the report of being done. Killing the writer
leaves a prefix that can be read: a last line that is not whole is left out.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, fields, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_mobileagent.action.action import from_json, to_json
from pytest_mobileagent.episode import event
from pytest_mobileagent.episode.calls import ModelCall
from pytest_mobileagent.episode.device_info import DeviceInfo
from pytest_mobileagent.episode.migrate import SCHEMA_VERSION, migrate
from pytest_mobileagent.episode.record import EpisodeRecord, Step, Termination
from pytest_mobileagent.episode.reset import Reset
from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.plain import to_line, to_wire
from pytest_mobileagent.screen.screen import Screen
from pytest_mobileagent.task.case import Case

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.episode.event import Event
    from pytest_mobileagent.task.probe import Value

STREAM = "episode.jsonl"
E = TypeVar("E", bound=EpisodeRecord)
_HEAD = ("agent", "options", "seed", "attempt", "recorded", "goal", "step_limit")
_STEP = ("record", "actions", "said", "notice", "calls", "seconds", "reply")
_END = ("record", "termination", "error", "seconds", "unused")


class Recorder:
    """Writes one episode into a new folder, as it happens; `screens` is the run's store of them.

    Raises:
        HostError: the folder cannot be written to, or holds an episode.
    """

    def __init__(self, folder: Path, screens: ScreenStore) -> None:
        self.folder = folder
        self._screens = screens
        self._count = 0
        self._name = "start"
        try:
            (folder / "screens").mkdir(parents=True, exist_ok=True)
            self._stream = (folder / STREAM).open("x", encoding="utf-8")
        except OSError as error:
            msg = f"cannot record an episode in {folder}: {error}"
            raise HostError(msg) from error

    def start(self, case: Case, device: DeviceInfo, reset: Reset, head: Mapping[str, Any]) -> None:
        """Write what is known at the start; `head` holds goal, agent, seed and the like."""
        about = {"case": case.to_json(), "device": asdict(device), "reset": reset.to_json()}
        self._write("episode", {"schema_version": SCHEMA_VERSION, **head, **about})

    def observation(
        self, screen: Screen, probes: Mapping[str, Value], seconds: float = 0.0
    ) -> Screen:
        """Write what the device shows, and return the screen with the place where it is recorded.

        `seconds` went by from the decision before it until it was made.
        """
        png, xml = self._screens.add(screen)
        name = f"{self._count:03}-{self._name}"
        self._screens.link(self.folder / "screens" / name, png, xml)
        self._write(
            "observation",
            {
                "png": png,
                "xml": xml,
                "package": screen.package,
                "activity": screen.activity,
                "time": screen.time and screen.time.isoformat(),
                "probes": probes,
                "seconds": seconds,
            },
        )
        self._count += 1
        return replace(screen, where=_where(self._count, self._screens.path(png, ".png")))

    def step(
        self, actions: Sequence[Action], said: str, calls: Sequence[ModelCall], seconds: float
    ) -> None:
        """Write what the agent decided, before it is done; `seconds` went by in the agent."""
        self._name = type(actions[0]).__name__.lower() if actions else "none"
        self._write(
            "step",
            {
                "actions": [to_json(action) for action in actions],
                "said": said,
                "calls": [call.to_json() for call in calls],
                "seconds": seconds,
            },
        )

    def outcome(self, notice: str, reply: str | None) -> None:
        """Write why the last decision could not be done, or what the user replied to it."""
        if notice or reply is not None:
            self._write("outcome", {"notice": notice, "reply": reply})

    def events(self, events: Sequence[Event]) -> None:
        """Write what the phone told of since the last step was decided."""
        if events:
            self._write("events", {"events": [event.to_json(each) for each in events]})

    def end(
        self,
        termination: Termination,
        error: str,
        seconds: float,
        unused: Sequence[ModelCall] = (),
    ) -> None:
        """Write why the episode ended, and close the record.

        `unused` are the calls of a decision that the step limit forbade.
        """
        ending = {"termination": termination, "error": error, "seconds": seconds}
        self._write("end", ending | {"unused": [call.to_json() for call in unused]})
        self.close()

    def close(self) -> None:
        """Close the record, ended or not."""
        with contextlib.suppress(OSError):  # what could not be written has been reported
            self._stream.close()

    def _write(self, record: str, content: Mapping[str, Any]) -> None:
        try:
            self._stream.write(to_line({"record": record, **content}) + "\n")
            self._stream.flush()
        except OSError as error:
            msg = f"cannot write to {self.folder / STREAM}: {error}"
            raise HostError(msg) from error


def read(folder: Path, kind: type[E]) -> E:
    """Read an episode back as an object of `kind`, or as much of it as was written.

    Raises:
        RecordError: there is no episode in the folder, not even a first screen, or one of a newer
            major version.
    """
    try:
        head, *records = migrate(_records(folder / STREAM))
        seen = [record for record in records if record["record"] == "observation"]
        if not seen:
            msg = f"{folder / STREAM} stops before the first screen"
            raise RecordError(msg)
        end = next((record for record in records if record["record"] == "end"), {})
        screens = ScreenStore.of_episode(folder)
        shown = [_screen(screens, number, record) for number, record in enumerate(seen, 1)]
        steps = tuple(_steps(records, shown, seen))
        return kind(
            folder=folder,
            screen=shown[-1],
            steps=steps,
            initial_probes=seen[0]["probes"],
            started=shown[0].time,
            **_about(head),
            **_ending(end),
        )
    except RecursionError as error:
        msg = f"{folder / STREAM} is damaged: it is nested too deeply"
        raise RecordError(msg) from error
    except (LookupError, TypeError, ValueError, AttributeError, OSError) as error:
        msg = f"{folder} does not hold a whole record: {type(error).__name__}: {error}"
        raise RecordError(msg) from error


def _records(path: Path) -> list[dict[str, Any]]:
    try:
        # Only "\n" ends a line: what agents say may hold all other line ends of Unicode.
        *lines, _ = path.read_bytes().decode("utf-8", "replace").split("\n")
    except OSError as error:
        msg = f"no episode is recorded in {path.parent}: {error.strerror}"
        raise RecordError(msg) from error
    try:
        records = [json.loads(line) for line in lines]
    except ValueError as error:
        msg = f"{path} is damaged: {error}"
        raise RecordError(msg) from error
    if not all(isinstance(record, dict) and "record" in record for record in records):
        msg = f"{path} is damaged: a line is no record"
        raise RecordError(msg)
    if not records or records[0]["record"] != "episode":
        msg = f"{path} does not begin with an episode"
        raise RecordError(msg)
    version = records[0].get("schema_version")
    if not isinstance(version, int) or version > SCHEMA_VERSION:
        msg = (
            f"{path} has schema version {version!r}; this version of pytest-mobileagent reads up "
            f"to {SCHEMA_VERSION}: install a newer one"
        )
        raise RecordError(msg)
    return records


def _about(head: Mapping[str, Any]) -> dict[str, Any]:
    known = {"record", "schema_version", "case", "device", "reset", *_HEAD}
    device = {each.name: head["device"][each.name] for each in fields(DeviceInfo)}
    return {
        "case": Case.from_json(head["case"]),
        "device": DeviceInfo(**device | {"size": tuple(device["size"])}),
        "reset": Reset.from_json(head["reset"]) if head.get("reset") else None,
        "extra": {name: value for name, value in head.items() if name not in known},
        **{name: head[name] for name in _HEAD if name in head},
    }


def _ending(end: Mapping[str, Any]) -> dict[str, Any]:
    termination = end.get("termination", Termination.INTERRUPTED)
    return {
        "termination": Termination(termination),
        "error": end.get("error", ""),
        "seconds": end.get("seconds", 0.0),
        "unused": tuple(map(ModelCall.from_json, end.get("unused", ()))),
    }


def _screen(screens: ScreenStore, number: int, record: Mapping[str, Any]) -> Screen:
    return Screen(
        xml=screens.path(record["xml"], ".xml").read_bytes().decode("utf-8"),
        png=screens.path(record["png"], ".png").read_bytes(),
        package=record["package"],
        activity=record["activity"],
        time=datetime.fromisoformat(record["time"]) if record["time"] else None,
        where=_where(number, screens.path(record["png"], ".png")),
    )


def _steps(
    records: Sequence[Mapping[str, Any]],
    shown: Sequence[Screen],
    seen: Sequence[Mapping[str, Any]],
) -> Iterator[Step]:
    number = -1
    pending: dict[str, Any] = {}
    for record in (*records, {"record": "step"}):
        if record["record"] == "step":
            if pending:
                yield Step(**pending | {"events": tuple(pending["events"])})
            if "actions" not in record:
                return
            number += 1
            pending = _step(record, number, shown, seen)
        elif record["record"] == "events" and pending:
            pending["events"] += map(event.from_json, record["events"])
        elif record["record"] == "outcome" and pending:
            pending |= {"notice": record["notice"], "reply": record["reply"]}


def _step(
    record: Mapping[str, Any],
    number: int,
    shown: Sequence[Screen],
    seen: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    # Nothing was seen after a report of being done, or when the record was cut off.
    led_to = min(number + 1, len(shown) - 1)
    return {
        "screen": shown[number],
        "actions": tuple(map(from_json, record["actions"])),
        "said": record["said"],
        "calls": tuple(map(ModelCall.from_json, record["calls"])),
        "seconds_thinking": record["seconds"],
        "seconds_acting": seen[led_to]["seconds"] if led_to > number else 0.0,
        "probes": to_wire(seen[led_to]["probes"]),
        "events": [],
        "extra": {name: value for name, value in record.items() if name not in _STEP},
    }


def _where(number: int, path: Path) -> str:
    return f"step {number}: {path}"
