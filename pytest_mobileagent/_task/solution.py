"""Scripted solutions: moves that look at the screen and return the next action."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from pytest_mobileagent._task.needs import choose
from pytest_mobileagent._task.wording import fill
from pytest_mobileagent.action import (
    Action,
    Ask,
    Finish,
    Impossible,
    Key,
    KeyName,
    Open,
    Type,
    Wait,
)
from pytest_mobileagent.action.gestures import Direction, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.action.matching import Golden, golden_on
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.screen.selector import RELATIONS, Selector

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_mobileagent.action.matching import Wanted
    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.screen.element import Element


Place = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Scene:
    """What a move can use: the screens so far, the task's apps and its parameters."""

    screens: tuple[Screen, ...]
    apps: tuple[str, ...]
    values: Mapping[str, Any]

    def find(self, criteria: Mapping[str, Any], nth: int = 0) -> Element:
        """Return an element of the current screen; placeholders in the criteria are filled.

        Raises:
            TaskError: if there is no matching element, or the criteria are invalid.
        """
        wanted = self.fill(criteria)
        found = self.screens[-1].find_all(**wanted)
        if not found:
            raise TaskError(self.screens[-1].explain(Selector.of(wanted)))
        if not -len(found) <= nth < len(found):
            raise TaskError(f"nth={nth}, but only {len(found)} elements have {Selector.of(wanted)}")
        return found[nth]

    def has(self, criteria: Mapping[str, Any]) -> bool:
        """Return whether the current screen has a matching element."""
        return bool(self.screens[-1].find_all(**self.fill(criteria)))

    def fill(self, criteria: Mapping[str, Any]) -> dict[str, Any]:
        """Return the criteria with the placeholders in their strings filled."""
        return {
            name: fill(value, self.values) if isinstance(value, str) else value
            for name, value in criteria.items()
        }


@dataclass(frozen=True, slots=True)
class Move:
    """One move of a solution: `words` as in the source, and `action`, which chooses the action.

    A move is played once, or, if it has `done`, repeatedly until `done` holds, possibly not at all.
    If it `reads_pictures`, it looks for something that the hierarchy may lack, which needs the
    extra [vision]. A move that `asks` the user has a question, the name of the placeholder for the
    answer, and a guess.
    """

    words: str
    action: Callable[[Scene], Action]
    ends_episode: bool = False
    done: Callable[[Scene], bool] | None = None
    reads_pictures: bool = False
    asks: tuple[str, str, str] | None = None

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True, slots=True)
class Seen:
    """The text of an element, read from the latest screen that showed it."""

    criteria: Mapping[str, Any]

    def read(self, scene: Scene) -> str:
        """Return the element's text (see `Element.label`).

        Raises:
            TaskError: if no screen so far had a matching element.
        """
        wanted = scene.fill(self.criteria)
        for screen in reversed(scene.screens):
            if element := screen.find(**wanted):
                return element.label
        raise TaskError(f"no screen so far had an element with {Selector.of(wanted)}")


def open_app(app: str | None = None) -> Move:
    """Start an app by its package, or the task's own app if `app` is None.

    Of alternatives, such as "com.android.contacts|org.contacts", the task's own app is started.
    """

    def action(scene: Scene) -> Action:
        if app is None:
            if not scene.apps:
                raise TaskError("open_app() needs a package: the task names no app")
            return Open(scene.apps[0])
        return Open(choose(fill(app, scene.values), scene.apps))

    return Move(f"open_app({app!r})" if app else "open_app()", action)


def tap(*, nth: int = 0, at: Place | None = None, **criteria: Any) -> Move:
    """Tap the centre of the n-th element (from 0) that meets the criteria (see `Selector`).

    Criteria that relate to other elements are not available, because there is no screen yet.
    Without criteria, `at` is the place to tap: (across, down), fractions of the screen from 0 to 1.
    """
    find, words = _target("tap", nth, at, criteria)
    return Move(words, lambda scene: Tap(*find(scene)), reads_pictures=_read_pictures(criteria))


def long_press(*, nth: int = 0, at: Place | None = None, **criteria: Any) -> Move:
    """Press and hold the centre of the n-th element that meets the criteria (see `tap`)."""
    find, words = _target("long_press", nth, at, criteria)
    reads = _read_pictures(criteria)
    return Move(words, lambda scene: LongPress(*find(scene)), reads_pictures=reads)


def swipe(start: Place, end: Place) -> Move:
    """Move a finger between two places: (across, down), as fractions of the screen from 0 to 1.

    Use `scroll` instead where the exact path does not matter; it works for screens of any size.
    """
    first, last = _place("swipe", start), _place("swipe", end)

    def action(scene: Scene) -> Action:
        return Swipe(*_pixel(first, scene), *_pixel(last, scene))

    return Move(f"swipe({start}, {end})", action)


def _target(
    move: str, nth: int, at: Place | None, criteria: Mapping[str, Any]
) -> tuple[Callable[[Scene], tuple[int, int]], str]:
    """Return a function that finds the pixel to touch, and the move's description."""
    if at is not None:
        if criteria or nth:
            what = f"{move}(at={at}) gives both a place and an element"
            raise TaskError(f"{what}: remove one of them")
        place = _place(move, at)
        return lambda scene: _pixel(place, scene), f"{move}(at={at})"
    wanted = _checked(criteria, needed=True)
    return lambda s: s.find(wanted, nth).bounds.center, f"{move}({Selector.of(wanted)})"


