"""How pytest displays tasks that failed, broke or are open for review, and what they printed."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from pytest_mobileagent.episode.packing import lasting
from pytest_mobileagent.episode.redaction import redacted
from pytest_mobileagent.episode.store import cut
from pytest_mobileagent.fileio import write_text
from pytest_mobileagent.jsonable import printable, without_commands
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.items import place_of_row
from pytest_mobileagent.plugin.pytest_private import add_below, native_failure
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
    from collections.abc import Iterable
    from pathlib import Path

    import pytest

    from pytest_mobileagent.check.episode import Episode
    from pytest_mobileagent.episode.record import EpisodeRecord
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
    text = redacted(message)
    lines = failure(episode, "", "", "", "", screen=screen, page=page, wall=text)
    _display(report, lines, f"infrastructure: {text}")


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
    step = telling_step(episode, met)
    link = deep_link(page.absolute().as_uri(), episode.folder.name, step)
    return str(near(item.config, screenshot)), link


def last_picture(item: pytest.Item, episode: EpisodeRecord) -> Path | None:
    """Return the path of the last screenshot, which stays valid when the run is packed."""
    screenshot = last_screenshot(episode)
    if screenshot is None or item.config.stash[RUN].relay is not None:  # a copy of it is reported
        return screenshot
    return lasting(screenshot)


def show_review(report: pytest.TestReport, reason: str) -> None:
    """Turn a report into one that neither passes nor fails; `Collector` sets its letter."""
    report.outcome = "skipped"
    report.longrepr = (
        report.location[0],
        report.location[1] or 0,
        f"review: {printable(redacted(reason))}",
    )


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
