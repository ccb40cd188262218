"""Tests of how the adb driver reads the window manager's output."""

from __future__ import annotations

import pytest

from pytest_mobileagent.device.drivers.adb.system import focus

APP = "  mFocusedApp=ActivityRecord{72fe3d1 u0 com.shop/.Main t12}\n"


@pytest.mark.parametrize(
    ("dump", "found"),
    [
        ("  mCurrentFocus=Window{48b4735 u0 com.shop/com.shop.Main}\n", "com.shop.Main"),
        (f"  mCurrentFocus=Window{{48b4735 u0 com.shop/com.shop.Main}}\n{APP}", "com.shop.Main"),
        (f"  mCurrentFocus=Window{{6a u0 PopupWindow:4f2a1b}}\n{APP}", "com.shop.Main"),
        (f"  mCurrentFocus=null\n{APP}", "com.shop.Main"),
        ("  mFocusedApp=ActivityRecord{7 u0 com.shop/a.b.Main t12}\n", "a.b.Main"),
        ("  mFocusedApp=ActivityRecord{7 u0 com.shop/.sub.Main$1 t12}\n", "com.shop.sub.Main$1"),
        ("  mCurrentFocus=null\n  mFocusedApp=null\n", ""),
    ],
)
def test_focused_activity_is_named_below_other_windows(dump: str, found: str) -> None:
    assert focus(dump) == ("com.shop" if found else "", found)
