"""Episodes on disk: written as they happen, read back to equal objects.

One folder each:

    episode.jsonl      one record a line, in the order in which things happened:
                       {"record": "episode", "schema_version": 1, …}   what is known at the start
                       {"record": "look", …}                           a screen, and the probes
                       {"record": "step", …}                           what the agent decided
                       {"record": "events", …}                         what the phone told of since
                       {"record": "end", …}                            why it ended
    screens/HASH.png   screenshots, named by half the SHA-256 of their content: stored once
    screens/HASH.xml   view hierarchies, likewise

The first look comes before the first step, and one look follows every step but the report of
being done. Killing the writer leaves a prefix that can be read: a last line that is not whole is
left out.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from dataclasses import asdict, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action.action import from_json, to_json
from pytest_mobileagent.agent.agent import Reply, Usage
from pytest_mobileagent.device.device import Capture
from pytest_mobileagent.episode import event
from pytest_mobileagent.episode.device_info import DeviceInfo
from pytest_mobileagent.episode.episode import Episode, Step, TaskRecord, Termination
from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.plain import to_line, to_wire
from pytest_mobileagent.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.episode.event import Event

SCHEMA_VERSION = 1
_STREAM = "episode.jsonl"
_HEAD = ("agent", "seed", "epoch", "attempt", "recorded", "reset")


class Recorder:
    """Writes one episode into an empty folder, as it happens.

    Raises:
        HostError: the folder cannot be written to, or is not empty.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._looks = 0
        try:
            (folder / "screens").mkdir(parents=True)
            self._stream = (folder / _STREAM).open("x", encoding="utf-8")
        except OSError as error:
            msg = f"cannot record an episode in {folder}: {error}"
            raise HostError(msg) from error

    def start(self, task: TaskRecord, device: DeviceInfo, head: Mapping[str, Any]) -> None:
        """Write what is known at the start; `head` holds agent, seed, epoch and the like."""
        self._write(
            "episode",
            {
                "schema_version": SCHEMA_VERSION,
                **head,
                "task": asdict(task),
                "device": asdict(device),
            },
        )

    def look(self, observation: Capture, seconds: float = 0.0) -> Capture:
        """Write an observation, and return it with the place where its screen is recorded.

        `seconds` went by from the action before it until it was made.
        """
        screen = observation.screen
        png = self._store(screen.png, ".png")
        xml = self._store(screen.xml.encode("utf-8", "replace"), ".xml")
        self._write(
            "look",
            {
                "png": png,
                "xml": xml,
                "package": screen.package,
                "activity": screen.activity,
                "time": screen.time and screen.time.isoformat(),
                "probes": observation.probes,
                "seconds": seconds,
            },
        )
        where = _where(self._looks, self.folder, xml)
        self._looks += 1
        return Capture(replace(screen, where=where), to_wire(observation.probes))

    def step(self, reply: Reply, seconds: float) -> None:
        """Write what the agent decided, before it is done; `seconds` went by in the agent."""
        self._write(
            "step",
            {
                "action": to_json(reply.action),
                "said": reply.said,
                "usage": asdict(reply.usage),
                "seconds": seconds,
            },
        )

    def events(self, events: Sequence[Event]) -> None:
        """Write what the phone told of since the last step was decided."""
        if events:
            self._write("events", {"events": [event.to_json(each) for each in events]})

    def end(
        self, termination: Termination, error: str, seconds: float, unused: Usage | None = None
    ) -> None:
        """Write why the episode ended, and close the record.

        `unused` is what deciding on an action cost that the step limit forbade.
        """
        fields = {"termination": termination, "error": error, "seconds": seconds}
        self._write("end", fields | {"unused": asdict(unused or Usage())})
        self.close()

    def close(self) -> None:
        """Close the record, ended or not."""
        with contextlib.suppress(OSError):  # what could not be written has been told
            self._stream.close()

    def _write(self, record: str, fields: Mapping[str, Any]) -> None:
        try:
            self._stream.write(to_line({"record": record, **fields}) + "\n")
            self._stream.flush()
        except OSError as error:
            msg = f"cannot write to {self.folder / _STREAM}: {error}"
            raise HostError(msg) from error

    def _store(self, content: bytes, suffix: str) -> str:
        name = hashlib.sha256(content).hexdigest()[:32]
        path = self.folder / "screens" / f"{name}{suffix}"
        if not path.exists():
            part = path.with_suffix(".part")
            try:
                part.write_bytes(content)
                part.replace(path)
            except OSError as error:
                msg = f"cannot write {path}: {error}"
                raise HostError(msg) from error
        return name


