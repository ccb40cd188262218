"""Golden actions, and the data sets' rules for matching an agent's actions with them, by name."""

from __future__ import annotations

import difflib
import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from pytest_mobileagent import jsonable
from pytest_mobileagent.action import Action, Key, Raw, from_json, to_json
from pytest_mobileagent.action import check as check_action
from pytest_mobileagent.action.gestures import Tap
from pytest_mobileagent.errors import TaskError, in_one_line
from pytest_mobileagent.screen.element import Bounds, Element
from pytest_mobileagent.screen.explain import NotFoundError, missed

if TYPE_CHECKING:
    from pytest_mobileagent.screen import Screen


Size = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Golden:
    """The action that a data set, or the author of a task, considers correct on a screen.

    - `action`: in pixels of that screen, whose `size` is (width, height). Points in thousandths of
      the screen, as in some data sets, are pixels of a screen of (1000, 1000).
    - `boxes`: in the same pixels, what a tap may hit instead of the exact point. Their meaning
      varies: all annotated elements (AITW, AITZ, AgentCPM), the elements that count as correct
      (AndroidControl as scored by Qwen2.5-VL), the intended element (GUI-Odyssey).
    - `page`: the id of the recorded page on which the action is performed; "" without pages.
    - `noisy`: whether noise covers that page, which the action closes.

    Raises:
        TaskError: if `size` is not the size of a screen.
    """

    action: Action
    size: Size
    boxes: tuple[Bounds, ...] = ()
    page: str = ""
    noisy: bool = False

    def __post_init__(self) -> None:
        if len(self.size) != 2 or not all(side > 0 for side in self.size):
            raise TaskError(f"size={self.size!r} is not the size of a screen: pass screen.size")

    @classmethod
    def tap(cls, element: Element, size: Size) -> Golden:
        """Return a tap in the middle of an element, which is its one box, on a screen of `size`."""
        return cls(Tap(*element.bounds.center), size, (element.bounds,))


# What a task may give as golden; a function of the screen may also return the element to tap.
Wanted = Golden | Action | Callable[["Screen"], Golden | Action | Element | None]
ANYWHERE = (1 << 31, 1 << 31)  # a golden point may lie outside its screen, as in some data sets


def golden_to_json(golden: Golden) -> dict[str, Any]:
    """Return a golden action as plain data, without empty fields."""
    boxes = [list(box) for box in golden.boxes]
    more = {"boxes": boxes, "page": golden.page, "noisy": golden.noisy}
    fields = {name: value for name, value in more.items() if value}
    return {"action": to_json(golden.action), "size": list(golden.size), **fields}


def golden_from_json(data: Any) -> Golden:
    """Return the golden action that `golden_to_json` serialised as `data`.

    Raises:
        TaskError: if the data is not a golden action.
    """
    kind = {"action": {"action": str}, "size": [int], "boxes": [[int]], "page": str, "noisy": bool}
    try:
        fields: Mapping[str, Any] = jsonable.check(data, kind, "a golden action")
        action = from_json(fields["action"])
        if isinstance(action, Raw) and fields["action"]["action"] != "Raw":
            raise TaskError(f"{action.command} is not an action with valid fields")
        check_action(action, ANYWHERE)
        boxes = [Bounds(*box) for box in fields.get("boxes", ()) if len(box) == 4]
        size = tuple(fields["size"])
    except KeyError as error:
        raise TaskError(f"a golden action has no {error}") from None
    except (TypeError, ValueError) as error:
        raise TaskError(str(error)) from None
    if len(boxes) < len(fields.get("boxes", ())):
        raise TaskError("a box of a golden action must be [left, top, right, bottom]")
    return Golden(action, size, tuple(boxes), fields.get("page", ""), fields.get("noisy", False))


class GoldenFunctionError(TaskError):
    """The function that chooses a golden action raised an error on a screen."""


def golden_on(screen: Screen, wanted: Wanted) -> Golden | None:
    """Return the golden action for a screen; None if its target is not there.

    Raises:
        TaskError: if the value, or the result of the function, is not a golden action.
        GoldenFunctionError: if the function raises an error that is not about a missing element.
    """
    target: Any = wanted
    if callable(wanted):
        try:
            target = wanted(screen)
        # It looked for something that this screen does not have.
        except (NotFoundError, IndexError):
            return None
        except Exception as error:
            raise GoldenFunctionError(f"its function failed: {in_one_line(error)}") from error
        if target is None:
            missed(lambda: f"no golden action on {screen.package}")
            return None
    if isinstance(target, Element):
        return Golden.tap(target, screen.size)
    return as_golden(target, screen.size)


