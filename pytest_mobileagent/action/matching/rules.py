"""Matching rules by their names, as graphs and tasks name them: RULE, or RULE:SCORER."""

from __future__ import annotations

import difflib
import importlib
import inspect
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action.action import Key
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.errors import TaskError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.action.matching import Match

    Rule = Callable[[Action | None, Golden], Match]

_MODULES = {
    "aitw": "aitw",
    "aitz": "aitz",
    "androidcontrol": "androidcontrol",
    "cagui": "agentcpm",
    "graph": "graph",
    "mobile_bench": "mobile_bench",
    "odyssey": "odyssey",
}


def rule_names() -> list[str]:
    """Return the names of all rules."""
    return list(_MODULES)


def rule_of(name: str) -> Rule:
    """Return a matching rule by its name; its scorer may follow a colon ("aitz:agentcpm").

    Raises:
        TaskError: there is no such rule, or it has no such scorer.
    """
    rule, colon, scorer = name.partition(":")
    if rule not in _MODULES:
        near = difflib.get_close_matches(rule, _MODULES, 1)
        hint = f"; did you mean {near[0]!r}?" if near else f" (there are {', '.join(_MODULES)})"
        msg = f"there is no matching rule {rule!r}{hint}"
        raise TaskError(msg)
    module = importlib.import_module(f"pytest_mobileagent.action.matching.{_MODULES[rule]}")
    function: Any = getattr(module, rule)
    if not colon:
        return partial(function)
    if "scorer" not in inspect.signature(function).parameters:
        msg = f"the matching rule {rule!r} has no scorers, and so none that is called {scorer!r}"
        raise TaskError(msg)
    chosen = partial(function, scorer=scorer)
    chosen(None, Golden(Key("back"), (1, 1)))  # which raises if there is no such scorer
    return chosen
