"""The options that an agent declares, and the values that the user sets."""

from __future__ import annotations

import difflib
import sys
import types
from dataclasses import is_dataclass
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

from pytest_mobileagent.errors import AgentError, in_one_line
from pytest_mobileagent.jsonable import decimal_number, whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.episode.published import PublishedSettings
    from pytest_mobileagent.llm.reference import ModelChoice

_BOOLS = {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}
_REQUIRED = object()


class BadOptionError(ValueError):
    """An option that the agent does not declare, or a value that is invalid for it."""


def make_options(agent: str, declared: type[Any], given: Sequence[str]) -> Any:
    """Return an instance of an agent's `Options` class with the values of `KEY=VALUE` words.

    Raises:
        BadOptionError: if an option is undeclared, of the wrong type, or required but missing.
    """
    types_, defaults = _types(declared), _defaults(declared)
    values: dict[str, Any] = {}
    for word in _with_preset(agent, declared, given):
        key, equals, text = word.partition("=")
        if not equals:
            raise BadOptionError(f"{word}: must be KEY=VALUE")
        if key not in types_:
            presets = getattr(declared, "PRESETS", {})
            raise BadOptionError(f"{word}: {_unknown(agent, key, types_, defaults, presets)}")
        try:
            values[key] = _parse(types_[key], text)
        except ValueError:
            msg = f"{word}: {key} of {agent} is {_name(types_[key])}, not {text!r}"
            raise BadOptionError(msg) from None
    if lacking := [n for n in types_ if defaults[n] is _REQUIRED and n not in values]:
        name = lacking[0]
        raise BadOptionError(
            f"{name}=…: {agent} requires this option ({_name(types_[name])}), which has no default"
        )
    return _made(agent, declared, values)


def options_of(agent: Any, words: Sequence[str]) -> Any:
    """Return an instance of the options of an agent, a class or a function (see `make_options`)."""
    name = getattr(agent, "__name__", "the agent")
    return make_options(name, getattr(agent, "Options", object), words)


_DECLARED = ("roles", "endpoints", "extras", "sees")


def facts_of(agent: Any, words: Sequence[str], choice: ModelChoice) -> dict[str, Any]:
    """Return what a run needs to know of an agent, as plain data.

    This is what its class declares (`roles`, `endpoints`, `extras`, `sees`, `asks`), whether it
    `knows_task`, the values of its `options`, and what is recorded of their preset (`published`).

    Raises:
        AgentError: if it does not accept the words, or cannot use a model of the choice.
    """
    try:
        options, published = options_of(agent, words), published_with(agent, words)
    except BadOptionError as error:
        raise AgentError(f"--mobile-agent-option {error}") from error
    _check_models(agent, options, choice)
    return {
        **{name: [str(each) for each in getattr(agent, name, ())] for name in _DECLARED},
        "asks": bool(getattr(agent, "asks", True)),
        "knows_task": hasattr(agent, "assign_task"),
        "options": as_dict(options),
        "published": published,
    }


def _check_models(agent: Any, options: Any, choice: ModelChoice) -> None:
    """Check that an agent can use the models that are chosen for its roles (`Agent.check_model`).

    Raises:
        AgentError: if it cannot use one of them.
    """
    named = [choice.of(role) for role in getattr(agent, "roles", ())]
    for reference in dict.fromkeys(each for each in named if each and not each.is_script):
        try:
            if (check := getattr(agent, "check_model", None)) is not None:
                check(reference.id, options)
        except ValueError as error:
            raise AgentError(f"--mobile-model={reference}: {error}") from error


def _with_preset(agent: str, declared: type[Any], given: Sequence[str]) -> Sequence[str]:
    """Return the words of the preset that `preset=NAME` names, followed by the words given.

    Presets, in `PRESETS` of the options' class, are the settings with which papers ran the agent.

    Raises:
        BadOptionError: if there is no such preset.
    """
    presets: Mapping[str, Mapping[str, Any]] = getattr(declared, "PRESETS", {})
    chosen = chosen_preset(given)
    if chosen is None or "preset" in _types(declared):
        return given
    if chosen not in presets:
        known = ", ".join(presets) or "none"
        raise BadOptionError(f"preset={chosen}: {agent} has no such preset (available: {known})")
    words = [f"{name}={as_word(value)}" for name, value in presets[chosen].items()]
    return [*words, *(word for word in given if word.partition("=")[0] != "preset")]


def chosen_preset(given: Sequence[str]) -> str | None:
    """Return the preset that `KEY=VALUE` words choose; None without one."""
    names = [word.partition("=")[2] for word in given if word.partition("=")[0] == "preset"]
    return names[-1] if names else None


def as_word(value: Any) -> str:
    """Return an option's value in the format of `--mobile-agent-option KEY=`."""
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def as_dict(options: Any) -> dict[str, Any]:
    """Return the values of all options, as they are recorded."""
    return {name: getattr(options, name, None) for name in _types(type(options))}


