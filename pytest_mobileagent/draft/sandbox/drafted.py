"""The drafted function, as it is run where it can do no harm: what it says, and why."""

from __future__ import annotations

import ast
import contextlib
import importlib
import traceback
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.check.subgoals import collect_subgoals
from pytest_mobileagent.draft.sandbox.answer import Answer
from pytest_mobileagent.errors import ScreenError, in_one_line
from pytest_mobileagent.screen.explain import collect_misses

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.check.episode import Episode

# What a draft may import: the modules, and those below them.
MODULES = ("pytest_mobileagent", "datetime", "decimal", "math", "re", "unicodedata")
_BELOW = ("pytest_mobileagent.check.",)
_FILE = "<draft>"
_LINES = 6  # of the explanation of what was missed
# What is loaded when it is first used, and could not be any more.
_USED_LATER = (
    "_strptime", "copy", "encodings.ascii", "encodings.latin_1", "encodings.utf_16_le",
    "lxml.etree", "rapidfuzz.distance", "rapidfuzz.fuzz", "xml.etree.ElementTree",
)  # fmt: skip


def may_import(module: str) -> bool:
    """Whether a draft may import a module."""
    return module in {*MODULES, "__future__"} or f"{module}.".startswith(_BELOW)


def prepare(source: str, episode: Episode) -> None:
    """Load and read whatever a draft may use: in the process that asks it, nothing can be loaded.

    What is read of the screens is there for all processes that are forked, too.
    """
    for module in _USED_LATER:
        with contextlib.suppress(ImportError):  # of an extra
            importlib.import_module(module)
    for screen in episode.screens:
        with contextlib.suppress(ScreenError):
            screen.find_all(xpath="/*", text=".")
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=aliases):
                _load(*(alias.name for alias in aliases))
            case ast.ImportFrom(module=str(module), names=aliases):
                _load(module, *(f"{module}.{alias.name}" for alias in aliases))


def _load(*names: str) -> None:
    """Import modules, and what they load when a name of theirs is first asked for."""
    for name in names:
        module, _, attribute = name.rpartition(".")
        with contextlib.suppress(ImportError, AttributeError):  # the draft will be told
            if may_import(name):
                importlib.import_module(name)
            elif may_import(module):
                getattr(importlib.import_module(module), attribute)


def answer(source: str, name: str, episode: Episode, *, explain: bool) -> Answer:
    """Run a draft, call its function, and say whether it held; with `explain`, what was missed."""
    with collect_misses() as misses, collect_subgoals() as subgoals:
        try:
            namespace: dict[str, Any] = {"__name__": "draft"}
            exec(compile(source, _FILE, "exec", dont_inherit=True), namespace)  # noqa: S102 - here is where it may
            namespace[name](episode, **episode.case.parameters)
            subgoals.settle()
        except AssertionError as error:
            closest = misses[-1:] if explain else ()
            return Answer(holds=False, reason=_failed(source, error, closest))
        except BaseException as error:  # noqa: BLE001 - SystemExit and the like are its errors, too
            where = _line(source, error)
            reason = f"{in_one_line(error)}{where and f' in: {where}'}"
            return Answer(holds=False, reason=reason, broke=True)
    return Answer(holds=True)


def _failed(source: str, error: AssertionError, misses: Sequence[Callable[[], str]]) -> str:
    said = [*str(error).splitlines(), *(line for miss in misses for line in miss().splitlines())]
    return "\n".join([_line(source, error), *dict.fromkeys(said)][: _LINES + 1])


def _line(source: str, error: BaseException) -> str:
    """Return the line of the draft in which an error arose; empty if it is none of its lines."""
    frames = traceback.walk_tb(error.__traceback__)
    numbers = [number for frame, number in frames if frame.f_code.co_filename == _FILE]
    lines = source.splitlines()
    return lines[numbers[-1] - 1].strip() if numbers and numbers[-1] <= len(lines) else ""
