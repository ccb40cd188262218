"""Checks the requirements of the selected tests, and says why tasks are skipped, before a device.

Checks that read pictures are not covered: whether one reads any is only known when it is evaluated.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import sys
from functools import cache
from types import CodeType
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent._task.needs import APPS, PAGES, labels_of, unmet
from pytest_mobileagent._task.user import Person
from pytest_mobileagent.errors import HostError, NoSolutionError, TaskError
from pytest_mobileagent.extras import check_extra, is_installed
from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.plugin.body_source import code_of, statements
from pytest_mobileagent.plugin.broken import stop
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.items import case_of
from pytest_mobileagent.plugin.state import Skipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from pytest_mobileagent._task import Task
    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.device.doctor.tasks import Selected
    from pytest_mobileagent.plugin.config import RunConfig


_COMPONENTS = "key_components"  # the judge's argument that makes it read screenshots by OCR


def check_selected(session: pytest.Session, run: RunConfig) -> None:
    """End a run whose selected tests need something that it does not have.

    Such needs are the extra [vision], for solutions that look into pictures and for judges that are
    given key components; what a task names on its devices, such as a page; and a model that plays
    the user of a task.

    Raises:
        pytest.UsageError: if anything is missing; a worker stops the run with this message instead.
    """
    engine = "easyocr" if run.value("mobile-ocr") == "easyocr" else "vision"
    has_vision = is_installed(engine) and is_installed("vision")
    asks_users = run.runs_agents and run.value("mobile-user") == "asked"
    for item in session.items:
        case = case_of(item)
        try:
            if not has_vision:
                _check_vision(item, case, run, engine)
            if case is not None and run.earlier.makes_episodes:
                _check_device(item, case, run)
            if case is not None and asks_users and isinstance(case.task.answering, Person):
                run.models.check_user(item.nodeid)
                asks_users = False  # the others are played by the same model
        except (HostError, TaskError, pytest.UsageError) as error:
            stop(session, printable(str(error)))
            return


def _check_vision(item: pytest.Item, case: Case | None, run: RunConfig, engine: str) -> None:
    moves = () if case is None else case.task.fixed_solution
    plays = run.runs_agents and run.agents.plays_solutions
    if plays and any(move.reads_pictures for move in moves):
        what = f"--agent={run.agent} plays the solution of {item.nodeid}"
        check_extra("vision", f"{what}: looking into pictures")
    elif _judges_components(item, run):
        what = f"judge(…, {_COMPONENTS}=…) in {item.nodeid}"
        check_extra(engine, f"{what}: looking into pictures")


def _check_device(item: pytest.Item, case: Case, run: RunConfig) -> None:
    source = run.devices.source
    try:
        if not source.refuses(case.task):
            source.check_task(case.task)
    except TaskError as error:
        raise TaskError(f"{item.nodeid}: {error}") from None


def _judges_components(item: pytest.Item, run: RunConfig) -> bool:
    """Return whether a test's body gives key components to a judge that will be asked."""
    if run.judges.mode == "off" or "judge" not in getattr(item, "fixturenames", ()):
        return False
    code = getattr(getattr(item, "function", None), "__code__", None)
    return isinstance(code, CodeType) and _has_keyword(code, _COMPONENTS)


def _has_keyword(code: CodeType, name: str) -> bool:
    """Return whether code has a call with this keyword; the constants include keyword tuples."""
    keywords = (each for each in code.co_consts if isinstance(each, tuple))
    inner = (each for each in code.co_consts if isinstance(each, CodeType))
    return any(name in each for each in keywords) or any(_has_keyword(c, name) for c in inner)


def known_skip(case: Case, run: RunConfig) -> Skipped | None:
    """Return why a case is skipped before a device is leased for it; None if it is not.

    Whether its apps are on the devices is not asked here.
    """
    source = run.devices.source
    if source.is_live and PAGES in case.task.needs:
        why = f"the task is done on recorded pages, and --mobile-device={source.shown} are phones"
        return Skipped("pages", f"{why}: name graph:DIR (docs/recorded-pages.md)")
    if not source.is_live and case.environment is not None:
        return Skipped("pages", "--mobile-env sets up phones, which recorded pages are not")
    if why_not := source.refuses(case.task):
        return Skipped("pages", f"{why_not} (--mobile-device={source.shown})")
    if lacks := unmet(case.task.needs, run.value("mobile-device-has") or ()):
        needed: Any = lacks[0].partition(":")[0]
        flag = run.settings["mobile-device-has"].option.flag
        return Skipped(needed, f"the task needs {', '.join(lacks)}, which {flag} does not name")
    if run.value("mobile-path") == "single":
        from pytest_mobileagent.run.single_path import check_golden

        try:
            check_golden(case.task)
        except NoSolutionError as error:
            return Skipped("golden", str(error))
    return None