@dataclass(frozen=True, slots=True)
class Match:
    """How well an action matches the golden one; true if it is the same.

    - `type`: whether the two have the same type, by the rule's own division into types.
    - `exact`: whether they are the same action.
    - `counts`: whether the rule counts the step; an excluded step is never wrong.
    - `noisy`: whether the golden action closes noise.
    """

    type: bool
    exact: bool
    counts: bool = True
    noisy: bool = False

    def __bool__(self) -> bool:
        return self.exact


# A rule compares an agent's action, None if it predicted none, with the golden one.
Rule = Callable[[Action | None, Golden], Match]
_RULES = {
    "aitw": "aitw_aitz",
    "aitz": "aitw_aitz",
    "androidcontrol": "androidcontrol_odyssey",
    "cagui": "agentcpm",
    "graph": "graph_mobile_bench",
    "mobile_bench": "graph_mobile_bench",
    "odyssey": "androidcontrol_odyssey",
}

NO_MATCH = Match(type=False, exact=False)
LEFT_OUT = Match(type=True, exact=True, counts=False)


def as_golden(golden: Golden | Action, size: Size | None) -> Golden:
    """Return a golden action with the size of its screen, which a plain action lacks.

    Raises:
        TaskError: if the size is missing, or the value is not an action.
    """
    if isinstance(golden, Golden):
        return golden
    if not isinstance(golden, Action):
        msg = f"{golden!r} is not a golden action: pass a Golden, or an action such as Tap(x, y)"
        raise TaskError(msg)
    if size is None:
        msg = f"{golden!r} needs the size of its screen to be compared: pass size=screen.size"
        raise TaskError(msg)
    return Golden(golden, size)


def cannot_be_golden(rule: str, action: Action) -> NoReturn:
    """Raise the error for a golden action that a data set does not have.

    Raises:
        TaskError: always.
    """
    raise TaskError(f"{rule} has no action like {action!r}: it cannot be golden")


def no_such_scorer(scorer: str, known: tuple[str, ...]) -> TaskError:
    """Return the error for an unknown scorer of a rule."""
    return TaskError(f"there is no scorer {scorer!r} (available: {', '.join(known)})")


def judged(rule: str, predicted: Action | None, golden: Golden, match: Match) -> Match:
    """Return a match; if it failed, record the reason for the assertion that needs it."""
    if not match.exact:

        def explain() -> str:
            how = "of the same type, but different" if match.type else "of a different type"
            lines = [f"{rule}: {predicted!r} is {how} from {golden.action!r}"]
            if predicted == golden.action:  # the data is wrong, or the rule cannot compare it
                lines = [f"{rule}: the golden {predicted!r} does not match itself"]
            width, height = golden.size
            lines += [f"  on a screen of {width}x{height}"]
            lines += [f"  box: {tuple(box)}" for box in golden.boxes[:3]]
            lines += [f"  and {len(golden.boxes) - 3} more boxes"] * (len(golden.boxes) > 3)
            return "\n".join(lines)

        missed(explain)
    return match


Types = Mapping["type | Key", str]  # a rule's types, by classes of actions and by keys


def compared(
    rule: str,
    types: Types,
    predicted: Action | None,
    golden: Golden,
    is_exact: Callable[[Action, Golden], bool],
) -> Match:
    """Return a match by a rule that compares actions of the same type.

    `is_exact` compares two actions of one type.

    Raises:
        TaskError: if the golden action has none of the types.
    """
    wanted = _type(golden.action, types) or cannot_be_golden(rule, golden.action)
    if predicted is None or _type(predicted, types) != wanted:
        return judged(rule, predicted, golden, NO_MATCH)
    return judged(rule, predicted, golden, Match(type=True, exact=is_exact(predicted, golden)))


def _type(action: Action, types: Types) -> str | None:
    by_key = types.get(action) if isinstance(action, Key) else None
    return by_key or types.get(type(action))


def rule_of(name: str) -> Rule:
    """Return a matching rule by name; its scorer may follow a colon ("aitz:agentcpm").

    Raises:
        TaskError: if there is no such rule, or it has no such scorer.
    """
    rule, colon, scorer = name.partition(":")
    if rule not in _RULES:
        near = difflib.get_close_matches(rule, _RULES, 1)
        hint = f"; did you mean {near[0]!r}?" if near else f" (available: {', '.join(_RULES)})"
        raise TaskError(f"there is no matching rule {rule!r}{hint}")
    module = importlib.import_module(f"pytest_mobileagent.action.matching.{_RULES[rule]}")
    function: Any = getattr(module, rule)
    if not colon:
        return partial(function)
    if "scorer" not in inspect.signature(function).parameters:
        msg = f"the matching rule {rule!r} has no scorers, so {scorer!r} cannot be chosen"
        raise TaskError(msg)
    chosen = partial(function, scorer=scorer)
    chosen(None, Golden(Key("back"), (1, 1)))  # raises an error for an unknown scorer
    return chosen
