"""How pytest displays a task that failed, broke or waits for a person, and its output."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from _pytest._code.code import (
    ExceptionRepr,
    ReprEntryNative,
    ReprExceptionInfo,
    ReprFileLocation,
    ReprTraceback,
)

from pytest_mobileagent.episode.cutting import cut
from pytest_mobileagent.episode.redaction import redacted
from pytest_mobileagent.fileio import write_text
from pytest_mobileagent.plain import printable
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.paths import near
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
    from pathlib import Path

    import pytest

    from pytest_mobileagent.check.episode import Episode
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
    """Make pytest display a failure in a few lines, whatever the style of its tracebacks.

    `on_the_way` says whether the body was run on every prefix, and not only on the whole.
    """
    evidence = verdict.evidence
    closest = nearest(verdict.reason.removeprefix(f"{episode.error}; "), evidence)
    met = "; the goal was never met on the way" if on_the_way else ""
    if verdict.first_step is not None:
        met = f"; the goal was met after step {verdict.first_step}"
    sought, where = evidence.get("sought", ""), evidence.get("where", "")
    closest, subgoals = redacted([closest, evidence.get("subgoals", [])])
    screen, page = _where_to_look(item, episode, verdict.first_step)
    lines = failure(
        episode, sought, where, closest, met, subgoals=subgoals, screen=screen, page=page
    )
    path, line = report.location[0], (report.location[1] or 0) + 1
    message = printable(redacted(verdict.reason).partition("\n")[0])
    entries = [ReprEntryNative([f"{line}\n" for line in lines])]
    report.longrepr = ReprExceptionInfo(
        reprtraceback=ReprTraceback(entries, None, "native"),
        reprcrash=ReprFileLocation(path, line, message),
    )


def show_error(
    item: pytest.Item, report: pytest.TestReport, episode: Episode, missed: list[str]
) -> None:
    """Make pytest display what the agent did below the traceback of a body's own error.

    That is for the author of the task. `missed` is what the body did not find, and then used as if
    it were an element.
    """
    if isinstance(report.longrepr, ExceptionRepr):
        screen, page = _where_to_look(item, episode, None)
        closest = redacted(nearest("", {"closest": missed})) + _INSTEAD if missed else ""
        lines = failure(episode, "", "", closest, "", screen=screen, page=page)
        report.longrepr.addsection("episode", "\n".join(lines))


def _where_to_look(item: pytest.Item, episode: Episode, met: int | None) -> tuple[str, str]:
    """Return the last screenshot, and the run's page at the decisive step; empty if none."""
    screenshot = last_screenshot(episode)
    if episode.folder is None or screenshot is None:
        return "", ""
    page = near(item.config, item.config.stash[RUN].folder.path / PAGE)
    step = telling_step(episode, met)
    link = deep_link(page, episode.folder.name, step)
    return str(near(item.config, screenshot)), link


def show_review(report: pytest.TestReport, reason: str) -> None:
    """Turn a report into one that neither passes nor fails; `Collector` gives it its letter."""
    report.outcome = "skipped"
    report.longrepr = (
        report.location[0],
        report.location[1] or 0,
        f"review: {printable(redacted(reason))}",
    )


SHOWN = 64 * 1024  # characters of a stream in a phase of a test; a longer one is cut to half
KEPT = 8 * 1024 * 1024  # characters of it that are written to the episode's folder


def cut_sections(item: pytest.Item, report: pytest.TestReport) -> None:
    """Cut what pytest has captured of a task, and write more of it to the episode's folder."""
    episode = state_of(item).episode
    folder = None if episode is None else episode.folder
    sections = item._report_sections  # noqa: SLF001 - reports of later phases are made of it
    for number, (when, key, text) in enumerate(sections):
        if len(text) > SHOWN:
            sections[number] = when, key, _cut(folder, key, text)
    texts = {f"Captured {key} {when}": text for when, key, text in sections}
    report.sections[:] = [(title, texts.get(title, text)) for title, text in report.sections]


def _cut(folder: Path | None, key: str, text: str) -> str:
    shown = cut(text, SHOWN // 2)  # far enough from it that no later phase cuts it again
    if folder is not None and folder.is_dir():
        path = folder / f"agent-{key}.txt"
        with suppress(OSError):  # the episode's record reports a full disk
            write_text(path, redacted(cut(text, KEPT)))
            shown += f"\n… of {len(text)} characters more are in {path}\n"
    return shown
