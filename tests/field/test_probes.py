"""Tests of reading what a phone's commands print for probes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_mobileagent import probes
from tests.field.corpus import outputs_of

if TYPE_CHECKING:
    from pytest_mobileagent._task import Probe
    from tests.field.corpus import Output


def check(entry: Output, probe: Probe) -> None:
    """Check what a probe returns where the phone prints the entry's output."""
    entry.check(lambda: probe.parse(entry.text(probe.script)))


@outputs_of("settings_get")
def test_settings(entry: Output) -> None:
    check(entry, probes.setting("global", "http_proxy"))


@outputs_of("media_volume")
def test_volumes(entry: Output) -> None:
    check(entry, probes.volume("music"))


@outputs_of("dumpsys_activity")
def test_the_activity_in_front(entry: Output) -> None:
    check(entry, probes.activity())


@outputs_of("content_query")
def test_rows_of_content_providers(entry: Output) -> None:
    check(entry, probes.provider("content://call_log/calls"))


@outputs_of("pm_list_packages")
def test_packages(entry: Output) -> None:
    third_party = sorted(set(entry.read or ()) & {"com.example.notes", "com.android.chrome"})
    check(replace(entry, read=third_party), probes.packages("third-party"))
