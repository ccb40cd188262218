"""A recording, as the page shows it: its data, and what the page asks to be done."""

from __future__ import annotations

import shlex
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action import Finish, Impossible, from_json
from pytest_mobileagent.action import check as checked
from pytest_mobileagent.arguments import program_name
from pytest_mobileagent.errors import DeviceError, HostError, MobileAgentError
from pytest_mobileagent.record.changes import Change, Check
from pytest_mobileagent.record.selectors import choose, literal, short_id, target_at, touchables
from pytest_mobileagent.record.source import RecordedTask, slug
from pytest_mobileagent.record.trial import FileTrials

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pytest_mobileagent.llm.model import Model
    from pytest_mobileagent.record.recording import Recording
    from pytest_mobileagent.record.selectors import Choice
    from pytest_mobileagent.record.source import WrittenTest
    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.screen.element import Element

_SHOWN = 80  # characters of a label
_NOON = 12
_MOST_ELEMENTS = 60  # elements of the last screen that are offered as checks


def elements_of(screen: Screen) -> list[dict[str, Any]]:
    """Return the touchable elements of a screen, for people who work with the keyboard."""
    try:
        found = touchables(screen)
    except MobileAgentError:
        return []
    return [{"bounds": [*e.bounds], "label": _named(e)[:_SHOWN]} for e in found]


def described(element: Element | None, choice: Choice) -> dict[str, Any]:
    """Return where an element is, and the selector that a task would use for it."""
    bounds = None if element is None else [*element.bounds]
    return {"bounds": bounds, "selector": str(choice), "warning": choice.warning}


def _named(element: Element) -> str:
    kind = element.class_name.rpartition(".")[2]
    return element.label or short_id(element) or f"({kind} without a name)"