def load(folder: Path) -> Episode:
    """Read an episode back, or as much of it as was written.

    Raises:
        RecordError: there is no episode in the folder, not even a first look, or one that a newer
            version of this package wrote.
    """
    records = _records(folder / _STREAM)
    head = records[0]
    looks = [r for r in records if r["record"] == "look"]
    decisions = [r for r in records if r["record"] == "step"]
    end = next((r for r in records if r["record"] == "end"), {})
    if not looks:
        msg = f"{folder / _STREAM} stops before the first look at the screen"
        raise RecordError(msg)
    try:
        observations = [_observation(folder, number, look) for number, look in enumerate(looks)]
        steps = tuple(_steps(looks, observations, decisions, _events(records)))
        return replace(_episode(head, observations, steps, end), folder=folder)
    except (LookupError, TypeError, ValueError, OSError) as error:
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
    if not records or records[0].get("record") != "episode":
        msg = f"{path} does not begin with an episode"
        raise RecordError(msg)
    version = records[0].get("schema_version")
    if version != SCHEMA_VERSION:
        msg = f"{path} has schema version {version}; this version reads {SCHEMA_VERSION}"
        raise RecordError(msg)
    return records


def _observation(folder: Path, number: int, look: Mapping[str, Any]) -> Capture:
    screens = folder / "screens"
    screen = Screen(
        xml=(screens / f"{look['xml']}.xml").read_bytes().decode("utf-8"),
        png=(screens / f"{look['png']}.png").read_bytes(),
        package=look["package"],
        activity=look["activity"],
        time=datetime.fromisoformat(look["time"]) if look["time"] else None,
        where=_where(number, folder, look["xml"]),
    )
    return Capture(screen, look["probes"])


def _episode(
    head: Mapping[str, Any],
    observations: list[Capture],
    steps: tuple[Step, ...],
    end: Mapping[str, Any],
) -> Episode:
    return Episode(
        task=TaskRecord(**dict(head["task"], apps=tuple(head["task"]["apps"]))),
        device=DeviceInfo(**dict(head["device"], size=tuple(head["device"]["size"]))),
        screen=observations[-1].screen,
        steps=steps,
        initial_probes=observations[0].probes,
        started=observations[0].screen.time,
        termination=Termination(end.get("termination", Termination.INTERRUPTED)),
        error=end.get("error", ""),
        seconds=end.get("seconds", 0.0),
        unused=Usage(**end.get("unused", {})),
        **{name: head[name] for name in _HEAD},
    )


def _events(records: list[dict[str, Any]]) -> list[list[Event]]:
    """Return the events of every step: those that were written behind it."""
    steps: list[list[Event]] = []
    for record in records:
        if record["record"] == "step":
            steps.append([])
        elif record["record"] == "events" and steps:
            steps[-1] += map(event.from_json, record["events"])
    return steps


def _steps(
    looks: list[dict[str, Any]],
    observations: list[Capture],
    decisions: list[dict[str, Any]],
    events: list[list[Event]],
) -> Iterator[Step]:
    for number, decision in enumerate(decisions):
        # Nothing was looked at after a report of being done, or when the record was cut off.
        led_to = min(number + 1, len(looks) - 1)
        yield Step(
            screen=observations[number].screen,
            action=from_json(decision["action"]),
            said=decision["said"],
            usage=Usage(**decision["usage"]),
            seconds_thinking=decision["seconds"],
            seconds_acting=looks[led_to]["seconds"] if led_to > number else 0.0,
            probes=observations[led_to].probes,
            events=tuple(events[number]),
        )


def _where(look: int, folder: Path, xml: str) -> str:
    return f"step {look + 1}: {folder / 'screens' / xml}.xml"
