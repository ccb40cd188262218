"""Stores episodes on disk while they happen; `reader` reads them back.

There is one folder per episode, in the folder of a run:

    episode.jsonl      one record per line, in chronological order:
                       {"record": "episode", "schema_version": 2, …}   what is known at the start
                       {"record": "observation", …}                    a screen, and the probes
                       {"record": "step", …}                           the agent's decision
                       {"record": "outcome", …}                        what could not be performed
                       {"record": "noise", …}                          noise that it met
                       {"record": "events", …}                         the phone's events since then
                       {"record": "log", …}                            the phone's log since then
                       {"record": "end", …}                            why it ended
    calls.jsonl        prompts and replies of models (see `episode.exchanges`)
    screens/000-start.png, 000-start.xml, 001-tap.png, …    links to the screens, in order

For a screen without a screenshot, `png` is empty, and `size` is its width and height.

The screens themselves are stored once per run (see `episode.screens`). The first observation
precedes the first step, and one follows every step except the final report. If the writer is
killed, the rest is a readable prefix: an incomplete last line is ignored.

Long strings of an agent are recorded without their middle.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, TextIO

from pytest_mobileagent.action import to_json
from pytest_mobileagent.action.matching import golden_to_json
from pytest_mobileagent.episode import event
from pytest_mobileagent.episode.migrate import SCHEMA_VERSION
from pytest_mobileagent.episode.redaction import redacted
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.fileio import writing
from pytest_mobileagent.jsonable import to_line, to_wire

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent._task import Value
    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.action import Action
    from pytest_mobileagent.action.matching import Golden
    from pytest_mobileagent.episode import Termination
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.episode.event import Crash, Event, LogLine
    from pytest_mobileagent.episode.observation import DeviceInfo, Noise, Reset
    from pytest_mobileagent.episode.screens import ScreenStore
    from pytest_mobileagent.screen import Screen


# Maximum characters recorded of an agent's text, or of text in an action; and of an error.
MOST_SAID, MOST_OF_ERROR = 100_000, 20_000
_BEYOND = 10_000  # characters after a cut that redaction looks at to recognise a secret at the cut


def cut(text: str, most: int) -> str:
    """Return the text, without its middle if it has more than `most` characters.

    The text is redacted before it is cut, so that no part of a secret remains at the cut.
    """
    if len(text) <= most:
        return text
    half = most // 2
    beginning, end = redacted(text[:most])[:half], redacted(text[-most:])[-half:]
    return f"{beginning}\n… {len(text) - 2 * half} characters are left out …\n{end}"


def shortened(text: str, most: int) -> str:
    """Return the beginning of text with more than `most` characters, redacted as in `cut`."""
    return text if len(text) <= most else f"{redacted(text[: most + _BEYOND])[:most]}…"


def cut_texts(value: Any, most: int = MOST_SAID) -> Any:
    """Return plain data with every text in it cut (see `cut`)."""
    match value:
        case str():
            return cut(value, most)
        case dict():
            return {name: cut_texts(item, most) for name, item in value.items()}
        case list() | tuple():
            return [cut_texts(item, most) for item in value]
    return value


STREAM = "episode.jsonl"


class Recorder:
    """Writes one episode into a folder, while it happens; `screens` is the run's screen store.

    Nothing is written before the episode starts.

    Raises:
        HostError: from all methods, if the folder cannot be written.
    """

    def __init__(self, folder: Path, screens: ScreenStore) -> None:
        self.folder = folder
        self.screens = screens
        self._count = 0
        self._name = "start"
        self._stream: TextIO | None = None

    def start(self, case: Case, device: DeviceInfo, reset: Reset, head: Mapping[str, Any]) -> None:
        """Write what is known at the start; `head` contains the goal, agent, seed and so on.

        Raises:
            HostError: if the folder cannot be written, or already contains an episode.
        """
        try:
            (self.folder / "screens").mkdir(parents=True, exist_ok=True)
            self._stream = (self.folder / STREAM).open("x", encoding="utf-8")
        except OSError as error:
            raise HostError(f"cannot record an episode in {self.folder}: {error}") from error
        about = {"case": case.to_json(), "device": asdict(device), "reset": reset.to_json()}
        self._write("episode", {"schema_version": SCHEMA_VERSION, **head, **about})

    def copy(self, folder: Path, screens: ScreenStore, case: Case) -> Recorder:
        """Return a recorder that goes on in a copy of the episode's folder and screens, as a case.

        Raises:
            HostError: if the folder cannot be written.
        """
        other = Recorder(folder, screens)
        other._count, other._name = self._count, self._name
        try:
            line, _, rest = (folder / STREAM).read_text("utf-8").partition("\n")
            head = json.loads(line)  # which is redacted already, so it is written as it is
            head["case"] |= {"nodeid": case.nodeid, "epoch": case.epoch}
            other._stream = (folder / STREAM).open("w", encoding="utf-8")
            other._stream.write(f"{to_line(head)}\n{rest}")
        except OSError as error:
            raise HostError(f"cannot record an episode in {folder}: {error}") from error
        return other

    def observation(
        self,
        screen: Screen,
        probes: Mapping[str, Value],
        seconds: float = 0.0,
        before: str = "",
        told: str = "",
        *,
        again: bool = False,
    ) -> Screen:
        """Write a screen of the device, and return it with the place where it is recorded.

        With `again`, it replaces the last screen, as no step was made since.

        `seconds` elapsed since the previous decision. `before` is the id of the recorded page that
        the agent is shown beside it, and `told` what the user says without being asked.
        """
        self._count -= again
        png, xml = self.screens.add(screen)
        name = f"{self._count:03}-{self._name}"
        self.screens.link(self.folder / "screens" / name, png, xml)
        seen = {
            "png": png,
            "xml": xml,
            "package": screen.package,
            "activity": screen.activity,
            "time": screen.time and screen.time.isoformat(),
            "probes": probes,
            "seconds": seconds,
        }
        more: dict[str, Any] = {"page": screen.page, "same": screen.same, "before": before}
        more |= {"size": screen.extent, "told": told, "notice": screen.notice, "again": again}
        known = {name: value for name, value in more.items() if value}
        self._write("observation", seen | known | self._beneath(screen))
        self._count += 1
        return replace(screen, where=where(self._count, self.folder))

    def _beneath(self, screen: Screen) -> dict[str, Any]:
        """Store the phone's own screen if noise covered it, and return its record."""
        if (own := screen.beneath) is None:
            return {}
        png, xml = self.screens.add(own)
        seen = {"png": png, "xml": xml, "package": own.package, "activity": own.activity}
        return {"beneath": seen}

    def step(
        self,
        actions: Sequence[Action],
        said: str,
        calls: Sequence[ModelCall],
        seconds: float,
        *,
        counts: bool = True,
        golden: Golden | None = None,
    ) -> None:
        """Write the agent's decision before it is performed; `seconds` elapsed in the agent.

        On a golden path, `golden` is performed in its place. Long strings are cut (see `cut`).
        """
        done = actions if golden is None else (golden.action,)
        self._name = type(done[0]).__name__.lower() if done else "none"
        content: dict[str, Any] = {
            "actions": cut_texts([to_json(action) for action in actions]),
            "said": cut(said, MOST_SAID),
            "calls": [call.to_json() for call in calls],
            "seconds": seconds,
        }
        content |= {} if counts else {"counts": False}
        content |= {} if golden is None else {"golden": golden_to_json(golden)}
        self._write("step", content)

    def outcome(
        self,
        notice: str,
        reply: str | None,
        undone: int = 0,
        answers: Sequence[str | None] = (),
        calls: Sequence[ModelCall] = (),
    ) -> None:
        """Write why the last `undone` actions could not be performed, or the user's reply.

        `answers` has one for each question of the step, None if unanswered; `calls` are those of
        the model that plays the user.
        """
        if notice or reply is not None:
            fields = {"notice": cut(notice, MOST_OF_ERROR), "reply": reply, "undone": undone}
            listed = {"answers": answers, "user_calls": [call.to_json() for call in calls]}
            asked = {name: value for name, value in listed.items() if value}
            self._write("outcome", {**fields, **asked})

    def lost(self, notice: str) -> None:
        """Write that the last decision was performed, but seems to have had no effect."""
        self._write("outcome", {"notice": cut(notice, MOST_OF_ERROR)})

    def noise(self, noise: Noise) -> None:
        """Write the noise that the last step met, and the agent's reaction to it."""
        self._write("noise", noise.to_json())

    def events(self, events: Sequence[Event]) -> None:
        """Write the events that the phone reported since the last decision."""
        if events:
            self._write("events", {"events": [event.to_json(each) for each in events]})

    def log(
        self,
        crashes: Sequence[Crash],
        lines: Sequence[LogLine],
        left_out: int = 0,
        *,
        step: int | None = None,
    ) -> None:
        """Write the crashes, and the lines of the log, since the last decision.

        `left_out` lines before them are not recorded. `step` is given, as a number from 1, if they
        belong to an earlier step.
        """
        if crashes or lines:
            content: dict[str, Any] = {
                "crashes": [crash.to_json() for crash in crashes],
                "lines": [line.to_json() for line in lines],
            }
            content |= {"left_out": left_out} if left_out else {}
            content |= {} if step is None else {"step": step}
            self._write("log", content)

    def end(
        self,
        termination: Termination,
        error: str,
        seconds: float,
        unused: Sequence[ModelCall] = (),
        *,
        is_logged: bool = False,
        golden_left: int = 0,
        measured: Mapping[str, Value] | None = None,
    ) -> None:
        """Write why the episode ended, and close the record.

        `unused` are the calls of a decision beyond the step limit; `is_logged` says whether the
        phone's log could always be read. `golden_left` counts the golden steps that were not
        reached, and `measured` are the values of measures after the last screen.
        """
        cause = {"termination": termination, "error": cut(error, MOST_OF_ERROR)}
        ending = {**cause, "seconds": seconds, "is_logged": is_logged}
        ending |= {"golden_left": golden_left} if golden_left else {}
        ending |= {"measured": measured} if measured else {}
        self._write("end", ending | {"unused": [call.to_json() for call in unused]})
        self.close()

    def close(self) -> None:
        """Close the record, whether or not the episode has ended."""
        if self._stream is not None:
            with contextlib.suppress(OSError):  # write errors have been reported already
                self._stream.close()

    def _write(self, record: str, content: Mapping[str, Any]) -> None:
        assert self._stream is not None, "the episode has not started"
        with writing(self.folder / STREAM):
            safe = redacted(to_wire({"record": record, **content}))
            self._stream.write(to_line(safe) + "\n")
            self._stream.flush()


def where(number: int, episode: Path) -> str:
    """Return where a screen is recorded, for messages: its number from 1, and the episode's folder.

    The screen's own file would be renamed when it is packed.
    """
    return f"step {number}: {episode}"