def published_with(agent: type[Any], given: Sequence[str]) -> dict[str, Any] | None:
    """Return what a run records of the preset chosen by `KEY=VALUE` words of an agent's options.

    Its fields are the `preset`, its `settings`, and the values of all `options` with the preset
    alone. None if there is no preset, or the agent declares no published settings for it.

    Raises:
        BadOptionError: if the agent does not accept the words.
    """
    preset = chosen_preset(given)
    settings: PublishedSettings | None = getattr(agent, "published", {}).get(preset)
    if preset is None or settings is None:
        return None
    alone = as_dict(options_of(agent, [f"preset={preset}"]))
    return {"preset": preset, "settings": settings.to_json(), "options": alone}


def _made(agent: str, declared: type[Any], values: dict[str, Any]) -> Any:
    try:
        if is_dataclass(declared):
            return declared(**values)
        options = declared()
        for name, value in values.items():
            setattr(options, name, value)
    except Exception as error:
        printed = ", ".join(f"{name}={value!r}" for name, value in values.items()) or "no values"
        raise BadOptionError(f"{printed}: {agent} rejects this: {in_one_line(error)}") from error
    return options


def _types(declared: type[Any]) -> dict[str, Any]:
    """Return the type of each option, from its annotation or else its default."""
    found: dict[str, Any] = {}
    for cls in reversed(declared.__mro__[:-1]):
        names = vars(sys.modules.get(cls.__module__, types))
        for name, annotation in vars(cls).get("__annotations__", {}).items():
            if "ClassVar" not in str(annotation):
                found[name] = _resolved(annotation, names, getattr(cls, name, None))
        found |= {
            name: type(value)
            for name, value in vars(cls).items()
            if name not in {*found, "PRESETS"} and not name.startswith("_")
            # Functions, properties and slots are no options, and nor are classes.
            if not hasattr(type(value), "__get__") and not isinstance(value, type)
        }
    return found


def _resolved(annotation: Any, names: dict[str, Any], default: Any) -> Any:
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, dict(names))  # noqa: S307 - as typing.get_type_hints does
    except Exception:  # noqa: BLE001 - for example, names that are imported for type checkers only
        return str if default is None else type(default)


def _defaults(declared: type[Any]) -> dict[str, Any]:
    """Return the default of each option, `_REQUIRED` for options without one."""
    fields = getattr(declared, "__dataclass_fields__", {})
    made = {name for name, each in fields.items() if callable(each.default_factory)}
    return {n: ... if n in made else getattr(declared, n, _REQUIRED) for n in _types(declared)}


def _unknown(
    agent: str,
    key: str,
    types_: dict[str, Any],
    defaults: dict[str, Any],
    presets: Mapping[str, Any],
) -> str:
    texts = {n: "required" if v is _REQUIRED else repr(v) for n, v in defaults.items()}
    printed = [f"{name} ({_name(kind)}, {texts[name]})" for name, kind in types_.items()]
    if not printed:
        return f"{agent} declares no options"
    names = list(types_)
    if presets and "preset" not in types_:
        names.append("preset")
        printed.append(f"preset ({' | '.join(presets)})")
    near = difflib.get_close_matches(key, names, 1)
    if near:
        hint = f"did you mean {printed[names.index(near[0])]}?"
    else:
        hint = f"its options are {', '.join(printed)}"
    return f"{agent} has no option {key!r}; {hint}"


def _name(kind: Any) -> str:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return " | ".join(str(choice) or "''" for choice in arguments)
    if origin in {Union, types.UnionType}:
        return " | ".join(_name(each) for each in arguments)
    if kind is type(None):
        return "none"
    return kind.__name__ if isinstance(kind, type) and not arguments else str(kind)


def _parse(kind: Any, text: str) -> Any:
    """Return the text parsed as a value of the given type.

    Raises:
        ValueError: if the text does not represent such a value.
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is bool:
        if text.lower() not in _BOOLS:
            raise ValueError(text)
        return _BOOLS[text.lower()]
    if kind in {int, float}:
        number = whole_number(text) if kind is int else decimal_number(text)
        if number is None:
            raise ValueError(text)
        return number
    if origin is Literal:
        choices = {str(choice): choice for choice in arguments}
        if text not in choices:
            raise ValueError(text)
        return choices[text]
    if origin in {Union, types.UnionType}:
        return _first(arguments, text)
    if kind in {list, tuple} or origin in {list, tuple}:
        each = arguments[0] if arguments else str
        return (origin or kind)(_parse(each, word.strip()) for word in text.split(",") if word)
    return text


def _first(kinds: Sequence[Any], text: str) -> Any:
    """Return the text parsed as the first of several types that fits, trying `str` last."""
    if type(None) in kinds and text.lower() == "none":
        return None
    for kind in sorted((kind for kind in kinds if kind is not type(None)), key=lambda k: k is str):
        try:
            return _parse(kind, text)
        except ValueError:
            continue
    raise ValueError(text)
