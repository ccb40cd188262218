"""MobileAgentBench's official release: its goals, and the defects of its checks.

    python tasks/mobileagentbench/release.py DIR

compares a copy of https://github.com/MobileAgentBench/mobile-agent-bench with the table beside this
file, whose goals are in our own words. Nothing of the copy is imported or run: its tasks are
classes, which are only parsed.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent import rows
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.releases import Finding, Released, compare_release

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TASKS = Path("src", "mobile_agent_benchmark", "tasks")
TABLE = Path(__file__).with_name("tasks.csv")
# The fields of a task, in the order of its base class's parameters.
FIELDS = (
    *("task_name", "prompt", "min_steps", "package", "max_steps", "stop_after_finish"),
    "permissions",
)
# What the base class sets itself.
STATE = {*FIELDS, "current_step", "action_logs", "finished"}


def read(folder: Path) -> dict[str, Released]:
    """Return the tasks of a release by their names, which are the ids of the table.

    Raises:
        TaskError: if there is no release, or one of its tasks cannot be read.
    """
    found = {}
    for task, place in _classes(folder):
        values = _values(task, place)
        columns = {
            "app": values["package"],
            "golden_steps": values["min_steps"],
            "step_limit": values["max_steps"],
            "stop_on_success": "yes" if values.get("stop_after_finish") else "no",
        }
        found[values["task_name"]] = Released(values["prompt"].strip(), place, columns)
    return found | {row.id: Released(None) for row in rows(TABLE) if row.tags == "online"}


def official(folder: Path) -> dict[str, str | None]:
    """Return the goals of a release by the ids of the table; None for tasks of the paper only.

    Raises:
        TaskError: if there is no release, or one of its tasks cannot be read.
    """
    return {name: each.goal for name, each in read(folder).items()}


def _classes(folder: Path) -> Iterator[tuple[ast.ClassDef, str]]:
    """Yield the classes of a release with their files and lines, in the order of files."""
    files = [file for file in sorted((folder / TASKS).glob("*.py")) if file.stem != "__init__"]
    if not files:
        msg = f"{folder / TASKS} has no tasks: name the folder of a copy of mobile-agent-bench"
        raise TaskError(msg)
    for file in files:
        try:
            module = ast.parse(file.read_text("utf-8"))
        except (OSError, ValueError, SyntaxError, RecursionError, MemoryError) as error:
            msg = f"{file}:{getattr(error, 'lineno', 1) or 1}: cannot be read as Python: {error}"
            raise TaskError(msg) from None
        for node in module.body:
            if isinstance(node, ast.ClassDef):
                yield node, f"{file.relative_to(folder).as_posix()}:{node.lineno}"


def _function(task: ast.ClassDef, name: str, place: str) -> ast.FunctionDef:
    for node in task.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node
    msg = f"{place}: {task.name} has no {name}()"
    raise TaskError(msg)


def _values(task: ast.ClassDef, place: str) -> dict[str, Any]:
    """Return the fields that a class passes to its base: constants, or its own defaults."""
    function = _function(task, "__init__", place)
    args = function.args.args
    defaults = function.args.defaults
    own = dict(zip((a.arg for a in args[len(args) - len(defaults) :]), defaults, strict=True))
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Call(), attr="__init__")):
                given = dict(zip(FIELDS, node.args, strict=False))
                given |= {each.arg: each.value for each in node.keywords if each.arg}
                break
    else:
        msg = f"{place}: {task.name} does not call its base class's __init__()"
        raise TaskError(msg)
    values = {name: _constant(value, own) for name, value in given.items()}
    for name, kind in zip(FIELDS[:5], (str, str, int, str, int), strict=True):
        if not isinstance(values.get(name), kind):
            msg = f"{place}: {task.name} has no {name} that can be read: it must be a constant"
            raise TaskError(msg)
    return values


def _constant(node: ast.expr, own: Mapping[str, ast.expr]) -> Any:
    if isinstance(node, ast.Name):
        node = own.get(node.id, node)
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


# Defects.


def lint(folder: Path) -> list[Finding]:
    """Return the defects of a release's checks, in the order of files.

    - `passes without the goal`: the condition for success is met although the goal is not.
    - `checks a part`: the goal asks for two things, and the check looks for one.
    - `may raise`: the check uses what may be missing, which ends the harness.

    Raises:
        TaskError: if the release cannot be read.
    """
    found = []
    for task, place in _classes(folder):
        check, init = (_function(task, name, place) for name in ("check_finish", "__init__"))
        whole = ast.unparse(check)
        state = STATE | {each.attr for each in _own(init) if isinstance(each.ctx, ast.Store)}
        for kind, line, what in (
            *_one_sided(check),
            *_labels(check, whole),
            *_absent_once(check, whole),
            *_half(check, _values(task, place)["prompt"]),
            *_missing_views(check),
            *_unset(check, state),
            *_empty_lists(check, whole),
        ):
            found.append(Finding(kind, f"{place.rpartition(':')[0]}:{line}", what))
    return found


Found = tuple[str, int, str]
PASSES, PART, RAISES = "passes without the goal", "checks a part", "may raise"


def _own(node: ast.AST) -> list[ast.Attribute]:
    """Return the attributes of `self` in a node."""
    each = (n for n in ast.walk(node) if isinstance(n, ast.Attribute))
    return [n for n in each if isinstance(n.value, ast.Name) and n.value.id == "self"]


def _one_sided(check: ast.FunctionDef) -> Iterator[Found]:
    for node in ast.walk(check):
        match node:
            case ast.If(
                test=ast.BoolOp(op=ast.Or(), values=sides),
                body=[ast.Return(value=ast.Constant(value=True))],
            ) if len({bool(_own(side)) for side in sides}) == 2:
                names = {each.attr for side in sides for each in _own(side)}
                yield PASSES, node.lineno, f"only one side of `or` asks for {', '.join(names)}"


def _labels(check: ast.FunctionDef, whole: str) -> Iterator[Found]:
    if "radio" in whole and "checked" not in whole and ".text()" in whole:
        yield PASSES, check.lineno, "the labels of radio buttons are read, not which is chosen"


def _absent_once(check: ast.FunctionDef, whole: str) -> Iterator[Found]:
    for node in check.body:
        match node:
            case ast.If(
                test=ast.Compare(ops=[ast.Is()], comparators=[ast.Constant(value=None)]),
                body=[ast.Assign(targets=[ast.Attribute(attr=name)]), *_],
            ) if f"self.{name} = False" not in whole:
                what = "a view that any other screen lacks counts as gone for good"
                yield PASSES, node.lineno, what


def _half(check: ast.FunctionDef, goal: str) -> Iterator[Found]:
    conditions = [node for node in ast.walk(check) if isinstance(node, ast.If)]
    if re.search(r"\band make sure\b", goal) and len(conditions) == 1:
        yield PART, check.lineno, "only the first part of the goal is looked for"


def _missing_views(check: ast.FunctionDef) -> Iterator[Found]:
    views, tested = {}, set[str]()
    for node in ast.walk(check):
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.Call(func=ast.Attribute(attr=called))
            ) if called.startswith("findView"):
                views[name] = node
            case ast.Compare(left=ast.Name(id=name), comparators=[ast.Constant(value=None)]):
                tested.add(name)
    for node in ast.walk(check):
        match node:
            case ast.Attribute(value=ast.Name(id=name)) if name in views.keys() - tested:
                tested.add(name)
                yield RAISES, node.lineno, f"{name} is None where the view is missing"


def _unset(check: ast.FunctionDef, state: set[str]) -> Iterator[Found]:
    calls = (node.func for node in ast.walk(check) if isinstance(node, ast.Call))
    known = state | {each.attr for each in calls if isinstance(each, ast.Attribute)}
    for each in sorted(_own(check), key=lambda each: each.lineno):
        if isinstance(each.ctx, ast.Load) and each.attr not in known:
            known.add(each.attr)
            yield RAISES, each.lineno, f"self.{each.attr} is not set at first"


def _empty_lists(check: ast.FunctionDef, whole: str) -> Iterator[Found]:
    seen = set[str]()
    for node in ast.walk(check):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            text = ast.unparse(node.value)
            if text.endswith("text_list") and f"len({text})" not in whole and text not in seen:
                seen.add(text)
                yield RAISES, node.lineno, f"{text} is empty for a click on a view without text"


if __name__ == "__main__":
    raise SystemExit(compare_release(read, lint, [TABLE]))
