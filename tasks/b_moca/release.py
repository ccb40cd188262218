"""B-MoCA's official release: its goals, and its inconsistencies.

    python tasks/b_moca/release.py DIR

compares a copy of https://github.com/gimme1dollar/b-moca with the table beside this file, whose
goals are in our own words. Nothing of the copy is imported or run: its tasks are text, and the
evaluator is only parsed.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_mobileagent import rows
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.releases import Finding, Released, compare_release

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TASKS = Path("asset", "tasks")
SCRIPTS = Path("bmoca", "environment", "evaluator_script")
PREFIX = "Goal: "  # the prefix of goals in the evaluator
TABLE = Path(__file__).with_name("tasks.csv")


@dataclass(frozen=True, slots=True)
class Task:
    """A task of the release.

    - `path` is its file, relative to the release's folder; the file's folder is `app`.
    - `reward` is the value of a log line that matches the task's pattern; 0 means that a function
      of the evaluator decides.
    """

    path: str
    app: str
    goal: str
    limit: int
    reward: float

    @property
    def key(self) -> str:
        """The table's key for the task: a digest of its goal, which the table words differently."""
        return hashlib.sha256(self.goal.encode()).hexdigest()[:8]


class Branch(NamedTuple):
    """A branch of the evaluator: its goal, and the function that decides."""

    goal: str
    function: str
    where: str


def read(folder: Path) -> dict[str, Released]:
    """Return the tasks of a release by the ids of the table; other tasks by their paths.

    Raises:
        TaskError: if there is no release, or one of its tasks cannot be read.
    """
    tasks = {task.key: task for task in read_tasks(folder)}
    labels = tomllib.loads(TABLE.with_name("apps.toml").read_text("utf-8"))
    packages = {label.casefold(): package for label, package in labels.items()}
    found = {}
    for row in rows(TABLE):
        if not row.release_key:
            found[row.id] = Released(None)
        elif task := tasks.pop(row.release_key, None):
            columns = {"app": packages.get(task.app, task.app), "release_limit": task.limit}
            found[row.id] = Released(task.goal.strip(), task.path, columns)
    return found | {task.path: Released(task.goal, task.path) for task in tasks.values()}


def official(folder: Path) -> dict[str, str | None]:
    """Return the goals of a release by the ids of the table; None for tasks of the paper only.

    Raises:
        TaskError: if there is no release, or one of its tasks cannot be read.
    """
    return {name: each.goal for name, each in read(folder).items()}


# Reading a release.


def read_tasks(folder: Path) -> list[Task]:
    """Return the tasks of a release, by path.

    Raises:
        TaskError: if there is no release, or one of its tasks cannot be read.
    """
    files = sorted((folder / TASKS).glob("*/*.textproto"))
    if not files:
        msg = f"{folder / TASKS} has no tasks: name the folder of a copy of gimme1dollar/b-moca"
        raise TaskError(msg)
    return [_task(file, folder) for file in files]


def _task(file: Path, folder: Path) -> Task:
    fields = _fields(_tokens(_text(file), file), file)
    try:
        limit = int(fields["max_episode_steps"][0])
        (rule,) = fields["log_parsing_config"][0]["log_regexps"]
        reward = float(rule["reward_event"][0]["reward"][0])
    except (LookupError, TypeError, ValueError):
        msg = f"{file}:1: a task of B-MoCA has max_episode_steps, and a reward_event with a reward"
        raise TaskError(msg) from None
    # The release itself derives goals from file names in this way.
    goal = file.name.split(".")[0].replace("_", " ")
    return Task(file.relative_to(folder).as_posix(), file.parent.name, goal, limit, reward)


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, ValueError) as error:
        msg = f"{file}:1: cannot be read: {error}"
        raise TaskError(msg) from None


_TOKEN = re.compile(
    r'\s+|#[^\n]*|(?P<word>[\w.+-]+)|(?P<text>"(?:[^"\\\n]|\\.)*")|(?P<sign>[\[\]{}:,])'
)


def _tokens(text: str, file: Path) -> Iterator[tuple[str, int]]:
    """Yield the tokens of a text proto with their lines, and "" at the end."""
    at, line = 0, 1
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            what = text[at : at + 20].splitlines()[0]
            msg = f"{file}:{line}: {what!r} is not a token of a text proto"
            raise TaskError(msg)
        if found.lastgroup:
            yield found[0], line
        line += found[0].count("\n")
        at = found.end()
    yield "", line


def _fields(tokens: Iterator[tuple[str, int]], file: Path, end: str = "") -> dict[str, list[Any]]:
    """Return the fields of a message up to its end, each as a list of its values."""
    found: dict[str, list[Any]] = {}
    while (field := next(tokens))[0] != end:
        name, line = field
        if not re.fullmatch(r"\w+", name):
            raise TaskError(_unexpected(name, f"{file}:{line}", "a field"))
        value = next(tokens)
        if value[0] == ":":
            value = next(tokens)
        found.setdefault(name, []).extend(_values(*value, tokens, file))
    return found


def _unexpected(token: str, where: str, expected: str) -> str:
    return f"{where}: {f'{token!r} where {expected} was expected' if token else 'it is cut off'}"


