"""Runs screen tests on every view hierarchy that was recorded on a real phone."""

from __future__ import annotations

from pathlib import Path

import pytest

RECORDINGS = Path(__file__).resolve().parents[2] / ".." / "shared" / "data"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize the tests that use `recorded_xml` with the text of each recording."""
    if "recorded_xml" in metafunc.fixturenames:
        files = sorted(RECORDINGS.rglob("*.xml"))
        missing = pytest.mark.skip("the recordings of real phones are not beside this repository")
        metafunc.parametrize(
            "recorded_xml",
            [
                pytest.param(path.read_text("utf-8"), id=path.relative_to(RECORDINGS).as_posix())
                for path in files
            ]
            or [pytest.param("", marks=missing, id="no-recordings")],
        )
