"""Tests of an episode in a real browser: steps, marks, elements, models, and keys."""

from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image

pytestmark = pytest.mark.slow  # starts a browser
LOADED = "[...document.querySelectorAll('#stage img')].every((i) => i.complete && i.naturalWidth)"


@pytest.fixture
def reader(read: Any, invented: Any, pictures: Any) -> Any:
    """Return a reader of a run with a success and two failures, the first with every detail."""
    rows = [
        invented.row("clock/ok", e="ok.0"),
        invented.row("clock/bad", "failed", e="bad.0", sought="Alarm(8, 0)", closest="Alarm(7, 0)"),
        invented.row("clock/worse", "failed", e="worse.0"),
    ]
    undone = [False, False, True, True, False, False, False]
    episodes = [
        invented.episode("ok.0", pictures),
        invented.episode("bad.0", pictures),
        invented.episode("worse.0", pictures, held=undone, answer="", error="it\nraised"),
    ]
    return read(invented.index(rows), episodes)


def test_failed_episode_opens_at_the_decisive_step_with_the_reason(reader):
    reader.go("#e=bad.0")
    reader.sees("#why", "Set an alarm for 8:00 on workdays")
    reader.sees("#why .ended", "self-reported after 6 steps (golden steps 4) · clock · level 1")
    said = dict(zip(reader.texts("#why > dl dt"), reader.texts("#why > dl dd"), strict=True))
    assert said == {"Expected": "Alarm(8, 0)", "Actual": "Alarm(7, 0)"}
    reader.click("#why .more summary")
    said = dict(zip(reader.texts("#why .more dt"), reader.texts("#why .more dd"), strict=True))
    assert said == {
        "Because": "the alarm is set for 7:00",
        "Answered": "The alarm is set.",
        "Said": "Step 6: I look for the alarm.",
    }
    reader.press("\ue00c")  # Escape closes what covers the page, before it leaves the episode.
    reader.until("!document.querySelector('#why .more').open")
    reader.sees("#detail", "Step 5 of 6")  # the last step that did not report success
    reader.at("#e=bad.0&s=5")
    reader.go("#e=worse.0")
    reader.sees("#detail", "Step 4 of 6")  # the step after which the check no longer held
    reader.go("#e=ok.0")
    reader.sees("#detail", "Step 1 of 6")


def test_keyboard_moves_between_steps_and_the_address_follows(reader):
    reader.go("#e=bad.0&s=2&f=outcome%3Afailed")
    reader.sees("#detail", "swipe (270, 900) to (270, 300)")
    reader.press("j")
    reader.at("#e=bad.0&s=3&f=outcome%3Afailed")
    reader.press("\ue014", "k", "\ue012", "\ue012")  # right; left
    reader.sees("#place", "Step 1 / 6")
    reader.press("k")
    reader.sees("#place", "Step 1 / 6")
    reader.press("\ue010")  # End
    reader.sees("#place", "Step 6 / 6")
    reader.press("n")
    reader.sees("#head h1", "worse")
    reader.press("n")
    reader.sees("#head h1", "bad")
    reader.press("J")
    reader.sees("#head h1", "worse")
    reader.press("?")
    reader.until("document.querySelector('#help').open")
    reader.press("\ue00c", "\ue00c")  # Escape closes the help, then the episode.
    reader.at("#f=outcome%3Afailed")
    reader.sees("#count", "2 of 3 tasks")
    reader.press("k", "\ue007")  # Enter
    reader.sees("#head h1", "bad")
    reader.chrome.back()
    reader.sees("#count", "2 of 3 tasks")


def test_a_step_shown_in_the_meantime_does_not_keep_the_reader_here(reader):
    reader.go("#e=bad.0&s=2")
    reader.sees("#place", "Step 2 / 6")
    # As if an episode loaded between a key press and the browser's event about the new address.
    reader.ask("(location.hash = '#e=worse.0', showFrame(4))")
    reader.sees("#head h1", "worse")
    reader.sees("#place", "Step 4 / 6")


