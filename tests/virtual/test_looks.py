"""The suite's own screens on displays of all kinds, in all languages: nothing is cut off."""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pytest_mobileagent.virtual.intent import Intent
from pytest_mobileagent.virtual.main import boot
from pytest_mobileagent.virtual.ui import Text
from pytest_mobileagent.virtual.ui import text as roboto
from pytest_mobileagent.virtual.ui.leaves import areas

APPS = Path(__file__).parents[2] / "fixtures" / "apps"
SETTINGS, CLOCK = "com.android.settings", "com.android.deskclock"
DISPLAYS = [
    ((1080, 2160), 330, "1.15"),
    ((1080, 2160), 440, "1.3"),
    ((1080, 2160), 550, "0.85"),
    ((1080, 2400), 700, "0.85"),
    ((1440, 3040), 560, "1.0"),
    ((1280, 800), 160, "1.0"),
]
PAGES = ("WIRELESS", "DISPLAY", "SOUND", "DATE", "LOCALE", "APPLICATION", "DEVICE_INFO")


@pytest.fixture(scope="module")
def whole():
    return boot([APPS], datetime(2026, 5, 1, 9, 30, tzinfo=UTC), frozen=True)


def tap(phone, id):
    box = next(b for w in reversed(phone.windows.stack) for b in w.box.walk() if b.view.id == id)
    left, top, right, bottom = box.bounds
    phone.tap((left + right) // 2, (top + bottom) // 2)


def cut(phone):
    """The texts that are seen in part only, though no list scrolls them out of view."""
    for window in phone.windows.stack:
        for box in window.box.walk():
            view, seen = box.view, box.visible
            if not isinstance(view, Text) or not view.text or not seen or view.size <= 1:
                continue
            size, (left, top, right, bottom) = box.metrics.sp(view.size), box.bounds
            room, _ = areas(view, box.bounds, box.lines, box.metrics)
            wide = max(roboto.width(line, size, view.bold) for line in box.lines)
            tall = roboto.height(len(box.lines), size)
            too_large = wide > min(room[2] - room[0], right - left) + 1 or tall > bottom - top + 2
            if too_large or (seen[0], seen[2]) != (left, right):
                yield f"{window.kind} {view.id or view.kind}: {view.text}"


def walk(phone):
    """Go through the screens; yield after each."""
    phone.key("HOME")
    yield "home"
    size = phone.display.metrics
    middle, height = size.width_px // 2, size.height_px
    phone.swipe(middle, height * 3 // 5, middle, height // 5)
    yield "all apps"
    phone.activities.launch(SETTINGS)
    yield "settings"
    for page in PAGES:
        phone.activities.start(_page(page))
        yield page
        phone.key("BACK")
    phone.activities.launch(CLOCK)
    yield "alarms"
    tap(phone, "arrow")
    yield "an alarm"
    tap(phone, "fab")
    yield "the time picker"
    tap(phone, "android:id/toggle_mode")
    yield "the time picker's fields"
    phone.activities.force_stop(CLOCK)
    phone.activities.launch(CLOCK)
    for tab in ("page_clock", "page_timer", "page_stopwatch"):
        tap(phone, tab)
        yield tab
    phone.shade.pull()
    yield "the shade"


def _page(name):
    return Intent(f"android.settings.{name}_SETTINGS")


@pytest.mark.parametrize("locale", ["en-US", "zh-CN", "ko-KR", "fr-CA", "ar-EG"])
@pytest.mark.parametrize(("size", "density", "font"), DISPLAYS)
def test_no_text_is_cut(whole, size, density, font, locale):
    whole.snapshots.load("default_boot")
    whole.display.size_override, whole.display.density_override = size, density
    whole.settings.put("system", "font_scale", font)
    whole.locales.change([locale])
    assert {screen: found for screen in walk(whole) if (found := list(cut(whole)))} == {}


@pytest.mark.parametrize("language", ["zh-CN", "ko", "fr", "ar"])
@pytest.mark.parametrize("app", ["settings", "clock", "contacts", "dialer", "messages", "calendar"])
def test_an_app_is_translated_as_a_whole(app, language):
    folder = APPS / app / "strings"
    texts = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in folder.glob("*.toml")}
    assert set(texts[language]) == set().union(*texts.values())
    for english, text in texts[language].items():
        assert text.strip() or english == ", "
        names = {part.split("}")[0] for part in english.split("{")[1:]}
        assert {part.split("}")[0] for part in text.split("{")[1:]} <= names
