"""Tests that two screens are one page despite the time, and two pages for any other difference."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import datetime
from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from PIL import Image, ImageDraw

from pytest_mobileagent import Screen
from pytest_mobileagent.dataset.equality import same_page, sight
from pytest_mobileagent.errors import ScreenError
from pytest_mobileagent.testing import make_screen
from pytest_mobileagent.virtual.app.loading import load_apps
from pytest_mobileagent.virtual.boot import boot

from .labelled import START, Maker, Pair

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NINE = datetime(2026, 11, 20, 9, 41)
SIZE = (360, 800)
LIST = {"text": "Items", "bounds": "[0,100][360,160]"}
FIELD = {
    "text": "milk", "class": "android.widget.EditText", "bounds": "[20,200][340,260]",
    "focused": "true",
}  # fmt: skip


def screen(*nodes: dict[str, str], time: datetime | None = NINE, drawn: bool = False) -> Screen:
    """Return a screen of nodes, with a red square if `drawn`."""
    made = make_screen(*nodes, size=SIZE, shade=200, time=time)
    picture = Image.new("RGB", SIZE, (200, 200, 200))
    if drawn:
        ImageDraw.Draw(picture).rectangle((100, 210, 140, 250), fill=(200, 0, 0))
    packed = io.BytesIO()
    picture.save(packed, "PNG")
    return replace(made, png=packed.getvalue())


def same(one: Screen, other: Screen) -> bool:
    return same_page(sight(one), sight(other))


@pytest.mark.parametrize(
    ("node", "later", "at", "expected"),
    [
        ({"text": "9:41 AM"}, {"text": "11:05 AM"}, (11, 5), True),
        ({"text": "Now: 09.41"}, {"text": "Now: 23.05"}, (23, 5), True),
        # The text did not advance, so it is not a clock.
        ({"text": "9:41"}, {"text": "9:41"}, (9, 50), False),
        ({"text": "7:00 AM"}, {"text": "7:30 AM"}, (11, 5), False),
        # The screen was read before the minute ended.
        ({"text": "9:41 AM"}, {"text": "9:40 AM"}, (9, 41), True),
        ({"text": "Fri, Nov 20", "resource-id": "a:id/date"}, {}, (9, 41), True),
        ({"text": "87 %", "resource-id": "a:id/battery_level"}, {"text": "12 %"}, (9, 41), True),
        ({"text": "87 %", "resource-id": "a:id/volume"}, {"text": "12 %"}, (9, 41), False),
        ({"checked": "false"}, {"checked": "true"}, (9, 41), False),
        ({"focused": "false"}, {"focused": "true"}, (9, 41), True),  # the focus of a button
    ],
)
def test_only_the_time_of_the_clock_may_differ(node, later, at, expected):
    base = {"text": "", "bounds": "[0,300][360,360]", **node}
    then = NINE.replace(hour=at[0], minute=at[1])
    assert same(screen(LIST, base), screen(LIST, {**base, **later}, time=then)) is expected


def test_the_date_and_the_status_bar_do_not_count():
    date = {"resource-id": "launcher:id/date", "bounds": "[20,60][150,90]"}
    one = screen({**date, "text": "Fri, Nov 20"})
    wider = {**date, "text": "Sat, Nov 28", "bounds": "[20,60][164,90]"}
    assert same(one, screen(wider, time=datetime(2026, 11, 28, 8, 0)))
    assert not same(one, screen(wider, time=NINE))  # A date other than the phone's is content.
    bar = {"text": "9:41", "package": "com.android.systemui", "bounds": "[0,0][60,20]"}
    icon = {**bar, "text": "", "content-desc": "Mail", "bounds": "[60,0][80,20]"}
    assert same(screen(LIST, bar), screen(LIST, icon, bar))


def test_a_time_in_a_list_of_times_is_not_a_clock():
    tops = {hour: f"[0,{80 * hour}][360,{80 * hour + 60}]" for hour in (7, 8, 9)}
    rows = [{"text": f"{hour}:41 AM", "bounds": box} for hour, box in tops.items()]
    assert same(screen(*rows), screen(*rows, time=NINE.replace(hour=15)))
    clock = {"text": "9:41", "resource-id": "a:id/text_clock", "bounds": "[0,60][90,90]"}
    later = {**clock, "text": "3:05"}
    assert same(screen(clock, *rows), screen(later, *rows, time=NINE.replace(hour=15, minute=5)))


def test_the_picture_decides_where_the_elements_are_equal():
    assert not same(screen(LIST), screen(LIST, drawn=True))
    assert same(screen(FIELD), screen(FIELD, drawn=True))  # A cursor may blink in the field.
    assert not same(screen(FIELD), screen({**FIELD, "text": "milk, eggs"}))
    assert not same(screen(FIELD), screen({**FIELD, "focused": "false"}))


def test_missing_data_never_counts_as_equal():
    whole = screen(LIST)
    assert same(replace(whole, xml=""), replace(whole, xml=""))
    assert not same(whole, replace(whole, xml=""))
    assert not same(whole, replace(whole, png=b""))
    assert same(replace(whole, png=b""), replace(whole, png=b""))
    empty = replace(whole, xml="", png=b"")
    assert not same(empty, empty)
    assert not same(whole, replace(whole, package="com.example.other"))
    with pytest.raises(ScreenError, match="cannot be decoded"):
        same(whole, replace(whole, png=whole.png[:40]))


def decided(pairs: Sequence[Pair]) -> tuple[int, int, list[str]]:
    """Return the number of pairs correctly and wrongly taken as equal, and all wrong decisions."""
    said = [(pair, same(pair.one, pair.other)) for pair in pairs]
    right = sum(pair.same and yes for pair, yes in said)
    wrongly = sum(yes and not pair.same for pair, yes in said)
    return right, wrongly, [pair.how for pair, yes in said if yes != pair.same]


@pytest.fixture(scope="module")
def labelled(request: pytest.FixtureRequest) -> list[Pair]:
    """Return the labelled pairs that a phone produces."""
    phone = boot(load_apps(request.config.rootpath / "fixtures/apps"), time=START, frozen=True)
    return list(Maker(phone).pairs())


@pytest.mark.slow
def test_labelled_pairs_are_distinguished(labelled):
    """These are the figures in docs/recording-pages.md."""
    assert (len(labelled), sum(pair.same for pair in labelled)) == (231, 122)
    assert decided(labelled) == (122, 0, [])
    pictures = [
        replace(pair, one=replace(pair.one, xml=""), other=replace(pair.other, xml=""))
        for pair in labelled
    ]
    right, wrongly, wrong = decided(pictures)
    assert (right, wrongly) == (118, 1)
    assert wrong == [
        "world clock, 11 minutes later",
        "world clock, with less charge",
        "world clock, reached 95 minutes later",
        "home, five days later",
        "calculator, in German",  # Only the content descriptions are in German there.
    ]


@pytest.mark.slow
def test_recorded_screens_of_real_phones_are_distinguished(recordings):
    """Eight different steps of one recording differ; two captures of one home screen do not."""

    def read(xml: Path, picture: Path) -> Screen:
        packed = io.BytesIO()
        with Image.open(picture) as image:
            image.convert("RGB").save(packed, "PNG")
        return Screen(xml.read_text("utf-8"), packed.getvalue())

    steps = [recordings / "mobilebench-ol" / f"step_{n}.xml" for n in range(1, 9)]
    shown = [sight(read(path, path.with_suffix(".jpg"))) for path in steps]
    assert not any(same_page(*two) for two in combinations(shown, 2))
    stuck = recordings / "aitk" / "qwen25vl_stuck_trajectory"
    names = ("step_0", "step_1")
    one, other = (
        read(stuck / "xmls" / f"{n}.xml", stuck / "screenshots" / f"{n}.png") for n in names
    )
    assert one.png != other.png
    assert same(one, other)
