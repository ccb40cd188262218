"""What judges see: view hierarchies as outlines, and screenshots with the agent's actions."""

from __future__ import annotations

import io
from functools import partial
from typing import Any

import pytest
from PIL import Image as pillow

from pytest_mobileagent import Action, DoubleTap, Key, LongPress, Screen, Scroll, Swipe, Tap, Type
from pytest_mobileagent.judge.evidence import LONGEST_SIDE, Album, LruCache
from pytest_mobileagent.judge.transcript import LONGEST, TranscriptFrame, outline
from pytest_mobileagent.testing.phones import png
from tests.judge.asking import screen


def lines(given: Screen) -> list[str]:
    return outline(given).splitlines()


def test_texts_ids_states_and_nesting_are_kept():
    xml = """<hierarchy rotation="0">
      <node class="android.widget.FrameLayout" bounds="[0,0][270,600]" package="a.b">
        <node class="android.widget.LinearLayout" resource-id="a.b:id/row" bounds="[0,0][270,90]">
          <node class="android.widget.TextView" text="Wi-Fi" bounds="[0,0][200,90]"/>
          <node class="android.widget.Switch" content-desc="Wi-Fi" checkable="true" checked="true"
                clickable="true" bounds="[200,0][270,90]"/>
        </node>
        <node class="android.widget.Button" text="Save" enabled="false" bounds="[0,90][270,180]"/>
        <node class="android.widget.TextView" text="News" selected="true" focused="true"
              bounds="[0,180][270,270]"/>
        <node class="android.view.View" clickable="true" bounds="[0,270][270,360]"/>
      </node></hierarchy>"""
    given = Screen(xml, png(270, 600, 255), package="a.b", activity=".Main")
    assert lines(given) == [
        'app "a.b" activity ".Main"',
        "LinearLayout #row",
        '  TextView "Wi-Fi"',
        '  Switch description="Wi-Fi" checked=true',
        'Button "Save" enabled=false',
        'TextView "News" selected focused',
        "View",
    ]


def test_both_hierarchy_formats_have_the_same_outline():
    raw = '<hierarchy><node class="a.Button" text="Save" bounds="[0,0][90,90]"/></hierarchy>'
    other = '<hierarchy><a.Button class="a.Button" text="Save" bounds="[0,0][90,90]"/></hierarchy>'
    picture = png(270, 600, 255)
    assert outline(Screen(raw, picture)) == outline(Screen(other, picture))


def test_unparsable_hierarchy_is_shown_unchanged():
    shown = lines(Screen("<hierarchy><node text='Sa", png(270, 600, 255)))
    assert shown[-1] == "<hierarchy><node text='Sa"


def test_everything_is_shown_if_nothing_has_bounds():
    given = screen({"text": "a", "bounds": ""}, {"text": "b", "bounds": "[0,0][0,0]"})
    assert lines(given)[1:] == ['TextView "a"', 'TextView "b"']


def test_partly_visible_element_is_shown():
    given = screen(
        {"text": "half", "bounds": "[-100,500][100,700]"},
        {"text": "out", "bounds": "[-100,0][0,99]"},
    )
    assert lines(given)[1:] == [
        'TextView "half"',
        "(1 with words that nobody can see: outside, or too small)",
    ]


def test_screen_without_picture_has_the_size_of_its_windows():
    xml = (
        '<hierarchy><node text="a" bounds="[0,0][270,600]">'
        '<node text="b" bounds="[0,700][90,790]"/></node></hierarchy>'
    )
    assert lines(Screen(xml, b""))[1] == 'View "a"'
    assert '"b"' not in outline(Screen(xml, b""))


def test_long_text_is_truncated_with_a_note():
    shown = outline(screen("x" * (LONGEST + 5)))
    assert f'{"x" * LONGEST}… (5 more characters)"' in shown


def test_indentation_of_a_deep_tree_is_limited():
    xml = '<node resource-id="a:id/x" bounds="[0,0][99,99]">' * 500 + "</node>" * 500
    shown = outline(Screen(f"<hierarchy>{xml}</hierarchy>", png(270, 600, 255)))
    assert len(shown) < 500 * 60


def test_outline_of_real_screens_contains_every_text(recordings):
    """The outline contains every text of a real screen that has an area."""
    paths = sorted(recordings.rglob("*.xml"))[::40][:25]
    for path in paths:
        given = Screen(path.read_text("utf-8"), b"")
        shown = outline(given)
        area = given.root.children[0].bounds
        for element in given.elements:
            inside = element.bounds.right <= area.right and element.bounds.bottom <= area.bottom
            big = min(element.bounds.width, element.bounds.height) > 20
            if element.text.isalnum() and inside and big and element.bounds.left >= 0:
                assert element.text in shown, path


