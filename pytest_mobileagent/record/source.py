"""The Python file of a recorded task, written as a task author would write it."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from pytest_mobileagent.action import Finish
from pytest_mobileagent.jsonable import cut, printable
from pytest_mobileagent.record.selectors import literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_mobileagent.action import Impossible
    from pytest_mobileagent.record.changes import Check
    from pytest_mobileagent.record.recording import Done

_WIDTH = 100
_STOP = {"the", "a", "an", "in", "of", "to", "and", "for", "my", "me", "on", "at", "with", "is"}
_MOST_WORDS = 4  # of the function's name


@dataclass(frozen=True, slots=True)
class WrittenTest:
    """The text of a file, the line (from 1) of each check's assert, and the function's name."""

    text: str
    lines: tuple[int, ...]
    name: str


@dataclass(frozen=True, slots=True)
class RecordedTask:
    """A task as a person recorded and described it.

    - `checks`: the checks that the person selected, in the order of the test body.
    - `name`: the function's name, with or without "test_"; derived from the goal if it is empty.
    """

    goal: str
    apps: Sequence[str]
    done: Sequence[Done]
    ended: Finish | Impossible | None
    checks: Sequence[Check]
    name: str = ""
    level: int | None = None

    @property
    def function(self) -> str:
        """The name of the test function, in which spaces of the name are underscores."""
        name = re.sub(r"[\s-]+", "_", self.name.strip()).removeprefix("test_")
        return f"test_{name or slug(self.goal)}"

    @property
    def answer(self) -> str:
        """The answer that the person gave; empty if there is none."""
        return self.ended.answer if isinstance(self.ended, Finish) else ""

    def missing(self) -> str:
        """Return what has to be added or corrected before the task can be tried, if anything."""
        if not self.goal.strip():
            return "a task needs a goal: what is the agent asked to do?"
        if not self.checks and not self.answer:
            return "a task needs a check: tick a change, or an element of the last screen"
        if not re.fullmatch(r"test_[A-Za-z0-9_]{1,60}", self.function):
            return f"{self.name!r} must consist of at most 60 letters, digits and underscores"
        return ""

    def write(self) -> WrittenTest:
        """Return the file of the task, with `...` for what is still missing."""
        answer, name = self.answer, self.function
        probes, asserts = _probes(self.checks)
        moves = _moves(self.done, self.apps, self.ended)
        lines = [f"    {literal(_braces(self.goal)) if self.goal.strip() else '...'},"]
        lines += _fields(self.apps, answer, self.level)
        if probes:
            entries = [_wrapped(8, f"{literal(n)}: {probe}", ",") for n, probe in probes]
            lines += ["    probes={", *entries, "    },"]
        lines += ["    solution=[", *(_wrapped(8, move, ",") for move in moves), "    ],"]
        asserts += [f"episode.answers({literal(answer)})"] if answer else []
        constants = _constants(self.checks)
        head = [f'"""{_title(self.goal) or "…"}"""', "", *_imports(moves, self.checks)]
        paths = [f"{name} = {literal(path)}" for path, name in constants.items()]
        head += [*([""] if paths else []), *paths, "", "", "@task("]
        before = [*head, *lines, ")", f"def {name}(episode):"]
        body = [_wrapped(4, f"assert {each}", "") for each in asserts] or ["    ..."]
        text = "\n".join([*before, *body, ""])
        first = sum(each.count("\n") + 1 for each in before) + 1
        starts = accumulate((each.count("\n") + 1 for each in body), initial=first)
        return WrittenTest(text, tuple(starts)[:-1], name)


def _wrapped(indent: int, text: str, end: str) -> str:
    """Return a line of code, split into several if it is too long and ends with a call."""
    space = " " * indent
    line = f"{space}{text}{end}"
    if len(line) <= _WIDTH or not text.endswith(")"):
        return line
    depth = 0
    for place in range(len(text) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[place], 0)
        if depth == 0:
            inside = text[place + 1 : -1]
            return f"{space}{text[: place + 1]}\n{space}    {inside}\n{space}){end}"
    return line


def slug(goal: str) -> str:
    """Return a name for a goal: its first meaningful words; "task" if there are none."""
    words = re.findall(r"[a-z0-9]+", goal.lower())
    name = "_".join([word for word in words if word not in _STOP][:_MOST_WORDS])
    return name if name and not keyword.iskeyword(name) else "task"


def _title(goal: str) -> str:
    text = printable(" ".join(goal.split())).replace("\\", "/").replace('"', "'")
    return cut(text, _WIDTH - 7)


def _braces(text: str) -> str:
    """Return a goal with its braces escaped, because they are not placeholders."""
    return text.strip().replace("{", "{{").replace("}", "}}")


def _fields(apps: Sequence[str], answer: str, level: int | None) -> list[str]:
    lines = [f'    app="{apps[0]}",'] if len(apps) == 1 else []
    if len(apps) > 1:
        lines = [f"    apps={literal(list(apps))},", '    kind="cross-app",']
    elif answer:
        lines.append('    kind="single-frame query",')
    return [*lines, *([f"    level={level},"] if level else [])]


def _moves(
    done: Sequence[Done], apps: Sequence[str], ended: Finish | Impossible | None
) -> list[str]:
    moves = [each.move for each in done]
    if len(apps) > 1:  # `open_app()` would be ambiguous
        first = f"open_app({literal(apps[0])})"
        moves = [first if move == "open_app()" else move for move in moves]
    if isinstance(ended, Finish):
        return [*moves, *([f"answer({literal(ended.answer)})"] if ended.answer else [])]
    if ended is not None:
        return [*moves, f"impossible({literal(ended.reason)})" if ended.reason else "impossible()"]
    return moves


def _probes(checks: Sequence[Check]) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the distinct probes with their names, and the conditions that read them."""
    names: dict[str, str] = {}
    asserts = []
    constants = _constants(checks)
    for check in checks:
        probe = check.probe.replace("{path}", constants.get(check.path, ""))
        if probe and probe not in names:
            text = re.sub(r"\W+", "_", check.name).strip("_").lower() or "probe"
            taken, name, number = set(names.values()), text, 2
            while name in taken:
                name, number = f"{text}_{number}", number + 1
            names[probe] = name
        read = f'episode.probe("{names[probe]}")' if probe else ""
        asserts.append(check.test.replace("{probe}", read))
    return [(name, probe) for probe, name in names.items()], asserts


def _constants(checks: Iterable[Check]) -> dict[str, str]:
    """Return the names of constants for the paths of files on the phone."""
    found: dict[str, str] = {}
    for path in dict.fromkeys(check.path for check in checks if check.path):
        base = path.rpartition("/")[2].removesuffix(".db")
        text = re.sub(r"\W+", "_", base).strip("_").upper() or "FILE"
        name, number = f"{text}_DB", 2
        while name in found.values():
            name, number = f"{text}_DB_{number}", number + 1
        found[path] = name
    return found


def _imports(moves: Iterable[str], checks: Iterable[Check]) -> list[str]:
    used = {"task", *(move.partition("(")[0] for move in moves)}
    used |= {name for check in checks for name in check.imports}
    line = f"from pytest_mobileagent import {', '.join(sorted(used))}"
    if len(line) <= _WIDTH:
        return [line]
    return ["from pytest_mobileagent import (", *(f"    {name}," for name in sorted(used)), ")"]
