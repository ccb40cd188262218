"""The recording of a task: a person's actions on the phone, as the moves of a solution."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_mobileagent._task import DEFAULT_SNAPSHOT
from pytest_mobileagent.action import (
    Action,
    Finish,
    Impossible,
    Key,
    Open,
    Type,
    from_json,
    to_json,
)
from pytest_mobileagent.action.gestures import LongPress, Swipe, Tap
from pytest_mobileagent.device.device import system_of
from pytest_mobileagent.device.state import StateReader
from pytest_mobileagent.errors import HostError, RecordError, ScreenError
from pytest_mobileagent.fileio import read_json, write_json
from pytest_mobileagent.record.changes import Change, changes
from pytest_mobileagent.record.selectors import choose, literal, target_at
from pytest_mobileagent.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_mobileagent.device.device import Device

_STRAIGHT = 3  # a scroll is this many times as long along one axis as along the other
_NOT_APPS = ("com.android.systemui", "com.google.android.inputmethod")


@dataclass(frozen=True, slots=True)
class Done:
    """An action of a person on this phone, and the corresponding move of a solution."""

    action: Action
    move: str
    warning: str = ""


@dataclass
class Recording:
    """The recording of a task on a leased device.

    Several threads of the page's server use it, so a lock guards the phone. If a `draft` file is
    given, all actions are saved in it, and the recording can be continued later.

    Raises:
        DeviceError: if the phone does not answer.
    """

    device: Device
    apps: tuple[str, ...] = ()
    snapshot: str = DEFAULT_SNAPSHOT
    draft: Path | None = None
    done: list[Done] = field(default_factory=list)
    ended: Finish | Impossible | None = None

    def __post_init__(self) -> None:
        self._lock = threading.RLock()
        self.number = 0  # of the current screen, which increases whenever the screen changes
        self._field: tuple[object, ...] | None = None  # that had the focus after the last action
        self.screen = Screen("", b"")
        self._begin()

    def _begin(self) -> None:
        system = system_of(self.device)
        system.reset(self.snapshot, self.apps)
        self.before, self._known = StateReader().read(system), set[str]()
        self.installed = sorted(self.before.packages)
        self._look()

    @property
    def is_readable(self) -> bool:
        """Whether the phone's state can be read, which is necessary to find changes."""
        return bool(self.before.settings)

    def look(self) -> Screen:
        """Observe the phone again, because its screen may have changed by itself.

        Raises:
            DeviceError: if the phone does not answer.
        """
        with self._lock:
            return self._look()

    def act(self, action: Action) -> Done:
        """Perform an action, and return it with the corresponding move of a solution.

        What is typed in a field before anything else is done there becomes a single action.

        Raises:
            DeviceError: if the phone does not answer, or cannot perform the action.
            ValueError: if a solution has no such move.
        """
        with self._lock:
            whole = self._continued(action)
            done = as_move(whole or action, self.screen, self.apps[:1])
            self._perform(action, done, replaces=bool(whole))
            self._keep()
            return done

    def _continued(self, action: Action) -> Type | None:
        """Return the last text together with what is now typed after it, in the same field."""
        last = self.done[-1].action if self.done else None
        if not isinstance(last, Type) or last.enter or last.at or self._field != self._focused():
            return None
        match action:
            case Type(text, None, False, enter):
                return replace(last, text=last.text + text, enter=enter)
            case Key("enter"):
                return replace(last, enter=True)
            case Key("delete") if len(last.text) > 1:
                return replace(last, text=last.text[:-1])
        return None

    def _focused(self) -> tuple[object, ...] | None:
        with suppress(ScreenError):
            for each in self.screen.elements:
                if each.focused:
                    return self.screen.package, each.resource_id or each.bounds, each.class_name
        return None

    def _perform(self, action: Action, done: Done, *, replaces: bool = False) -> None:
        self._meet(action.app if isinstance(action, Open) else "")
        self.device.perform(action)
        self.done[len(self.done) - replaces :] = [done]
        self._look()
        self._field = self._focused()

    def undo(self) -> None:
        """Undo the last action: reset the phone to the snapshot, and repeat the other actions.

        Raises:
            DeviceError: if the phone does not answer.
        """
        with self._lock:
            before = self.done[:-1]
            self.done, self.ended = [], None
            self._replay(before)

    def resume(self, done: Sequence[Done]) -> None:
        """Repeat the actions of an earlier recording, to continue from there.

        Raises:
            DeviceError: if the phone does not answer.
        """
        with self._lock:
            self._replay(done)

    def _replay(self, done: Sequence[Done]) -> None:
        self._begin()
        for each in done:
            self._perform(each.action, each)
        self._keep()

    def finish(self, how: Finish | Impossible) -> list[Change]:
        """End the work on the phone, and return the changes that it made.

        Raises:
            DeviceError: if the phone does not answer.
        """
        with self._lock:
            system = system_of(self.device)
            self.ended = how
            after = StateReader().read(system)
            self._look()
            return changes(*(each.of_apps(self._known) for each in (self.before, after)))

    def packages(self) -> list[str]:
        """Return the apps that were used, the first one first."""
        used = [*self.apps, *(d.action.app for d in self.done if isinstance(d.action, Open))]
        return list(dict.fromkeys(used))

    def _look(self) -> Screen:
        screen = self.device.observe().screen
        if self.number == 0 or (screen.png, screen.xml) != (self.screen.png, self.screen.xml):
            self.number += 1
        self.screen = screen
        self._meet(screen.package)
        return screen

    def _meet(self, package: str) -> None:
        """Note that something is done in an app, whose data may change."""
        if package and not package.startswith(_NOT_APPS):
            self._known.add(package)

    def _keep(self) -> None:
        if self.draft is not None:
            moves = [{**asdict(each), "action": to_json(each.action)} for each in self.done]
            try:
                write_json(self.draft, {"apps": self.apps, "done": moves})
            except OSError as error:
                raise HostError(f"{self.draft} cannot be written: {error.strerror}") from error