RED, BLUE, WHITE = (255, 0, 0), (0, 0, 255), (255, 255, 255)


def drawn(*actions: Action, how: Any = "image", **frame: Any) -> tuple[pillow.Image, Album]:
    album = Album(how, "c0de")
    given = TranscriptFrame(1, 0, screen("Wi-Fi", shade=0), actions, **frame)
    return pillow.open(io.BytesIO(album.picture(given).data)), album


def near(image: pillow.Image, place: tuple[int, int], color: tuple[int, int, int]) -> bool:
    """Return whether a pixel has a colour, within the precision of JPEG."""
    found: Any = image.getpixel(place)
    return all(abs(one - other) < 90 for one, other in zip(found, color, strict=True))


@pytest.mark.parametrize("action", [Tap(100, 300), LongPress(100, 300), DoubleTap(100, 300)])
@pytest.mark.parametrize("how", ["image", "text"])
def test_touch_is_a_red_dot(action, how):
    image, _ = drawn(action, how=how)
    assert near(image, (100, 300), RED)
    assert near(image, (100, 340), (0, 0, 0))


@pytest.mark.parametrize(
    ("action", "places"),
    [
        (Swipe(50, 500, 50, 100), [(50, 300), (50, 490), (50, 110)]),
        (Scroll("up"), [(135, 300), (135, 440), (135, 160)]),
        (Scroll("left", at=(100, 50)), [(100, 50), (160, 50)]),
        (Swipe(50, 500, 50, 9000), [(50, 550)]),  # beyond the edge
        (Type("x", at=(30, 30)), [(30, 30)]),
    ],
)
def test_swipe_is_a_red_line(action, places):
    image, _ = drawn(action)
    assert [place for place in places if not near(image, place, RED)] == []


def test_caption_strip_is_below_a_blue_line():
    image, album = drawn(Key("back"))
    assert image.width == 270
    assert near(image, (135, 602), BLUE)
    assert near(image, (265, image.height - 2), WHITE)
    assert 620 < image.height < 660
    strip = image.crop((0, 604, 270, image.height)).convert("L")
    assert min(strip.tobytes()) < 80  # has dark pixels: text
    assert album.words == []


def test_screenshots_without_actions_have_no_strip():
    assert drawn(is_last=True)[0].size == (270, 600)
    assert drawn(Key("back"), how="text")[0].size == (270, 600)
    untouched, _ = drawn(Tap(100, 300), how="none")
    assert near(untouched, (100, 300), (0, 0, 0))


@pytest.mark.parametrize("words", ["世界", "größer", "x" * 200])
def test_text_that_a_strip_cannot_show_is_listed_separately(words):
    _, album = drawn(Type(words), Type(words))
    assert len(album.words) == 1


def test_long_text_wraps_onto_several_lines():
    image, album = drawn(*[Type(f"some words {n}") for n in range(6)])
    assert image.height > 700
    assert album.words == []


def test_large_screenshot_is_scaled_but_its_strip_stays_readable():
    album = Album("image", "c0de")
    large = TranscriptFrame(1, 0, screen("Wi-Fi", size=(1080, 2400)), (Tap(10, 10),))
    image = pillow.open(io.BytesIO(album.picture(large).data))
    assert image.width == round(1080 * LONGEST_SIDE / 2400)
    assert LONGEST_SIDE < image.height < LONGEST_SIDE + 80


def test_invalid_coordinates_are_not_drawn():
    image, _ = drawn(Tap("here", None), Tap(float("nan"), 3))  # type: ignore[arg-type]
    assert image.height > 600


def test_picture_is_drawn_once_for_all_judges_and_votes():
    frame = TranscriptFrame(1, 0, screen("Wi-Fi", shade=3), (Tap(9, 9),))
    first, again = (Album("image", "c0de").picture(frame) for _ in range(2))
    assert first.data is again.data
    assert Album("image", "0ther").picture(frame).data != first.data
    assert "image" not in vars(frame.screen)  # decoded pictures are not kept


def test_cache_computes_a_value_once_and_drops_the_least_recently_used():
    made: list[str] = []

    def make(name: str) -> str:
        made.append(name)
        return name.upper()

    kept: LruCache[str] = LruCache(2)
    for name in ("a", "b", "a", "c", "a", "b"):
        assert kept.get(name, partial(make, name)) == name.upper()
    assert made == ["a", "b", "c", "b"]
