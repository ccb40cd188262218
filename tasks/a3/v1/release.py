"""A3's first official release: its goals, and the checks in it that no episode can pass.

    python tasks/a3/v1/release.py DIR

compares a copy of https://github.com/YuxiangChai/A3 with the table `v1.csv`, whose goals are in our
own words. Nothing of the copy is imported or run: its tasks are Python files, which are parsed.
"""

from __future__ import annotations

import ast
import re
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.releases import (
    Finding,
    Released,
    Template,
    compare_release,
    fill,
    literal,
    times,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path("ace", "task_eval")
LEVELS = {"easy": 1, "medium": 2, "middle": 2, "hard": 3}
LIMITS = {1: 10, 2: 15, 3: 20}  # of steps, by level
KINDS = {
    "operation": "operation",
    "single-page query": "single-frame query",
    "single-page operation": "single-frame query",  # the only task of this kind asks for a price
    "multi-page query": "multi-frame query",
}
NEVER, BOUND = "can never succeed", "can succeed late in 2024 only"
MISREAD = "misreads the dates of its goal"
UNREAD = "never looks at the screens"
# The actions of the release's controller (ace/utils/avd_control.py).
ACTIONS = {"open", "tap", "long_press", "swipe", "type", "enter", "back", "home", "wait", "end"}
DATE = re.compile(
    r"(?P<weekday>Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, "
    r"(?P<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* "
    r"(?P<day>\d{1,2})(?:, (?P<year>\d{4}))?"
)
WITH_YEAR = re.compile(r"\d{1,2} (?:January|December) (?P<year>\d{4})")


def official(folder: Path) -> dict[str, str | None]:
    """Return the goals of a release by the ids of the table; those with dates are templates.

    Raises:
        TaskError: if there is no release, or one of its tasks cannot be read.
    """
    return {name: each.goal for name, each in read(folder).items()}


def read(folder: Path) -> dict[str, Released]:
    """Return the tasks of a release by the ids of the table.

    Raises:
        TaskError: if there is no release, or one of its tasks cannot be read.
    """
    found = {}
    for name, place, module in _modules(folder):
        task = _function(module, "task", place)
        cells = _returned(task, place)
        level, kind = (_text(cells.get(key)) for key in ("level", "category"))
        if level not in LEVELS or kind not in KINDS:
            msg = f"{place}: {level!r}, {kind!r} is no level and category"
            raise TaskError(msg)
        columns = {
            "level": LEVELS[level],
            "kind": KINDS[kind],
            "step_limit": LIMITS[LEVELS[level]],
        }
        found[name] = Released(_goal(cells.get("task"), task, place), place, columns)
    return found


def _modules(folder: Path) -> Iterator[tuple[str, str, ast.Module]]:
    """Yield the id, the place and the parsed file of each task."""
    files = sorted((folder / FOLDER).glob("*/task*.py"))
    if not files:
        msg = f"{folder / FOLDER} has no tasks: name the folder of a copy of YuxiangChai/A3"
        raise TaskError(f"{msg} as a3.v1, and one of AITK as a3.v2")
    for path in files:
        place = path.relative_to(folder).as_posix()
        try:
            module = ast.parse(path.read_text("utf-8"))
        except (OSError, ValueError, SyntaxError, RecursionError, MemoryError) as error:
            msg = f"{place} cannot be read as Python: {error}"
            raise TaskError(msg) from None
        yield f"{path.parent.name}_{path.stem.removeprefix('task')}", place, module


def _function(module: ast.Module, name: str, place: str) -> ast.FunctionDef:
    for each in module.body:
        if isinstance(each, ast.FunctionDef) and each.name == name:
            return each
    msg = f"{place} has no function {name}()"
    raise TaskError(msg)


def _returned(function: ast.FunctionDef, place: str) -> dict[str, ast.expr]:
    for each in ast.walk(function):
        if isinstance(each, ast.Return) and isinstance(each.value, ast.Dict):
            pairs = zip(each.value.keys, each.value.values, strict=True)
            return {_text(key): value for key, value in pairs}
    msg = f"{place}: task() returns no dictionary"
    raise TaskError(msg)


def _text(node: ast.expr | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _goal(node: ast.expr | None, task: ast.FunctionDef, place: str) -> str:
    """Return a goal: a text, or a template if it includes dates."""
    if goal := _text(node).strip():
        return goal
    if not isinstance(node, ast.JoinedStr):
        msg = f"{place}: its task is not a string"
        raise TaskError(msg)
    dates = _dates(task)
    parts = []
    for each in node.values:
        if isinstance(each, ast.FormattedValue):
            name = ast.unparse(each.value)
            if name not in dates:
                msg = f"{place}: its task has {{{name}}}, which is not a date some days from now"
                raise TaskError(msg)
            parts.append(dates[name])
        else:
            parts.append(literal(_text(each)))
    return Template("".join(parts).strip())


def _dates(task: ast.FunctionDef) -> dict[str, str]:
    """Return the placeholders for the dates that a function computes, by variable name.

    It sets `day = today + timedelta(days=2)`, and then `text = day.strftime("%b %d")`.
    """
    days, found = {"today": "today"}, {}
    for each in task.body:
        if not isinstance(each, ast.Assign):
            continue
        name, value = ast.unparse(each.targets[0]), ast.unparse(each.value)
        if later := re.fullmatch(r"today \+ timedelta\(days=(\d+)\)", value):
            days[name] = f"today+{later[1]}"
        elif (shown := re.fullmatch(r"(\w+)\.strftime\('([^'{}]+)'\)", value)) and shown[1] in days:
            found[name] = f"{{{days[shown[1]]}:{shown[2]}}}"
    return found


def lint(folder: Path) -> Iterator[Finding]:
    """Yield the checks of a release that no episode can pass, or that misread their input.

    Raises:
        TaskError: if there is no release, or one of its tasks cannot be read.
    """
    for name, place, module in _modules(folder):
        task = _function(module, "task", place)
        goal = _goal(_returned(task, place).get("task"), task, place)
        check = _function(module, "eval", place)
        found = (_of_dates(check, goal), _of_patterns(check, goal), _of_cases(check), _slips(check))
        for kind, why in dict.fromkeys(chain.from_iterable(found)):
            yield Finding(kind, place, f"{name}: {why}")


def _of_dates(check: ast.FunctionDef, goal: str) -> Iterator[tuple[str, str]]:
    """Yield wrong dates in a check: on a wrong weekday, or in a year that the goal lacks."""
    for text in _looked_for(check):
        for date in DATE.finditer(text):
            year = int(date["year"] or 2024)
            on = datetime.strptime(f"{date['day']} {date['month']} {year}", "%d %b %Y")  # noqa: DTZ007
            fits = f"{on:%a}" == date["weekday"]
            if date["year"] and not fits:
                yield NEVER, f"{date[0]} is looked for, which is a {on:%A}"
            elif not date["year"] and fits and date["weekday"] not in goal:
                yield BOUND, f"{date[0]} is looked for, as in 2024, and the goal names no year"
        for date in WITH_YEAR.finditer(text):
            if date["year"] not in goal:
                yield BOUND, f"{date[0]} is looked for, and the goal names no year"


def _of_patterns(check: ast.FunctionDef, goal: str) -> Iterator[tuple[str, str]]:
    """Yield patterns that do not find the goal's dates in it, and weekdays of the year 1900."""
    if "strptime(date, '%b %d').strftime('%a')" in ast.unparse(check):
        yield MISREAD, "without a year, days of the week are those of 1900"
    if not isinstance(goal, Template):
        return
    now = times(datetime(2026, 1, 1))  # noqa: DTZ001 - any day will do
    shown, dates = fill(goal, now), [fill(each, now) for each in re.findall(r"\{today.*?\}", goal)]
    patterns = {
        ast.unparse(each.targets[0]): _text(each.value)
        for each in ast.walk(check)
        if isinstance(each, ast.Assign)
    }
    for each in ast.walk(check):
        if isinstance(each, ast.Call) and ast.unparse(each.func) == "re.search":
            pattern, text = (ast.unparse(part) for part in each.args[:2])
            if text == "task" and (
                taken := _taken(patterns.get(pattern, _text(each.args[0])), shown)
            ):
                wrong = [one for one in taken if one not in dates]
                yield from ((MISREAD, f"{one!r} is taken for a date") for one in wrong)
            elif text == "task":
                yield MISREAD, "its pattern finds none"


def _taken(pattern: str, text: str) -> tuple[str, ...]:
    """Return the match of a pattern in a text, as its groups if it has any."""
    from pytest_mobileagent import patterns

    found = patterns.compile(pattern).search(text)
    return tuple(map(str, found.groups() or (found[0],))) if found else ()


def _looked_for(check: ast.FunctionDef) -> Iterator[str]:
    """Yield the string literals in a function, except docstrings."""
    alone = {id(each.value) for each in ast.walk(check) if isinstance(each, ast.Expr)}
    for each in ast.walk(check):
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and id(each) not in alone:
            yield each.value


def _of_cases(check: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """Yield texts with capitals that a check looks for in lower-case text."""
    for each in ast.walk(check):
        sought, into = "", ""
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute):
            if each.func.attr == "find" and each.args:
                sought, into = _text(each.args[0]), ast.unparse(each.func.value)
        elif isinstance(each, ast.Compare) and isinstance(each.ops[0], ast.In):
            sought, into = _text(each.left), ast.unparse(each.comparators[0])
        elif isinstance(each, ast.Compare) and isinstance(each.ops[0], ast.Eq):
            sought, into = _text(each.comparators[0]), ast.unparse(each.left)
        if into.endswith(".lower()") and sought != sought.lower():
            yield NEVER, f"{sought!r} is looked for in a text in small letters"


def _slips(check: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """Yield mistakes of a check with missing elements, actions, and hierarchies."""
    for each in ast.walk(check):
        if isinstance(each, ast.If) and (name := _none(each.test)):
            inside = (node for part in each.body for node in ast.walk(part))
            read = (node.value for node in inside if isinstance(node, ast.Attribute))
            if name in map(ast.unparse, read):
                yield NEVER, f"{name} is read only where it is None"
        elif isinstance(each, ast.Compare) and ast.unparse(each.left).endswith("['action']"):
            wanted = _text(each.comparators[0])
            if isinstance(each.ops[0], ast.NotEq) and wanted not in ACTIONS:
                yield NEVER, f"no action is called {wanted!r}"
        elif isinstance(each, ast.Call) and ast.unparse(each.func) == "open":
            name = ast.unparse(each.args[0])
            if name.startswith("xml"):  # eval() receives texts, both directly and in its history
                yield (
                    UNREAD,
                    f"{name} is a hierarchy, and is opened as if it were the name of a file",
                )


def _none(test: ast.expr) -> str:
    """Return the name that a test compares with None; "" for other tests."""
    is_none = ast.unparse(test).removesuffix(" is None")
    return is_none if is_none.isidentifier() and is_none != ast.unparse(test) else ""


if __name__ == "__main__":
    table = Path(__file__).parents[1] / "v1.csv"
    raise SystemExit(compare_release(read, lint, [table]))
