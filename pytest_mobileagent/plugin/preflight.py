"""Checks the requirements of the selected tests before the first episode.

Checks that read pictures are not covered, because it is only known when a check is evaluated
whether it reads any.
"""

from __future__ import annotations

from types import CodeType
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.errors import HostError, TaskError
from pytest_mobileagent.extras import check_extra, is_installed
from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.plugin.broken import stop
from pytest_mobileagent.plugin.items import case_of
from pytest_mobileagent.task.user import Person

if TYPE_CHECKING:
    from pytest_mobileagent.plugin.config import RunConfig

_COMPONENTS = "key_components"  # the judge's argument that makes it read screenshots by OCR


def check_needs(session: pytest.Session, run: RunConfig) -> None:
    """End a run whose selected tests need the extra [vision], if it is not installed.

    Tests need it if the agent plays a solution that looks into pictures, or if a judge is given key
    components.

    Raises:
        pytest.UsageError: if the extra is missing; a worker stops the run with this message
            instead.
    """
    engine = "easyocr" if run.value("mobile-ocr") == "easyocr" else "vision"
    if is_installed(engine) and is_installed("vision"):
        return
    for item in session.items:
        extra, what = "", ""
        if _plays_pictures(item, run):
            extra, what = "vision", f"--agent={run.agent} plays the solution of {item.nodeid}"
        elif _judges_components(item, run):
            extra, what = engine, f"judge(…, {_COMPONENTS}=…) in {item.nodeid}"
        try:
            if extra:
                check_extra(extra, f"{what}: looking into pictures")
        except HostError as error:
            stop(session, printable(str(error)))
            return


def check_tasks(session: pytest.Session, run: RunConfig) -> None:
    """End a run if a selected task names something that its devices do not have, such as a page.

    Raises:
        pytest.UsageError: if a task does; a worker stops the run with this message instead.
    """
    if not run.earlier.makes_episodes:
        return
    source = run.devices.source
    for item in session.items:
        case = case_of(item)
        if case is None or source.refuses(case.task):
            continue
        try:
            source.check_task(case.task)
        except TaskError as error:
            stop(session, printable(f"{item.nodeid}: {error}"))
            return


def _plays_pictures(item: pytest.Item, run: RunConfig) -> bool:
    """Return whether the agent of a test plays a solution that looks into pictures."""
    case = case_of(item)
    if case is None or not (run.runs_agents and run.agents.plays_solutions):
        return False
    return any(move.reads_pictures for move in case.task.solution or ())


def _judges_components(item: pytest.Item, run: RunConfig) -> bool:
    """Return whether a test's body gives key components to a judge that will be asked."""
    if run.judges.mode == "off" or "judge" not in getattr(item, "fixturenames", ()):
        return False
    code = getattr(getattr(item, "function", None), "__code__", None)
    return isinstance(code, CodeType) and _has_keyword(code, _COMPONENTS)


def _has_keyword(code: CodeType, name: str) -> bool:
    """Return whether code has a call with this keyword; the constants include keyword tuples."""
    return any(
        _has_keyword(each, name)
        if isinstance(each, CodeType)
        else isinstance(each, tuple) and name in each
        for each in code.co_consts
    )


def check_user(session: pytest.Session, run: RunConfig) -> None:
    """End a run whose selected tests have a user played by a model, if it cannot be asked.

    Raises:
        pytest.UsageError: if the model cannot be asked; a worker stops the run with this message
            instead.
    """
    if not run.runs_agents or run.value("mobile-user") != "asked":
        return
    for item in session.items:
        case = case_of(item)
        if case is not None and isinstance(case.task.answering, Person):
            try:
                run.models.check_user(item.nodeid)
            except pytest.UsageError as error:
                stop(session, str(error))
            return
