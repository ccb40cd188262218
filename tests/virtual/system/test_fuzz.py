"""After any input, the phone's screen can be captured, and only apps crash."""

from __future__ import annotations

import io
import random
import re

import pytest
from PIL import Image

KEYS = ("A", "APP_SWITCH", "BACK", "DEL", "DPAD_CENTER", "DPAD_DOWN", "ENTER", "HOME", "MENU",
        "NOTIFICATION", "PAGE_DOWN", "POWER", "TAB")  # fmt: skip
CLICKABLE = re.compile(r'clickable="true"[^>]*bounds="\[(\d+),(\d+)\]\[(\d+),(\d+)\]"')


def tap_something(phone, chance):
    boxes = CLICKABLE.findall(phone.dump())
    if boxes:
        left, top, right, bottom = map(int, chance.choice(boxes))
        phone.tap((left + right) // 2, (top + bottom) // 2)


def swipe(phone, chance):
    points = [chance.randrange(limit) for limit in (1080, 2400, 1080, 2400)]
    phone.swipe(*points, chance.choice([0, 50, 300, 1000]))


def restyle(phone, chance):
    phone.settings.put("system", "user_rotation", chance.choice("0123"))
    phone.settings.put("system", "font_scale", chance.choice(["0.85", "1.0", "2.0"]))
    phone.display.density_override = chance.choice([None, 320, 560])


ACTS = (
    [tap_something] * 8
    + [swipe] * 4
    + [lambda phone, chance: phone.key(chance.choice(KEYS))] * 3
    + [lambda phone, chance: phone.type_text(chance.choice(["abc", "x\n", "\t"]))]
    + [lambda phone, _: phone.activities.launch("org.demo")]
    + [restyle]
)


@pytest.mark.parametrize("seed", range(2))
def test_anything_may_happen(phone, seed, caplog):
    caplog.set_level("CRITICAL")
    chance = random.Random(seed)
    stop = phone.events.subscribe(str, windows=True) if seed % 2 else lambda: None
    for number in range(80):
        chance.choice(ACTS)(phone, chance)
        phone.power.wake()
        assert phone.dump().endswith("</hierarchy>")
        if number % 5 == 0:
            with Image.open(io.BytesIO(phone.screenshot())) as read:
                assert read.tobytes() == phone.sight.picture().tobytes()
    stop()
    failures = [entry.message for entry in phone.log.entries if "Error:" in entry.message]
    assert set(failures) <= {"ZeroDivisionError: division by zero"}  # from a button of the demo app