def _place(move: str, place: Place) -> Place:
    across, down = place
    if not (0 <= across <= 1 and 0 <= down <= 1):
        must = "must be (across, down), fractions of the screen from 0 to 1"
        raise TaskError(f"{move}: {place} {must}")
    return across, down


def _pixel(place: Place, scene: Scene) -> tuple[int, int]:
    width, height = scene.screens[-1].size
    return min(int(place[0] * width), width - 1), min(int(place[1] * height), height - 1)


def type_text(text: str, *, clear: bool = False, enter: bool = False, **criteria: Any) -> Move:
    """Type text, into the field that meets the criteria or, without criteria, the focused field."""
    wanted = _checked(criteria)

    def action(scene: Scene) -> Action:
        at = scene.find(wanted).bounds.center if wanted else None
        return Type(fill(text, scene.values), at=at, clear=clear, enter=enter)

    return Move(f"type_text({text!r})", action, reads_pictures=_read_pictures(wanted))


def scroll(
    direction: Direction, *, until: Mapping[str, Any] | None = None, **criteria: Any
) -> Move:
    """Move the finger in a direction, over the element that meets the criteria or over the screen.

    With `until`, scroll until an element meets those criteria, or until the screen no longer
    changes. This counts as one golden step; if that is wrong, pass `golden_steps`.
    """
    _check_choice("scroll", direction, get_args(Direction))
    over, sought = _checked(criteria), _checked(until or {})

    def action(scene: Scene) -> Action:
        return Scroll(direction, at=scene.find(over).bounds.center if over else None)

    def done(scene: Scene) -> bool:
        last = [screen.xml for screen in scene.screens[-2:]]
        return scene.has(sought) or (len(last) == 2 and last[0] == last[1])

    ends, reads = done if sought else None, _read_pictures(over, sought)
    return Move(f"scroll({direction!r})", action, done=ends, reads_pictures=reads)


def press(key: KeyName) -> Move:
    """Press a key, such as "back", "home" or "enter"."""
    _check_choice("press", key, get_args(KeyName))
    return Move(f"press({key!r})", lambda _: Key(key))


def wait(seconds: float = 1.0) -> Move:
    """Do nothing for `seconds`."""
    return Move(f"wait({seconds})", lambda _: Wait(seconds))


def ask_user(question: str, **guess: str) -> Move:
    """Ask the user, and name the answer: `ask_user("Which colour?", colour="Red")`.

    In the moves that follow, `{colour}` stands for the answer, or for the guess if the user does
    not answer. In the full variant of a task the question is not asked, and the placeholder stands
    for the answer from `user=questions([…])`.
    """
    what = f"ask_user({question!r}"
    if len(guess) != 1 or not all(isinstance(text, str) for text in (question, *guess.values())):
        raise TaskError(f'{what}, …) needs one name with a guess, as in colour="Red"')
    asks = (question, *next(iter(guess.items())))
    return Move(f"{what})", lambda scene: Ask(fill(question, scene.values)), asks=asks)


def seen(**criteria: Any) -> Seen:
    """Refer to the text of the matching element, on the latest screen that showed it."""
    return Seen(_checked(criteria, needed=True))


def answer(template: str | Seen, *parts: Seen) -> Move:
    """Finish with an answer: a `seen` text, or a template in which each `%s` stands for one."""
    if isinstance(template, Seen):
        return answer("%s", template, *parts)
    first, *others = template.split("%s")
    if len(others) != len(parts):
        what = f"answer({template!r}, …) contains %s {len(others)} times"
        raise TaskError(f"{what}; parts given: {len(parts)}")

    def action(scene: Scene) -> Action:
        words = fill(first, scene.values)
        for part, text in zip(parts, others, strict=True):
            words += part.read(scene) + fill(text, scene.values)
        return Finish(words)

    seen_there = [part.criteria for part in parts]
    return Move("answer(…)", action, ends_episode=True, reads_pictures=_read_pictures(*seen_there))


def impossible(reason: str = "") -> Move:
    """Report that the task cannot be done."""
    return Move("impossible()", lambda _: Impossible(reason), ends_episode=True)


def golden_moves(golden: Sequence[Wanted]) -> list[Move]:
    """Return the moves that play golden actions.

    A report without an answer at the end is left out, because it follows any solution.
    """
    moves = [_golden_move(each) for each in golden]
    return moves[:-1] if golden and _bare(golden[-1]) == Finish() else moves


def _golden_move(wanted: Wanted) -> Move:
    def action(scene: Scene) -> Action:
        golden = golden_on(scene.screens[-1], wanted)
        if golden is None:
            raise TaskError(f"its element is not on the screen ({scene.screens[-1].package})")
        return golden.action

    bare = _bare(wanted)
    words = "a golden action chosen by a function" if callable(bare) else f"the golden {bare!r}"
    return Move(words, action, ends_episode=isinstance(bare, Finish | Impossible))


def _bare(wanted: Wanted) -> Any:
    return wanted.action if isinstance(wanted, Golden) else wanted


def _checked(criteria: Mapping[str, Any], *, needed: bool = False) -> Mapping[str, Any]:
    """Check criteria when the solution is written; image paths are relative to its folder."""
    if related := [name for name in RELATIONS if name in criteria]:
        what = f"{related[0]}=… needs an element of a screen, which a solution does not have"
        raise TaskError(f"{what}: use xpath")
    return dict(Selector.of(criteria).criteria) if criteria or needed else {}


def _read_pictures(*criteria: Mapping[str, Any]) -> bool:
    return any("image" in each or each.get("ocr") for each in criteria)


def _check_choice(move: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise TaskError(f"{move}({value!r}): must be one of {', '.join(choices)}")