def test_page_shows_pictures_packed_after_it_was_written(reader, tmp_path):
    for path in (tmp_path / "screens").glob("*.png"):
        with Image.open(path) as image:
            image.save(path.with_suffix(".webp"), lossless=True)
        path.unlink()
    reader.go("#e=bad.0&s=2")
    reader.until(LOADED)
    assert ".webp" in reader.ask("document.querySelector('#stage img').src")
    assert reader.ask("document.querySelectorAll('.gone').length") == 0
    reader.chrome.get_log("browser")  # Discards the messages about the missing pictures.


def test_episode_can_be_played(reader):
    reader.go("#e=ok.0&s=5")
    reader.sees("#place", "Step 5 / 6")
    reader.press(" ")
    reader.until("document.querySelector('#play').ariaLabel === 'Pause'")
    reader.sees("#place", "Step 6 / 6")
    reader.until("document.querySelector('#play').ariaLabel === 'Play'")


def test_screens_before_and_after_show_marks_of_actions(reader):
    reader.go("#e=bad.0&s=2")
    reader.until(LOADED)
    assert reader.texts("#stage figcaption b") == ["Before", "After"]
    path = reader.ask("document.querySelector('#screen path').getAttribute('d')")
    assert path.startswith("M 270 900 L 270 300")
    boxes = [
        reader.ask(f"(({{left, top}}) => [left, top])({where}.getBoundingClientRect())")
        for where in (
            "document.querySelector('#screen img')",
            "document.querySelector('#screen svg')",
        )
    ]
    assert boxes[0] == boxes[1]
    reader.press("j")  # a step with two actions, each with its own number
    reader.until("document.querySelectorAll('#screen .mark-number').length === 2")
    assert reader.ask("document.querySelectorAll('#screen .mark.dot').length") == 2
    reader.press("j", "j")
    reader.sees("#step .badge.bad", "not done")
    assert reader.ask("document.querySelectorAll('#screen .mark.undone').length") == 1


def test_elements_and_screen_highlight_each_other(reader):
    reader.go("#e=bad.0&s=2")
    reader.press("5")
    reader.sees("#tree", "#row0")
    assert reader.texts("#tree .node")[0] == "FrameLayout"
    reader.until(LOADED)
    reader.hover("#node-3")
    box = "document.querySelector('#screen .box')"
    reader.until(f"{box}?.getAttribute('y') === '140' && {box}.getAttribute('height') === '110'")
    reader.sees("#element", "com.clock:id/row0")
    height = reader.ask("document.querySelector('#screen').clientHeight")
    reader.hover("#screen", y=height * (325 / 1200 - 0.5))  # the centre of the second row
    reader.until("document.querySelector('.pointed')?.id === 'node-4'")
    reader.click("#tab-messages")
    # The gap between rows belongs to the list. Selecting an element shows it among the others.
    reader.chrome.find_element("css selector", "#screen").click()
    reader.until("document.querySelector('[role=treeitem][aria-selected=true]')?.id === 'node-2'")


def test_tabs_show_events_probes_checks_and_judges(reader):
    reader.go("#e=bad.0&s=4")
    reader.click("#tab-events")
    reader.sees("#panel", "TYPE_VIEW_CLICKED Alarm")
    reader.click("#tab-check")
    reader.sees("#panel", "alarms ●")
    reader.sees("#panel", "After this step the check does not hold")
    reader.sees("#panel", "an alarm exists first at step 3")
    reader.sees("#panel .side-by-side", "It rings at 7:00.")
    reader.sees("#stage", "no effect")
    reader.click("#panel .opinions details summary")
    reader.sees("#panel .opinions details[open]", "Alarm(8, 0)")


def test_step_can_be_copied_as_markdown(reader):
    reader.go("#e=bad.0&s=2")
    reader.sees("#detail", "Step 2 of 6")
    reader.press("y")
    reader.sees("#status", "Copied")
    text = reader.ask("stepAsMarkdown()")
    assert text.startswith("### ✗ clock/bad: failed\n")
    assert "- **sought** Alarm(8, 0)" in text
    assert "2. swipe (270, 900) to (270, 300) **← here**" in text
    assert text.endswith("report.html\\#e=bad.0&s=2")