def _values(first: str, line: int, tokens: Iterator[tuple[str, int]], file: Path) -> list[Any]:
    if first == "[":
        found = []
        while (each := next(tokens))[0] != "]":
            if each[0] != ",":
                found += _values(*each, tokens, file)
        return found
    if first == "{":
        return [_fields(tokens, file, "}")]
    if not first or first in "]}:,":
        raise TaskError(_unexpected(first, f"{file}:{line}", "a value"))
    return [first.strip('"')]  # escapes in texts are left unchanged, because these are not used


def read_branches(folder: Path) -> list[Branch]:
    """Return the branches of the evaluator of a release, in order.

    Raises:
        TaskError: if there is no evaluator, or it is not Python.
    """
    file = folder / SCRIPTS / "evaluator.py"
    shown = file.relative_to(folder).as_posix()
    tests = [node for node in ast.walk(_syntax(file)) if isinstance(node, ast.If)]
    found = []
    for node in sorted(tests, key=lambda node: node.lineno):
        match node:
            case ast.If(
                test=ast.Compare(ops=[ast.Eq()], comparators=[ast.Constant(value=str(text))]),
                body=[ast.Return(value=ast.Call(func=function)), *_],
            ):
                goal = text.removeprefix(PREFIX)
                name = ast.unparse(function).rpartition(".")[2]
                found.append(Branch(goal, name, f"{shown}:{node.lineno}"))
    return found


def _syntax(file: Path) -> ast.Module:
    try:
        return ast.parse(_text(file))
    except SyntaxError as error:
        msg = f"{file}:{error.lineno or 1}: {error.msg}"
        raise TaskError(msg) from None


# Inconsistencies.


def lint(folder: Path) -> list[Finding]:
    """Return the inconsistencies of a release, in the order of files.

    - `can never succeed`: a task that nothing decides: its log line has no reward, and the
      evaluator words the goal differently.
    - `no task`: a goal of the evaluator that no task has.
    - `same goal`: a goal that occurs twice in the evaluator.
    - `no function`: an undefined function that the evaluator calls.
    - `decided twice`: a task that both a log line and a function decide.
    - `blank`: a goal with leading, trailing or double blanks.
    - `name`: a task file whose name is not its goal with "_" for each blank.
    - `capitals`: a comparison of lower-cased text with a constant that has capitals.

    Raises:
        TaskError: if the release cannot be read.
    """
    tasks, branches = read_tasks(folder), read_branches(folder)
    return [
        *_lint_tasks(tasks, branches),
        *_lint_branches(tasks, branches),
        *_lint_functions(folder, branches),
    ]


def _lint_tasks(tasks: Sequence[Task], branches: Sequence[Branch]) -> Iterator[Finding]:
    decided = {branch.goal: branch for branch in branches}
    for task in tasks:
        near = difflib.get_close_matches(task.goal, decided, 1, 0.7)
        if not task.reward and task.goal not in decided:
            spelt = f"{decided[near[0]].where} has {near[0]!r}" if near else "it has none like it"
            yield Finding(
                "can never succeed", task.path, f"the evaluator does not know the goal: {spelt}"
            )
        if task.reward and task.goal in decided:
            yield Finding("decided twice", task.path, f"decided by {decided[task.goal].where}, too")
        if task.goal != " ".join(task.goal.split()):
            yield Finding("blank", task.path, f"the goal is {task.goal!r}")
        name = task.path.rpartition("/")[2]
        if name != f"{task.goal.replace(' ', '_')}.textproto":
            yield Finding("name", task.path, "the name is not the goal with '_' for each blank")


def _lint_branches(tasks: Sequence[Task], branches: Sequence[Branch]) -> Iterator[Finding]:
    goals, before = {task.goal for task in tasks}, dict[str, Branch]()
    for branch in branches:
        if branch.goal not in goals:
            yield Finding("no task", branch.where, f"no task has the goal {branch.goal!r}")
        if (other := before.setdefault(branch.goal, branch)) is not branch:
            yield Finding("same goal", branch.where, f"{branch.goal!r} is at {other.where}, too")


def _lint_functions(folder: Path, branches: Sequence[Branch]) -> Iterator[Finding]:
    defined = set()
    for file in sorted((folder / SCRIPTS).glob("*/*.py")):
        for node in ast.walk(_syntax(file)):
            if isinstance(node, ast.FunctionDef):
                defined.add(node.name)
                shown = file.relative_to(folder).as_posix()
                for line, text in _capitals(node):
                    what = f"lower-cased text never equals {text!r}"
                    yield Finding("capitals", f"{shown}:{line}", what)
    for branch in branches:
        if branch.function not in defined:
            yield Finding("no function", branch.where, f"nothing defines {branch.function}()")


def _capitals(function: ast.FunctionDef) -> Iterator[tuple[int, str]]:
    """Yield the lines and constants of comparisons with the result of `.lower()`."""

    def is_lowered(node: ast.expr) -> bool:
        match node:
            case ast.Call(func=ast.Attribute(attr="lower")):
                return True
        return False

    lowered = {
        ast.unparse(target)
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and is_lowered(node.value)
        for target in node.targets
    }
    for node in ast.walk(function):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(is_lowered(side) or ast.unparse(side) in lowered for side in sides):
                for side in sides:
                    match side:
                        case ast.Constant(value=str(text)) if text != text.lower():
                            yield side.lineno, text


if __name__ == "__main__":
    raise SystemExit(compare_release(read, lint, [TABLE]))
