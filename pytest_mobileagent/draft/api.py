"""What a check can ask, in short: read from the code itself, so that no prompt lags behind it."""

from __future__ import annotations

import inspect
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action import action
from pytest_mobileagent.check.episode import Episode
from pytest_mobileagent.check.events import EventSelector
from pytest_mobileagent.episode.event import Event
from pytest_mobileagent.episode.record import Step
from pytest_mobileagent.screen.element import Bounds, Element
from pytest_mobileagent.screen.screen import Screen
from pytest_mobileagent.screen.selector import Selector

if TYPE_CHECKING:
    from collections.abc import Iterator

_WHOLE = (Episode, Step, Screen, Element, Bounds, Event)
_CRITERIA = (Selector, EventSelector)
# What no check needs to know: the agent's costs and times, and how the record was made.
_OTHERS = frozenset(
    {
        "attempt", "calls", "count", "explain", "extra", "image", "index", "is_metered", "lines",
        "nearest", "ocr", "png", "prefix", "read", "rest", "seconds_acting", "seconds_thinking",
        "seed", "totals", "xml",
    }
)  # fmt: skip


def api() -> str:
    """Return the classes that a check meets, with what can be asked of each, as Python stubs."""
    blocks = [_class(each) for each in _WHOLE]
    blocks += [f"class {each.__name__}:\n{_doc(each)}" for each in _CRITERIA]
    blocks.append("\n".join(_action(each) for each in action.ACTIONS))
    return "\n\n".join(blocks)


def _class(described: type) -> str:
    # What an episode is made of is said by the record that it adds questions to.
    documented = [each for each in (described, *described.__bases__) if _is_ours(each)]
    docs = [_doc(each) for each in documented]
    return "\n".join([f"class {described.__name__}:", *docs, *_members(described, "".join(docs))])


def _members(described: type, docs: str) -> Iterator[str]:
    known = {each.name: each.type for each in fields(described)} if is_dataclass(described) else {}
    for name, kind in known.items():
        if f"`{name}`" not in docs and name not in _OTHERS:
            yield f"    {name}: {kind}"
    for name, member in inspect.getmembers(described):
        if name.startswith("_") or name in _OTHERS | known.keys():
            continue
        if inspect.isfunction(member):
            yield f"    def {name}{_signature(member)}:\n{_doc(member, 8)}"
        elif isinstance(member, property) or hasattr(member, "attrname"):  # a cached one, too
            yield f"    {name}: {_type(member)}\n{_doc(member, 8)}"


def _is_ours(described: type) -> bool:
    return described.__module__.startswith(f"{__name__.partition('.')[0]}.")


def _action(described: type) -> str:
    given = [f"{each.name}: {each.type}" for each in fields(described)]
    return f"{described.__name__}({', '.join(given)})  # {_first(described)}"


def _signature(function: Any) -> str:
    signature = inspect.signature(function)
    given = [
        each.replace(default=_LEFT_OUT)
        if each.default is not each.empty and len(repr(each.default)) > _SHOWN
        else each
        for each in signature.parameters.values()
    ]
    return str(signature.replace(parameters=given)).replace("'", "")


class _LeftOut:
    """In the place of a default value that nobody would read."""

    def __repr__(self) -> str:
        return "…"


_SHOWN, _LEFT_OUT = 20, _LeftOut()


def _type(member: Any) -> str:
    getter = getattr(member, "fget", None) or member.func
    return str(inspect.signature(getter).return_annotation)


def _doc(described: Any, indent: int = 4) -> str:
    said = (inspect.getdoc(described) or "").partition("\n\nRaises:")[0]
    lines = f'"""{said}"""'.splitlines()
    return "\n".join(f"{' ' * indent}{line}".rstrip() for line in lines)


def _first(described: Any) -> str:
    return (inspect.getdoc(described) or "").partition("\n")[0]