class RecordService:
    """A recording, from the first touch to the trials of the written file.

    `release` returns the phone before the trials, which lease one themselves. `do` raises
    ValueError, LookupError or TypeError if a request is invalid, with the reason as its message,
    and MobileAgentError if it cannot be carried out.
    """

    def __init__(
        self,
        recording: Recording,
        file: Path,
        device: str,
        release: Callable[[], None],
        *,
        model: Model | None = None,
    ) -> None:
        self._model = model
        self.recording, self.file, self._device = recording, file, device
        self._release = release
        self._changes: dict[str, Change] = {}
        self._written: tuple[WrittenTest, list[str]] | None = None
        self.trial: FileTrials | None = None
        self.closed = threading.Event()
        self.lost = ""  # why the phone was lost

    @property
    def screen(self) -> Screen:
        """The current screen."""
        return self.recording.screen

    def state(self) -> dict[str, Any]:
        """Return the data for the page, except for the screenshot."""
        recording = self.recording
        return {
            "mode": "record",
            "phase": self._phase(),
            "number": recording.number,
            "size": [*recording.screen.size],
            "lost": self.lost,
            "file": str(self.file),
            "moves": [{"words": each.move, "warning": each.warning} for each in recording.done],
            "elements": elements_of(recording.screen),
            "apps": recording.installed,
            "proposes": self._model is not None,
            "readable": recording.is_readable,
            "checks": [self._offer(key, change) for key, change in self._changes.items()],
            "trials": self._trials(),
            "commands": self._commands(),
        }

    def _phase(self) -> str:
        if self.trial is not None:
            return "tried"
        return "work" if self.recording.ended is None else "checks"

    def _offer(self, key: str, change: Change) -> dict[str, Any]:
        return {
            "key": key,
            "where": change.where,
            "what": change.what,
            "test": change.check.test.replace("{probe}", f"probe({change.check.name})"),
            "volatile": change.is_volatile,
            "why": change.why,
            "screen": not change.check.probe,
        }

    def _trials(self) -> list[dict[str, Any]]:
        if self.trial is None or self._written is None:
            return []
        written, keys = self._written
        at_line = dict(zip(written.lines, keys, strict=False))
        return [
            {"title": o.title, "right": o.is_right, "words": o.words, "key": at_line.get(o.line)}
            for o in self.trial.outcomes
        ]

    def element(self, x: int, y: int) -> dict[str, Any]:
        """Return the element at a pixel, with the selector that a task would use for it."""
        screen = self.recording.screen
        element = target_at(screen, x, y)
        return described(element, choose(screen, element, x, y))

    def _commands(self) -> list[tuple[str, str]]:
        """Return what can be done with the written file: in words, and as a command."""
        if self.trial is None:
            return []
        file, app = str(self.file), self.recording.packages() or [self.recording.screen.package]
        again = [program_name("record"), f"--app={app[0]}", f"--device={self._device}", "-o"]
        return [
            ("Run an agent on it", shlex.join(["pytest", file, "--agent=NAME"])),
            ("Play its solution", shlex.join(["pytest", file, "--agent=oracle"])),
            ("Record another task", f"{again[0]} {shlex.join([*again[1:], 'test_OTHER.py'])}"),
        ]

    def do(self, what: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out a request of the page, and return the new state."""
        steps: dict[str, Callable[[Mapping[str, Any]], dict[str, Any] | None]] = {
            "act": self._act,
            "look": self._look,
            "refresh": self._look,
            "undo": self._undo,
            "finish": self._finish,
            "preview": self._preview,
            "propose": self._propose,
            "save": self._save,
            "close": lambda _: self.closed.set(),
        }
        try:
            more = steps[what](given) or {}
        except DeviceError as error:
            self.lost = str(error)
            raise
        return self.state() | more

    def _act(self, given: Mapping[str, Any]) -> None:
        self._must_be("work")
        self.recording.act(checked(from_json(given["action"]), self.recording.screen.size))

    def _look(self, given: Mapping[str, Any]) -> None:
        if self._phase() == "work":
            self.recording.look()

    def _undo(self, given: Mapping[str, Any]) -> None:
        if self.trial is not None:
            msg = "the task has been tried, and the phone returned: record the task again"
            raise ValueError(msg)
        if not self.recording.done:
            raise ValueError("there is no action to undo")
        self.recording.undo()
        self._changes = {}

    def _finish(self, given: Mapping[str, Any]) -> None:
        self._must_be("work")
        words = str(given.get("words", "")).strip()
        how = Impossible(words) if given.get("how") == "impossible" else Finish(words)
        found = [*self.recording.finish(how), *_on_screen(self.recording.screen)]
        self._changes = {str(number): change for number, change in enumerate(found)}

    def _must_be(self, phase: str) -> None:
        if self._phase() != phase:
            msg = "the work on the phone has ended" if phase == "work" else f"not in {phase}"
            raise ValueError(msg)

    def _task(self, given: Mapping[str, Any]) -> tuple[RecordedTask, list[str]]:
        keys = [key for key in self._changes if key in {str(k) for k in given.get("checks", ())}]
        recording = self.recording
        level = given.get("level")
        return RecordedTask(
            str(given.get("goal", "")),
            recording.packages() or [recording.screen.package],
            recording.done,
            recording.ended,
            [self._changes[key].check for key in keys],
            str(given.get("name", "")),
            level if level in (1, 2, 3) else None,
        ), keys

    def _preview(self, given: Mapping[str, Any]) -> dict[str, Any]:
        task, _ = self._task(given)
        return {"source": task.write().text, "missing": task.missing(), "name": slug(task.goal)}

    def _propose(self, given: Mapping[str, Any]) -> dict[str, Any]:
        if self._model is None:
            raise ValueError("no model was given: --model=PROVIDER:NAME")
        from pytest_mobileagent.record.proposal import propose  # needs an extra

        ended = self.recording.ended
        found = propose(
            self._model,
            [each.move for each in self.recording.done],
            [f"{c.where}: {c.what}" for c in self._changes.values() if not c.is_volatile],
            ended.answer if isinstance(ended, Finish) else "",
        )
        return {"proposal": found}

    def _save(self, given: Mapping[str, Any]) -> None:
        if self.recording.ended is None:
            raise ValueError('the work has not ended: press "The goal is met" first')
        if self.trial is not None and any(o.is_right is None for o in self.trial.outcomes):
            raise ValueError("the trials are still running: wait until they have ended")
        task, keys = self._task(given)
        if problem := task.missing():
            raise ValueError(problem)
        self._written = task.write(), keys
        text = self._written[0].text
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with self.file.open("w" if self.trial else "x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError:
            msg = f"{self.file} already exists and is not overwritten: move it away"
            raise HostError(msg) from None
        except OSError as error:
            msg = f"{self.file} cannot be written: {error.strerror}; fix that, and try again"
            raise HostError(msg) from error
        self._release()
        now = self.recording.screen.time
        self.trial = FileTrials(self.file, self._device, now is not None and now.hour >= _NOON)
        self.trial.start()


def _on_screen(screen: Screen) -> list[Change]:
    """Return the texts on a screen in the form of changes, because checks may assert them."""
    found = []
    try:
        named = [each for each in touchables(screen) if each.text or each.content_desc]
    except MobileAgentError:
        return []
    for element in named[:_MOST_ELEMENTS]:
        choice = replace(choose(screen, element, *element.bounds.center), warning="")
        if choice.at is not None or choice.nth or not choice.criteria:
            continue
        text = element.text or element.content_desc
        name = "text" if element.text else "content_desc"
        test = f"episode.screen.find({choice})"
        if name not in choice.criteria:
            test = f"episode.screen.get({choice}).{name} == {literal(text)}"
        found.append(Change("on the last screen", text[:_SHOWN], Check(test), "not a change"))
    return found
