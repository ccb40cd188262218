"""Tests of how the focus is read from the window manager's output."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.device.screen import FOCUS, focus

SHOP = ("com.shop", "com.shop.Main")
WINDOW = "mCurrentFocus=Window{48b4735 u0 com.shop/com.shop.Main}"
APP = "mFocusedApp=ActivityRecord{72fe3d1 u0 com.shop/.Main t12}"
COVER = "mFocusedApp=ActivityRecord{11aa22b u0 com.android.systemui/.cover.CoverHome t7}"
NONE = "mCurrentFocus=null"
HOME = "mCurrentFocus=Window{9 u0 com.launcher/com.launcher.Home}"


def shown(title: str) -> str:
    return f"mCurrentFocus=Window{{6a u0 {title}}}"


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ([WINDOW], SHOP),
        ([WINDOW, APP], SHOP),
        ([WINDOW, COVER], SHOP),
        (["mFocusedApp=ActivityRecord{7 u0 com.shop/a.b.Main t12}"], ("com.shop", "a.b.Main")),
        (["mFocusedApp=ActivityRecord{7 u0 com.shop/.Main$1 t1}"], ("com.shop", "com.shop.Main$1")),
        ([NONE, "mFocusedApp=null"], ("", "")),
        ([], ("", "")),
        # Forms of several versions and makers.
        (["mFocusedApp=AppWindowToken{1 token=Token{2 ActivityRecord{3 u0 com.shop/.Main}}"], SHOP),
        (["mFocusedApp=ActivityRecord{3 u0 com.shop/.Main, isShadow:false t1}"], SHOP),
        (["mFocusedApp=ActivityRecord{3 u0 com.shop/.Main t1 f}}"], SHOP),
        (["mFocusedApplication=ActivityRecord{3 u0 com.shop/.Main t1}"], SHOP),
        ([shown("com.shop/com.shop.Main EXITING")], SHOP),
        ([shown("com.shop/com.shop.Main type=1")], SHOP),
        ([shown("d0 p4321 com.shop/com.shop.Main")], SHOP),
        (["mCurrentFocus=Window{6a u10 com.shop/com.shop.Main}"], SHOP),
        ([shown("android/com.android.internal.app.ChooserActivity"), APP],
         ("android", "com.android.internal.app.ChooserActivity")),
        # Windows that belong to no activity.
        ([shown("PopupWindow:4f2a1b"), APP], SHOP),
        ([shown("NotificationShade"), APP], SHOP),
        ([shown("Application Not Responding: com.other"), APP], SHOP),
        ([shown("StatusBar"), "mFocusedApp=null"], ("", "")),
        ([shown("com.chat"), APP], ("com.chat", "")),
        ([shown("com.shop"), APP], SHOP),
        ([shown("Read 1/2.3 of it"), APP], SHOP),
        # An app that is starting.
        ([NONE, APP], SHOP),
        ([shown("Splash Screen com.shop"), APP], SHOP),
        ([shown("Splash Screen com.chat"), APP], ("com.chat", "")),
        ([HOME, APP], ("com.launcher", "com.launcher.Home")),
        # Several displays, with and without their numbers.
        ([NONE, "mFocusedApp=null", NONE, COVER, WINDOW, APP], SHOP),
        ([WINDOW, APP, NONE, COVER], SHOP),
        ([COVER, NONE, APP, WINDOW], SHOP),
        ([NONE, COVER, NONE, APP], SHOP),
        (["Display: mDisplayId=2", HOME, "Display: mDisplayId=0 (organized)", WINDOW, APP], SHOP),
        (["Display: mDisplayId=0", HOME, "Display: mDisplayId=2", WINDOW, APP,
          "mTopFocusedDisplayId=2"], SHOP),
        (["Display: mDisplayId=0", WINDOW, "Display: mDisplayId=2", NONE, COVER,
          "mTopFocusedDisplayId=2"], SHOP),
        (["Display: mDisplayId=0", NONE, APP, "Display: mDisplayId=1",
          NONE, COVER], SHOP),
        # Android 9 lists the displays without their focus, and the windows with it.
        (["Display: mDisplayId=0", "Display: mDisplayId=1", WINDOW, APP], SHOP),
    ],
)  # fmt: skip
def test_the_focused_window_of_the_focused_display_counts(lines, found):
    assert focus("".join(f"  {line}\r\n" for line in lines)) == found


NAMES = ("Display: mDisplayId", "mCurrentFocus", "mFocusedApp", "mTopFocusedDisplayId", "Window")


@given(st.lists(st.tuples(st.sampled_from(NAMES), st.text())))
def test_any_text_is_read(lines):
    package, activity = focus("\n".join(f"{name}={value}" for name, value in lines))
    assert package or not activity


@pytest.mark.parametrize(
    ("displays", "windows", "asked"),
    [
        (f"  {WINDOW}\n", "", "displays"),
        ("  mCurrentFocus=null\n", "", "displays"),
        ("  Display: mDisplayId=0\n", f"  mLastFocus=null\n  {WINDOW}\n", "displays windows"),
        (f"  {HOME}\n  Display: mDisplayId=7\n  {WINDOW}\n", "  mTopFocusedDisplayId=7\n",
         "displays windows"),
    ],
)  # fmt: skip
def test_windows_are_listed_only_where_displays_do_not_tell(displays, windows, asked, tmp_path):
    (tmp_path / "displays").write_text(displays)
    (tmp_path / "windows").write_text(windows)
    phone = f'dumpsys() {{ echo "$2" >>asked; cat "$2"; }}; {FOCUS}'
    command = ["sh", "-c", phone]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (tmp_path / "asked").read_text().split() == asked.split()
    assert "mLastFocus" not in ran.stdout
    if "Window" in displays + windows:
        assert focus(ran.stdout) == SHOP
