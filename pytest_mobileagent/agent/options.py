"""The options that an agent declares, and what the user gives for them."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from collections.abc import Sequence

_BOOLS = {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}


class BadOptionError(ValueError):
    """An option that the agent does not declare, or a value that it cannot have."""


def make_options(agent: str, declared: type[Any], given: Sequence[str]) -> Any:
    """Return an instance of an agent's `Options` class with what `KEY=VALUE` words give.

    Raises:
        BadOptionError: the agent declares no such option, or not of this type.
    """
    options = declared()
    types = _types(declared)
    for word in given:
        key, equals, text = word.partition("=")
        if not equals:
            msg = f"{word}: has to be KEY=VALUE"
            raise BadOptionError(msg)
        if key not in types:
            raise BadOptionError(f"{word}: {_unknown(agent, key, types, options)}")
        try:
            setattr(options, key, _parse(types[key], text))
        except ValueError:
            msg = f"{word}: {key} of {agent} is {_name(types[key])}, not {text!r}"
            raise BadOptionError(msg) from None
    return options


def as_dict(options: Any) -> dict[str, Any]:
    """Return the values of all options, as they are recorded."""
    return {name: getattr(options, name, None) for name in _types(type(options))}


def _types(declared: type[Any]) -> dict[str, Any]:
    try:
        hints = get_type_hints(declared)
    except NameError:  # an annotation that is imported for type checkers only
        hints = dict(getattr(declared, "__annotations__", {}))
    plain = {
        name: type(value)
        for name, value in vars(declared).items()
        if not name.startswith("_") and not callable(value)
    }
    return plain | hints


def _unknown(agent: str, key: str, types: dict[str, Any], options: Any) -> str:
    shown = [f"{n} ({_name(t)}, {getattr(options, n, 'required')!r})" for n, t in types.items()]
    if not shown:
        return f"{agent} declares no options"
    near = difflib.get_close_matches(key, types, 1)
    if near:
        hint = f"did you mean {shown[list(types).index(near[0])]}?"
    else:
        hint = f"there are {', '.join(shown)}"
    return f"{agent} has no option {key!r}; {hint}"


def _name(kind: Any) -> str:
    return getattr(kind, "__name__", str(kind))


def _parse(kind: Any, text: str) -> Any:
    if kind is bool:
        if text.lower() not in _BOOLS:
            raise ValueError(text)
        return _BOOLS[text.lower()]
    if kind in (int, float):
        return kind(text)
    if get_origin(kind) in (list, tuple):
        return get_origin(kind)(text.split(","))
    choices = [choice for choice in get_args(kind) if choice is not type(None)]
    if choices and all(isinstance(choice, str) for choice in choices):  # a Literal
        if text not in choices:
            raise ValueError(text)
        return text
    return _parse(choices[0], text) if choices else text
