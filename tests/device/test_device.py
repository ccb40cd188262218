"""Tests of settle times, which may differ between apps."""

from __future__ import annotations

import pytest

from pytest_mobileagent.device.device import Settle, parse_settle


def test_apps_may_have_their_own_settle_limits():
    settle = parse_settle("5, com.instagram.android=30 ,org.wikipedia=0.5")
    assert settle == Settle(5.0, {"com.instagram.android": 30.0, "org.wikipedia": 0.5})
    limits = [settle.limit(app) for app in ("org.wikipedia", "com.instagram.android", "else", "")]
    assert limits == [0.5, 30.0, 5.0, 5.0]


@pytest.mark.parametrize(
    "text", ["0", "-1", "nan", "inf", "five", "5,30", "5,=3", "5,a=x", "a=3", "5,", "5,a b=3"]
)
def test_an_invalid_number_of_seconds_is_refused(text):
    with pytest.raises(ValueError, match="of seconds above 0"):
        parse_settle(text)


def test_app_has_one_settle_limit():
    with pytest.raises(ValueError, match=r"names org\.wikipedia twice"):
        parse_settle("5,org.wikipedia=3,org.wikipedia=30")
