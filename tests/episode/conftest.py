"""Fixtures for records: new folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return an iterator over folders that do not exist yet."""
    root = tmp_path_factory.mktemp("runs")
    return (root / str(number) for number in range(1_000_000))
