"""Tests of reading crashes from the log, and from Android's store of crash reports."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from pytest_mobileagent.device.logcat import crashes, dropbox_crashes, parse_line
from tests.field.corpus import outputs_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_mobileagent.episode.event import Crash
    from tests.field.corpus import Output


def facts(found: Iterable[Crash]) -> list[list[str]]:
    """Return the kind, package, error and place of each crash."""
    return [[each.kind, each.package, each.error, each.place] for each in found]


@outputs_of("logcat")
def test_crashes_in_the_log(entry: Output) -> None:
    lines = entry.output.splitlines()
    entry.check(lambda: facts(crashes(filter(None, map(parse_line, lines)))))


@outputs_of("dumpsys_dropbox")
def test_stored_crashes(entry: Output) -> None:
    def read() -> list[list[str]] | None:
        found = dropbox_crashes(f"mobileagent data_app_crash\n{entry.output}", datetime(2020, 1, 1))
        return None if found is None else facts(crash for _, crash in found)

    entry.check(read)
