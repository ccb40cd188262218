"""A pytest plugin that records when each process of a run reaches its stages (see start.py)."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")


def note(what: str) -> None:
    cpu = os.times()
    line = {
        "what": what,
        "worker": WORKER,
        "seconds": time.time() - float(os.environ["BENCHMARK_BEGAN"]),
        "cpu": cpu.user + cpu.system,
    }
    with Path(os.environ["BENCHMARK_EVENTS"]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def pytest_sessionstart() -> None:
    note("started")


def pytest_collection_finish() -> None:
    note("collected")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    note("task began")
    try:
        return (yield)
    finally:
        note("task ended")
