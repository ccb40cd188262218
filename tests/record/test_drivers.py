"""Tests of recording on devices driven by Appium, which is slower and records the same moves."""

from __future__ import annotations

from contextlib import closing

import pytest

from pytest_mobileagent import Finish, Open, Tap
from pytest_mobileagent.record.recording import Recording
from tests.device.conftest import DRIVERS
from tests.record.conftest import COUNTER

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("driver", ["appium", "hub"])
def test_appium_records_the_same_moves(phone, request, driver):
    with closing(DRIVERS[driver](phone, request)) as device:
        recording = Recording(device, (COUNTER,))
        recording.act(Open(COUNTER))
        for _ in range(2):
            recording.act(Tap(*recording.screen.get(resource_id="add").bounds.center))
        recording.undo()
        count = int(recording.screen.get(resource_id="count").text.removeprefix("Count: "))
        assert [each.move for each in recording.done] == ["open_app()", 'tap(resource_id="add")']
        assert f"+ {{n: {count}}}" in [each.what for each in recording.finish(Finish())]
