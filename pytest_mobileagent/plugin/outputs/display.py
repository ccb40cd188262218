"""How pytest and the reports of other plugins display tasks.

pytest displays those that failed, broke or are open for review, and what they printed. Results are
added to JUnit XML, Allure, pytest-html and pytest-reportlog.
"""

from __future__ import annotations

import base64
import importlib
import json
import os
import xml.etree.ElementTree as ET
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.episode.packing import lasting
from pytest_mobileagent.episode.redaction import redacted
from pytest_mobileagent.episode.store import cut
from pytest_mobileagent.errors import ScreenError, in_one_line
from pytest_mobileagent.fileio import write_text
from pytest_mobileagent.jsonable import printable, without_commands
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.items import place_of_row
from pytest_mobileagent.plugin.pytest_private import (
    add_below,
    escaped_for_junit,
    junit_of,
    native_failure,
)
from pytest_mobileagent.plugin.settings import near
from pytest_mobileagent.plugin.state import state_of
from pytest_mobileagent.report.text.narration import (
    PAGE,
    deep_link,
    failure,
    last_screenshot,
    nearest,
    telling_step,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pytest_mobileagent.check.episode import Episode
    from pytest_mobileagent.episode import EpisodeRecord
    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.verdict import Verdict


_INSTEAD = "; `get` instead of `find` makes that the agent's failure"


def show_failure(
    item: pytest.Item,
    report: pytest.TestReport,
    episode: Episode,
    verdict: Verdict,
    *,
    on_the_way: bool,
) -> None:
    """Make pytest display a failure in a few lines, whatever its traceback style.

    `on_the_way`: whether the body was run on every prefix of the episode, not only on the whole.
    """
    evidence = verdict.evidence
    closest = nearest(verdict.reason.removeprefix(f"{episode.error}; "), evidence)
    met = "; the goal was never met on the way" if on_the_way else ""
    if verdict.first_step is not None:
        met = f"; the goal was met after step {verdict.first_step}"
    sought, where = evidence.get("sought", ""), evidence.get("where", "")
    if row := place_of_row(item):
        where = f"{where}, for {row}"
    closest, subgoals = redacted([closest, evidence.get("subgoals", [])])
    screen, page = _where_to_look(item, episode, verdict.first_step)
    lines = failure(
        episode, sought, where, closest, met, subgoals=subgoals, screen=screen, page=page,
        wall=redacted(str(evidence.get("wall") or "")),
    )  # fmt: skip
    _display(report, lines, redacted(verdict.reason).partition("\n")[0])


def show_wall(item: pytest.Item, report: pytest.TestReport, episode: Episode, message: str) -> None:
    """Make pytest display the wall that blocks every agent, and what the agent did until then."""
    screen, page = _where_to_look(item, episode, None)
    wall = redacted(message)
    lines = failure(episode, "", "", "", "", screen=screen, page=page, wall=wall)
    _display(report, lines, f"infrastructure: {wall}")


def _display(report: pytest.TestReport, lines: Iterable[str], message: str) -> None:
    path, line = report.location[0], (report.location[1] or 0) + 1
    report.longrepr = native_failure(lines, path, line, printable(message))


def show_error(
    item: pytest.Item, report: pytest.TestReport, episode: Episode, missed: list[str]
) -> None:
    """Make pytest display what the agent did, below the traceback of an error in the body.

    This helps the author of the task. `missed` describes what the body did not find, but then used
    as if it were an element.
    """
    screen, page = _where_to_look(item, episode, None)
    closest = redacted(nearest("", {"closest": missed})) + _INSTEAD if missed else ""
    lines = failure(episode, "", "", closest, "", screen=screen, page=page)
    if row := place_of_row(item):
        lines.insert(0, f"row      {row}")
    add_below(report, "episode", "\n".join(lines))


def _where_to_look(item: pytest.Item, episode: Episode, met: int | None) -> tuple[str, str]:
    """Return the last screenshot's path and the page's address at the decisive step, or ""."""
    screenshot = last_picture(item, episode)
    if episode.folder is None or screenshot is None:
        return "", ""
    page = item.config.stash[RUN].folder.path / PAGE
    address, step = page.absolute().as_uri(), telling_step(episode, met)
    return str(near(item.config, screenshot)), deep_link(address, episode.folder.name, step)


def last_picture(item: pytest.Item, episode: EpisodeRecord) -> Path | None:
    """Return the path of the last screenshot, which stays valid when the run is packed."""
    screenshot = last_screenshot(episode)
    if screenshot is None or item.config.stash[RUN].relay is not None:  # a copy of it is reported
        return screenshot
    return lasting(screenshot)


def show_review(report: pytest.TestReport, reason: str) -> None:
    """Turn a report into one that neither passes nor fails; `Collector` sets its letter."""
    path, line, _ = report.location
    report.outcome = "skipped"
    report.longrepr = path, line or 0, f"review: {printable(redacted(reason))}"


def escape_commands(report: pytest.TestReport) -> None:
    """Escape the commands to CI systems in what pytest displays of a task.

    It may contain what apps, agents and models say: in assertions, and in captured output.
    """
    report.sections[:] = [(title, without_commands(text)) for title, text in report.sections]
    if isinstance(report.longrepr, tuple):
        path, line, reason = report.longrepr
        report.longrepr = path, line, without_commands(reason)
    elif (safe := without_commands(report.longreprtext)) != report.longreprtext:
        report.longrepr = safe


SHOWN = 64 * 1024  # characters of a stream in a test's phase; longer text is cut to half of this
KEPT = 8 * 1024 * 1024  # characters of a stream that are written to the episode's folder


def cut_sections(item: pytest.Item, report: pytest.TestReport) -> None:
    """Cut a task's captured output, and write more of it to the episode's folder."""
    episode = state_of(item).playing.episode
    folder = None if episode is None else episode.folder
    for number, (title, text) in enumerate(report.sections):  # of this phase and those before it
        if len(text) > SHOWN and title.startswith("Captured "):
            _, key, _ = title.split()  # such as "Captured stdout setup"
            report.sections[number] = title, _cut(folder, key, text)


def _cut(folder: Path | None, key: str, text: str) -> str:
    shortened = cut(text, SHOWN // 2)
    if folder is not None and folder.is_dir():
        path = folder / f"agent-{key}.txt"
        with suppress(OSError):  # the episode's record reports a full disk
            write_text(path, redacted(cut(text, KEPT)))
            shortened += f"\n… {len(text)} characters in all; more of them are in {path}\n"
    return shortened


_AS_CALLED = {"passed": "passed", "xpassed": "passed", "failed": "failed", "error": "failed"}


def properties(result: Entry) -> list[tuple[str, object]]:
    """Return the fields of a result that are single values, as properties of a test case."""
    scalars = (str, int, float, bool)
    single = {name: value for name, value in result.to_json().items() if isinstance(value, scalars)}
    return [(f"mobile_{name}", value) for name, value in single.items() if name != "nodeid"]


def mend(config: pytest.Config, results: Mapping[str, Entry]) -> None:
    """Correct the results in the JUnit XML that have changed later; `results` is by node id."""
    xml = junit_of(config)
    if xml is None or not results:
        return
    by_identity = {_identity(dict(properties(result))): result for result in results.values()}
    for case in xml.node_reporters_ordered:
        element = case.to_xml()
        known = {each.get("name"): each.get("value") for each in element.iter("property")}
        nodeid = str(getattr(case, "id", "")).partition(" ")[0]  # set if it never finished
        result = by_identity.get(_identity(known)) or results.get(nodeid)
        if result is not None:
            _set_properties(element, result)
            for each in element.findall("error") if result.success is False else ():
                each.tag = "failure"
                xml.stats["error"] -= 1
                xml.stats["failure"] += 1
            case.to_xml = lambda element=element: element  # type: ignore[method-assign, misc]


def _identity(properties: Mapping[Any, Any]) -> tuple[str, ...]:
    return tuple(str(properties.get(f"mobile_{name}")) for name in ("id", "epoch", "environment"))


def _set_properties(case: ET.Element, result: Entry) -> None:
    before = case.find("properties")
    if before is None:
        before = ET.Element("properties")
        case.insert(0, before)
    for each in before.findall("property"):
        if str(each.get("name")).startswith("mobile_"):
            before.remove(each)
    for name, value in properties(result):
        ET.SubElement(before, "property", name=name, value=escaped_for_junit(value))


def add_cases(config: pytest.Config, results: Iterable[Entry]) -> None:
    """Add test cases for results that no worker reported to the JUnit XML, if it is written."""
    xml = junit_of(config)
    if xml is None:
        return
    for result in results:
        path = result.nodeid.partition("::")[0]
        outcome = _AS_CALLED.get(result.outcome, "skipped")
        reason = f"{result.outcome}: {result.reason}"
        decided = result.success is not None
        for when in ("call" if decided else "setup", "teardown"):
            report = pytest.TestReport(
                nodeid=result.nodeid,
                location=(path, None, path),
                keywords={},
                outcome="passed" if when == "teardown" else outcome,  # type: ignore[arg-type]
                longrepr=(path, 0, reason) if outcome == "skipped" else reason,
                when=when,
                user_properties=properties(result),
            )
            xml.pytest_runtest_logreport(report)


def finish(config: pytest.Config) -> None:
    """Correct what pytest has added to the JUnit XML about tasks.

    A repeated task leaves a test case without a name. pytest counts every exception in a body as a
    failure, even if it does not decide the task.
    """
    xml = junit_of(config)
    if xml is None:
        return
    cases = xml.node_reporters_ordered
    cases[:] = [case for case in cases if getattr(case, "attrs", "finished")]
    for case in cases:
        element = case.to_xml()
        about = {each.get("name"): each.get("value") for each in element.iter("property")}
        failures = element.findall("failure") if about.get("mobile_outcome") == "error" else []
        for each in failures:
            each.tag = "error"
        xml.stats["failure"] -= len(failures)
        xml.stats["error"] += len(failures)


@dataclass(frozen=True, slots=True)
class ReportedTask:
    """The data of a task for other reports: its result, its page, and its last screenshot as PNG.

    - `where`: the name of the episode's folder, and the step that the page shows first.
    - `file`: the path of the recorded screenshot.
    """

    result: Entry
    page: Path
    screenshot: bytes | None
    where: tuple[str, Any]
    file: Path | None = None

    def link(self, base: Path) -> str:
        """Return the page's address relative to a folder."""
        return deep_link(Path(os.path.relpath(self.page, base)), *self.where)


def add_to_others(
    item: pytest.Item, report: pytest.TestReport, result: Entry, episode: EpisodeRecord | None
) -> None:
    """Add a result (its entry in report.json) to the other reports that the user asked for.

    If one of them raises an error, pytest's own report gets a section about it.
    """
    wanted = [add for option, add in _OTHERS.items() if item.config.getoption(option, None)]
    if not wanted:
        return
    reported = _reported(item, result, episode)
    for add in wanted:
        try:
            add(item, report, reported)
        except Exception as error:  # noqa: BLE001 - any error of the other plugin
            what = f"{add.__name__.strip('_')} got no result: {in_one_line(error)}"
            report.sections.append(("mobileagent", what))


def _reported(item: pytest.Item, result: Entry, episode: EpisodeRecord | None) -> ReportedTask:
    page = item.config.stash[RUN].folder.path / PAGE
    if episode is None or episode.folder is None:
        return ReportedTask(result, page, None, ("", None))
    try:
        screenshot = episode.screen.png or None
    except ScreenError:
        screenshot = None
    step = telling_step(episode, result.first_success_step)
    file = last_picture(item, episode) if screenshot else None
    return ReportedTask(result, page, screenshot, (episode.folder.name, step), file)


def _allure(item: pytest.Item, report: pytest.TestReport, task: ReportedTask) -> None:  # noqa: ARG001
    allure: Any = importlib.import_module("allure")

    folder = item.config.invocation_params.dir / item.config.getoption("allure_report_dir")
    for name, value in properties(task.result):
        allure.dynamic.parameter(name, value, excluded=True)  # not part of the test's identity
    allure.dynamic.link(task.link(folder), name="page")
    if task.screenshot is not None:
        allure.attach(task.screenshot, "screen", allure.attachment_type.PNG)
    if task.result.verdict:
        verdict = json.dumps(task.result.verdict, ensure_ascii=False, indent=2)
        allure.attach(verdict, "verdict", allure.attachment_type.JSON)


def _pytest_html(item: pytest.Item, report: pytest.TestReport, task: ReportedTask) -> None:
    extras: Any = importlib.import_module("pytest_html.extras")

    folder = (item.config.invocation_params.dir / item.config.getoption("htmlpath")).parent
    given = [extras.url(task.link(folder), name="page")]
    if task.screenshot is not None:
        given.append(extras.png(base64.b64encode(task.screenshot).decode(), name="screen"))
    given.append(extras.json(dict(properties(task.result)), name="properties"))
    if task.result.verdict:
        given.append(extras.json(task.result.verdict, name="verdict"))
    report.extras = [*getattr(report, "extras", ()), *given]  # type: ignore[attr-defined]


def _pytest_reportlog(item: pytest.Item, report: pytest.TestReport, task: ReportedTask) -> None:  # noqa: ARG001
    """Add the page and the screenshot to the test's properties, which the log includes."""
    folder = (item.config.invocation_params.dir / item.config.getoption("report_log")).parent
    item.user_properties.append(("mobile_page", task.link(folder)))
    if task.file is not None:
        item.user_properties.append(("mobile_screen", os.path.relpath(task.file, folder)))


_OTHERS: dict[str, Callable[[pytest.Item, pytest.TestReport, ReportedTask], None]] = {
    "allure_report_dir": _allure,
    "htmlpath": _pytest_html,
    "report_log": _pytest_reportlog,
}