def idle_remarks(items: Sequence[pytest.Item]) -> list[str]:
    """Return a line on the tasks whose bodies may hold for an agent that does nothing.

    This is certain only after a run, as it depends on what is on the first screen.
    """
    bodies: dict[object, str] = {}
    for item in items:
        if isinstance(item, pytest.Function) and case_of(item) is not None:
            bodies.setdefault(item.function, item.nodeid.partition("[")[0])
    found = [printable(name) for body, name in bodies.items() if _holds_idle(body)]
    if not found:
        return []
    tasks = "the body of 1 task" if len(found) == 1 else f"the bodies of {len(found)} tasks"
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    why = "nothing is asserted but what was not done, or is not there"
    return [f"{tasks} may hold for an idle agent, as {why}: {', '.join(found[:_NAMED])}{more}"]


_NAMED = 5  # tasks in a remark
_DEEDS = {
    "tapped", "long_pressed", "typed", "pressed", "opened", "reached", "saw", "ever", "event",
    "answers", "find", "find_all", "in_order", "until_end",
}  # fmt: skip


def _holds_idle(body: object) -> bool:
    """Return whether all that can fail in a body are asserts of what was not done or found."""
    code = code_of(body)
    parts = statements(code)[1:] if code is not None else []  # without the function itself
    checks = [part for part in parts if isinstance(part, ast.Assert)]
    is_denied = bool(checks) and all(_is_denial(check.test) for check in checks)
    return is_denied and all(map(_is_harmless, parts))


_HARMLESS = (ast.Assert, ast.With, ast.For, ast.Pass, ast.Import, ast.ImportFrom)


def _is_harmless(part: ast.stmt) -> bool:
    is_text = isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)
    return is_text or isinstance(part, _HARMLESS)


def _is_denial(test: ast.expr) -> bool:
    """Return whether a condition holds if nothing was done or found."""
    match test:
        case ast.UnaryOp(ast.Not(), deed) | ast.Compare(deed, [ast.Is()], [ast.Constant(None)]):
            return _is_deed(deed)
        case ast.Compare(_, [ast.NotIn()], [ast.Attribute(attr="answer")]):
            return True
        case ast.BoolOp(op, values):
            return (all if isinstance(op, ast.And) else any)(map(_is_denial, values))
        case ast.Call(ast.Attribute(attr=called) | ast.Name(called)):
            return called == "never"
    return False


def _is_deed(test: ast.expr) -> bool:
    """Return whether a condition is false if nothing was done or found."""
    match test:
        case ast.Call(ast.Name("any"), [ast.GeneratorExp(elt=deed)]):
            return _is_deed(deed)
        case ast.Call(ast.Attribute(attr=called)):
            return called in _DEEDS
        case ast.BoolOp(op, values):
            return (any if isinstance(op, ast.And) else all)(map(_is_deed, values))
    return False


class _Collected:
    """A plugin that records the tasks of a session, each once, and the labels of their apps."""

    def __init__(self) -> None:
        self.tasks: dict[str, Task] = {}
        self.labels: dict[str, str] = {}
        self.has: tuple[str, ...] = ()

    def pytest_collection(self, session: pytest.Session) -> None:
        # The project's settings may ask for a sample or a shard, which hides what cannot run.
        session.config.pluginmanager.unregister(name="mobileagent-selection")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.has = session.config.stash[RUN].value("mobile-device-has") or ()
        for item in session.items:
            if (case := case_of(item)) is not None:
                self.tasks[case.id] = case.task
                self.labels |= _labels(item.path.parent, session.config.rootpath)


@cache
def _labels(folder: Path, root: Path) -> dict[str, str]:
    """Return the app labels listed in a folder and in those above it, up to the project's root."""
    above = _labels(folder.parent, root) if root in folder.parents else {}
    return above | labels_of(folder / APPS)


def select(arguments: Sequence[str]) -> Selected:
    """Return the tasks that pytest's arguments select in the current folder.

    Raises:
        SystemExit: if they cannot be collected; pytest's output goes to standard error.
    """
    from pytest_mobileagent.device.doctor.tasks import Selected

    collected, output = _Collected(), io.StringIO()
    words = ["--collect-only", "-q", "-W", "ignore", *arguments]
    with contextlib.redirect_stdout(output):
        status = pytest.main(words, plugins=[collected])
    if status not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
        sys.stderr.write(output.getvalue())
        raise SystemExit(int(status))
    return Selected(collected.tasks, collected.labels, collected.has)


def describe_answers(items: Sequence[pytest.Item]) -> None:
    """Let `--collect-only -v` print how expected answers are read, after a body's docstring.

    Only literals in the body are known before it runs.
    """
    tasks = (each for each in items if isinstance(each, pytest.Function) and case_of(each))
    for body in dict.fromkeys(item.obj for item in tasks):
        if read := [f"answers: {kinds}" for kinds in _expected(body)]:
            body.__doc__ = "\n".join([*filter(None, [inspect.getdoc(body)]), *read])


def _expected(body: Any) -> Iterable[str]:
    from pytest_mobileagent.answers import kinds_of

    code = code_of(body)
    calls = [node for part in statements(code) for node in ast.walk(part)] if code else []
    literals: dict[str, None] = {}
    for node in calls:
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "answers" and node.args:
            with contextlib.suppress(ValueError, TypeError, TaskError):
                expected = ast.literal_eval(node.args[0])
                literals[", ".join(kind.shown for kind in kinds_of(expected))] = None
    return literals
