"""Pauses between tests, after which it is not known yet which test follows, if any.

What a test leaves set up for the next one is torn down before a pause, but for what belongs to the
whole session, such as the device; and tests that wait for judges are done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_mobileagent.plugin.deferring import Deferring


def run_before_pause(item: pytest.Item) -> None:
    """Run a test after which there is a pause."""
    then = cast("pytest.Item", item.session)  # for pytest, what follows belongs to it, no more
    item.ihook.pytest_runtest_protocol(item=item, nextitem=then)
    deferring: Deferring | None = item.config.pluginmanager.get_plugin("mobileagent-deferring")
    if deferring is not None:
        deferring.run_waiting(item.session)


class Pauses:
    """A plugin of the workers of pytest-xdist: a test that one is given again is a pause."""

    def __init__(self) -> None:
        self._begun: set[str] = set()
        self._runs_one = False
        self._is_over = False

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtestloop(self) -> Generator[None, Any, Any]:
        """Take note that no more tests are given; some may wait for judges still."""
        try:
            return (yield)
        finally:
            self._is_over = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | pytest.Session | None
    ) -> bool | None:
        """Run nothing at a pause, and get ready for it before."""
        if self._runs_one or self._is_over:  # called from here, or one that has waited for judges
            return None
        if item.nodeid in self._begun:
            return True
        self._begun.add(item.nodeid)
        self._runs_one = True
        try:
            if isinstance(nextitem, pytest.Item) and nextitem.nodeid in self._begun:
                run_before_pause(item)
            else:
                item.ihook.pytest_runtest_protocol(item=item, nextitem=nextitem)
        finally:
            self._runs_one = False
        return True
