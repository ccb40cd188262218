"""What Allure, pytest-html and pytest-reportlog are given of a task, where they are asked for.

All get the properties `mobile_…` that JUnit's XML gets, a link to the page of the run at the step
to begin with, the last screenshot and the verdict, each in its own way. None is imported before.
"""

from __future__ import annotations

import base64
import importlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import in_one_line
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.outputs.junit import properties
from pytest_mobileagent.report.text.narration import PAGE, deep_link, last_screenshot, telling_step

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pytest

    from pytest_mobileagent.episode.record import EpisodeRecord


class Told:
    """What is told of a task: its result, and of its episode where to look, if it has one."""

    def __init__(
        self, result: Mapping[str, Any], page: Path, screenshot: Path | None, where: tuple[str, Any]
    ) -> None:
        self.result, self.screenshot = result, screenshot
        self._page, self._where = page, where

    def link(self, base: Path) -> str:
        """Return the address of the page as seen from a folder."""
        return deep_link(Path(os.path.relpath(self._page, base)), *self._where)

    @property
    def verdict(self) -> str:
        """The verdict, as JSON."""
        return json.dumps(self.result["verdict"], ensure_ascii=False, indent=2)


def tell_others(
    item: pytest.Item,
    report: pytest.TestReport,
    result: Mapping[str, Any],
    episode: EpisodeRecord | None,
) -> None:
    """Tell those of a result that are asked for; one that takes it badly is told of in the report.

    `result` is the plain entry of report.json.
    """
    asked = [tell for option, tell in _OTHERS.items() if item.config.getoption(option, None)]
    if not asked:
        return
    told = _told(item, result, episode)
    for tell in asked:
        try:
            tell(item, report, told)
        except Exception as error:  # noqa: BLE001 - of the other plugin, in whatever version
            what = f"{tell.__name__.strip('_')} was told nothing: {in_one_line(error)}"
            report.sections.append(("mobileagent", what))


def _told(item: pytest.Item, result: Mapping[str, Any], episode: EpisodeRecord | None) -> Told:
    page = item.config.stash[RUN].folder.path / PAGE
    if episode is None or episode.folder is None:
        return Told(result, page, None, ("", None))
    screenshot = last_screenshot(episode)
    is_picture = screenshot is not None and screenshot.suffix == ".png"
    step = telling_step(episode, result["first_success_step"])
    return Told(result, page, screenshot if is_picture else None, (episode.folder.name, step))


def _allure(item: pytest.Item, report: pytest.TestReport, told: Told) -> None:  # noqa: ARG001
    allure: Any = importlib.import_module("allure")

    folder = item.config.invocation_params.dir / item.config.getoption("allure_report_dir")
    for name, value in properties(told.result):
        allure.dynamic.parameter(name, value, excluded=True)  # no part of the test's identity
    allure.dynamic.link(told.link(folder), name="page")
    if told.screenshot is not None:
        allure.attach.file(str(told.screenshot), "screen", allure.attachment_type.PNG)
    if told.result["verdict"]:
        allure.attach(told.verdict, "verdict", allure.attachment_type.JSON)


def _pytest_html(item: pytest.Item, report: pytest.TestReport, told: Told) -> None:
    extras: Any = importlib.import_module("pytest_html.extras")

    folder = (item.config.invocation_params.dir / item.config.getoption("htmlpath")).parent
    given = [extras.url(told.link(folder), name="page")]
    if told.screenshot is not None:
        content = base64.b64encode(told.screenshot.read_bytes()).decode("ascii")
        given.append(extras.png(content, name="screen"))
    given.append(extras.json(dict(properties(told.result)), name="properties"))
    if told.result["verdict"]:
        given.append(extras.json(told.result["verdict"], name="verdict"))
    report.extras = [*getattr(report, "extras", ()), *given]  # type: ignore[attr-defined]


def _pytest_reportlog(item: pytest.Item, report: pytest.TestReport, told: Told) -> None:  # noqa: ARG001
    """Add to the properties, which the log has anyway, where to look."""
    folder = (item.config.invocation_params.dir / item.config.getoption("report_log")).parent
    item.user_properties.append(("mobile_page", told.link(folder)))
    if told.screenshot is not None:
        item.user_properties.append(("mobile_screen", os.path.relpath(told.screenshot, folder)))


_OTHERS: dict[str, Callable[[pytest.Item, pytest.TestReport, Told], None]] = {
    "allure_report_dir": _allure,
    "htmlpath": _pytest_html,
    "report_log": _pytest_reportlog,
}