def test_packed_pictures_need_no_files(read, invented, pictures, tmp_path):
    shown = invented.episode("a.0", pictures)
    packed = {}
    for path in (tmp_path / "screens").glob("*.png"):
        stream = io.BytesIO()
        Image.open(path).resize((90, 200)).save(stream, "WEBP")
        packed[path.stem] = stream.getvalue()
        path.unlink()
    reader = read(invented.index([invented.row("a/a", e="a.0")]), [shown], pictures=packed)
    reader.go("#e=a.0")
    reader.until(f"document.querySelectorAll('#stage img').length === 2 && {LOADED}")
    assert reader.ask("document.querySelector('#stage img').src").startswith("blob:")
    reader.until("document.querySelector('#strip img').naturalWidth === 90")


def test_missing_or_damaged_files_are_reported(read, invented, pictures):
    damaged = {"e": "d.0", "damaged": "line 3 is no JSON", "frames": [], "opinions": []}
    blank = invented.episode("b.0", pictures)
    for frame in blank["frames"]:
        frame.update(png=None, after=None, size=None, tree=None, calls=[], probes={}, events=[])
    rows = [
        invented.row("a/d", "error", e="d.0", reason="broke"),
        invented.row("a/b", "failed", e="b.0"),
        invented.row("a/none"),
    ]
    reader = read(invented.index(rows), [damaged, blank])
    reader.go("#e=d.0")
    reader.sees("#why", "line 3 is no JSON")
    reader.sees("#stage", "No step was recorded.")
    reader.go("#e=b.0&s=99")
    reader.press("5")
    reader.sees("#panel", "unknown")
    reader.sees("#stage", "no picture")
    reader.go("#e=elsewhere.0")
    reader.sees("#problem", "This page has no episode elsewhere.0.")
    reader.press("\ue00c")
    reader.sees("#count", "3 tasks")
    assert reader.ask("document.querySelector('#problem').hidden")


def test_a_crash_is_marked_in_the_strip_and_shown_with_its_trace(read, invented, pictures):
    text = "com.example.water: TypeError: no number, water/main.py:26"
    episode = invented.episode("bad.0", pictures)
    crash = {"kind": "crash", "package": "com.example.water", "error": "TypeError: no number"}
    crash |= {"place": "water/main.py:26", "trace": "FATAL EXCEPTION: main\n<b>x</b>", "text": text}
    episode["frames"][2] |= {"crashes": [crash], "log": ["11-24 08:00:00.000 W Bell: loud"]}
    rows = [
        invented.row("clock/bad", "failed", e="bad.0", crashes=1),
        invented.row("clock/calm", "failed", e="calm.0", crashes=0),
        invented.row("clock/unread", "failed", e="unread.0", crashes=None),
    ]
    reader = read(invented.index(rows), [episode])
    reader.go("#f=crashes>0")
    reader.sees("#count", "1 of 3 tasks")
    reader.go("#e=bad.0&s=3")
    reader.click("#why .more summary")
    reader.sees("#why", f"{text}, at step 3")
    assert reader.texts("#strip .sign-key") == ["✖ crash"]
    reader.sees("#step .crash", f"crash {text}")
    reader.sees("#tab-log", "Log2")
    reader.click("#tab-log")
    reader.sees("#panel", "FATAL EXCEPTION: main\n<b>x</b>")
    reader.sees("#panel", "W Bell: loud")
    reader.go("#e=bad.0&s=2")
    reader.sees("#detail", "Step 2 of 6")
    assert not reader.texts("#detail .crash")


def test_check_is_shown_around_the_failed_condition(read, invented, pictures):
    text = "alarms = episode.probe('alarms')\nassert Alarm(8, 0) in alarms\n    </pre>"
    source = {"first": 41, "line": 42, "text": text}
    rows = [invented.row("clock/bad", "failed", e="bad.0"), invented.row("clock/ok", e="ok.0")]
    each = [invented.episode(row["e"], pictures, source=source) for row in rows]
    reader = read(invented.index(rows), each)
    reader.go("#e=bad.0")
    reader.press("8")
    reader.sees("#panel .failed-line", "  42  assert Alarm(8, 0) in alarms")
    reader.sees("#panel .source", "  43      </pre>")
    reader.click("#why .more > summary")
    reader.click("#why .fold summary")
    reader.sees("#why .failed-line", "  42  assert Alarm(8, 0) in alarms")
    reader.go("#e=ok.0")
    reader.sees("#head h1", "ok")
    assert "The check" not in reader.texts("#panel")[0]
