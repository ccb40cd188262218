"""A fixture with a phone for session tests."""

from __future__ import annotations

import pytest

from pytest_mobileagent.testing import FakePhone, make_screen


@pytest.fixture
def phone() -> FakePhone:
    screens = [make_screen(str(number), size=(100, 200)) for number in range(10)]
    return FakePhone(screens)
