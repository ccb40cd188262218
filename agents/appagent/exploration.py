"""AppAgent's exploration: it reflects on the effect of each gesture, and documents it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent import LongPress, Swipe, Tap
from pytest_mobileagent.agent import Image, Message, ask
from pytest_mobileagent.dialect import AppAgentReflection, Frame
from pytest_mobileagent.perception import Mark, draw_appagent, encode

from .documents import names_of
from .prompts import reflection_prompt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent import Action, Screen
    from pytest_mobileagent.agent import Model
    from pytest_mobileagent.dialect import Decision

    from .documents import Documents, Gesture


@dataclass(frozen=True, slots=True)
class Gestured:
    """The last gesture, and the screen before it."""

    gesture: Gesture
    label: str
    name: str
    before: Image
    marks: tuple[Mark, ...]
    package: str
    summary: str


class Exploration:
    """The gestures of one episode: the one to reflect on, and those that had no effect.

    Source: self_explorer.py of the released code. Typing is not reflected upon. The picture after a
    gesture has the numbers of the elements before it.
    """

    def __init__(self, documents: Documents | None) -> None:
        self.pending: Gestured | None = None
        self._documents = documents
        self._useless: set[str] = set()

    def left(self, marks: Sequence[Mark], screen: Screen) -> tuple[Mark, ...]:
        """Return the marks, renumbered, without the elements on which gestures had no effect."""
        names = names_of(marks, screen)
        left = [mark for mark in marks if names.get(mark.label) not in self._useless]
        return tuple(Mark(str(n), mark.bounds, mark.element) for n, mark in enumerate(left, 1))

    def note(
        self, decision: Decision, before: Image, marks: Sequence[Mark], screen: Screen
    ) -> None:
        """Record a decision made on a screen, to reflect on it once it has been performed."""
        self.pending = None
        names = names_of(marks, screen)
        for action in decision.actions[:1]:
            gesture, place = _gesture(action)
            mark = next((mark for mark in marks if mark.bounds.center == place), None)
            if gesture and mark and mark.label in names:
                self.pending = Gestured(
                    gesture,
                    mark.label,
                    names[mark.label],
                    before,
                    tuple(marks),
                    screen.package,
                    decision.said.get("summary", ""),
                )

    def reflect(self, model: Model, screen: Screen, goal: str, options: Any) -> Decision:
        """Ask what the last gesture did, document it, and return what to do next."""
        done, self.pending = self.pending, None
        assert done is not None
        after = Image(encode(draw_appagent(screen.image, done.marks, options.dark)))
        prompt = reflection_prompt(done.gesture, done.label, done.summary, goal)
        messages = [Message("user", (prompt, done.before, after))]
        frame = Frame.of(screen, done.marks)
        decision = ask(model, messages, AppAgentReflection(), frame, options)
        if decision.signal in ("back", "continue", "ineffective"):
            self._useless.add(done.name)
        if self._documents and (words := decision.said.get("documentation")):
            self._documents.write(done.name, done.package, done.gesture, words)
        return decision


def _gesture(action: Action) -> tuple[Gesture | None, tuple[int, int]]:
    match action:
        case Tap(x, y):
            return "tap", (x, y)
        case LongPress(x, y):
            return "long_press", (x, y)
        case Swipe(x1, y1, x2, y2):
            return ("v_swipe" if abs(y2 - y1) > abs(x2 - x1) else "h_swipe"), (x1, y1)
    return None, (0, 0)
