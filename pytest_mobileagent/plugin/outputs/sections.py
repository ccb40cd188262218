"""What a task printed, cut in reports: an agent in pytest's own process may print without end."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from pytest_mobileagent.episode.cutting import cut
from pytest_mobileagent.episode.redaction import redacted
from pytest_mobileagent.fileio import write_text
from pytest_mobileagent.plugin.state import state_of

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

SHOWN = 64 * 1024  # characters of each stream in a phase of a test; of more, half as many
KEPT = 8 * 1024 * 1024  # and in the episode's folder


def cut_sections(item: pytest.Item, report: pytest.TestReport) -> None:
    """Cut what pytest has captured of a task, and keep more of it in the episode's folder."""
    episode = state_of(item).episode
    folder = None if episode is None else episode.folder
    sections = item._report_sections  # noqa: SLF001 - reports of later phases are made of it
    for number, (when, key, text) in enumerate(sections):
        if len(text) > SHOWN:
            sections[number] = when, key, _cut(folder, key, text)
    told = {f"Captured {key} {when}": text for when, key, text in sections}
    report.sections[:] = [(title, told.get(title, text)) for title, text in report.sections]


def _cut(folder: Path | None, key: str, text: str) -> str:
    shown = cut(text, SHOWN // 2)  # far enough from it that no later phase cuts it again
    if folder is not None and folder.is_dir():
        path = folder / f"agent-{key}.txt"
        with suppress(OSError):  # a full disk is told of by the episode's record
            write_text(path, redacted(cut(text, KEPT)))
            shown += f"\n… of {len(text)} characters more are in {path}\n"
    return shown
