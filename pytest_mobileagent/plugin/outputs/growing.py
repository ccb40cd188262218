"""report.html while a run goes on, so that there is a page of one that is killed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.plugin.state import RESULT

if TYPE_CHECKING:
    from pytest_mobileagent.plugin.collector import Collector

_FIRST = 10.0  # seconds from the start of the session
_SHARE = 0.02  # of the time that goes by may be spent on pages
_LEAST = 5.0  # seconds between two pages


class GrowingPage:
    """A plugin of the process that owns a run: it writes the page of what has finished so far.

    The larger the page, the less often. Whatever goes wrong is told at the end of the run, when
    the page is written a last time: until then there is another chance.
    """

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._next = time.monotonic() + _FIRST

    @pytest.hookimpl(trylast=True)  # the collector has it
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write the page if it is time for that."""
        began = time.monotonic()
        if began < self._next or getattr(report, RESULT, None) is None:
            return
        try:
            self._write()
        except Exception:  # noqa: BLE001 - the run goes on, whatever its records hold
            self._next = float("inf")
        else:
            ended = time.monotonic()
            self._next = ended + max(_LEAST, (ended - began) / _SHARE)

    def _write(self) -> None:
        from pytest_mobileagent.report.document import document
        from pytest_mobileagent.report.html.writing import write_page

        folder = self._collector.run.folder
        write_page(folder.path, document(folder.about(), self._collector.results))