def read_draft(path: Path) -> tuple[tuple[str, ...], list[Done]]:
    """Return the apps and the actions of an unfinished recording.

    Raises:
        RecordError: if the file is not a recording, or is damaged.
    """
    try:
        whole = read_json(path)
        done = [Done(from_json(d["action"]), d["move"], d["warning"]) for d in whole["done"]]
        return tuple(map(str, whole["apps"])), done
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise RecordError(f"{path} is not a recording that can be continued: {error}") from error


def as_move(action: Action, screen: Screen, app: Sequence[str] = ()) -> Done:
    """Return an action with the corresponding move of a solution.

    Raises:
        ValueError: if a solution has no such move.
        ScreenError: if the view hierarchy cannot be read.
    """
    match action:
        case Tap(x, y) | LongPress(x, y):
            choice = choose(screen, target_at(screen, x, y), x, y)
            move = "tap" if isinstance(action, Tap) else "long_press"
            return Done(action, f"{move}({choice})", choice.warning)
        case Swipe(x1, y1, x2, y2):
            return Done(action, *_swiped((x1, y1), (x2, y2), screen))
        case Type(text, at, clear, enter):
            return Done(action, *_typed(text, at, clear, enter, screen))
        case Key(name):
            return Done(action, f"press({literal(name)})")
        case Open(package):
            return Done(action, "open_app()" if package in app else f"open_app({literal(package)})")
    raise ValueError(f"a solution has no move for {type(action).__name__}")


def _swiped(start: tuple[int, int], end: tuple[int, int], screen: Screen) -> tuple[str, str]:
    across, down = end[0] - start[0], end[1] - start[1]
    width, height = screen.size
    if abs(down) >= _STRAIGHT * abs(across) and abs(down) >= height / 8:
        return f'scroll("{"down" if down > 0 else "up"}")', ""
    if abs(across) >= _STRAIGHT * abs(down) and abs(across) >= width / 8:
        return f'scroll("{"right" if across > 0 else "left"}")', ""
    first, last = ((round(x / width, 3), round(y / height, 3)) for x, y in (start, end))
    return f"swipe({first}, {last})", "it uses coordinates, which may not fit other phones"


def _typed(
    text: str, at: tuple[int, int] | None, clear: bool, enter: bool, screen: Screen
) -> tuple[str, str]:
    words, warning = [literal(text)], ""
    if clear:
        words.append("clear=True")
    if enter:
        words.append("enter=True")
    if at is not None:
        choice = choose(screen, target_at(screen, *at), *at)
        if choice.at is None:
            words.append(str(choice))
        warning = choice.warning
    return f"type_text({', '.join(words)})", warning
