"""View hierarchies in the form in which judges read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent import Screen
from pytest_mobileagent.judge.transcript import LONGEST, outline
from pytest_mobileagent.testing.phones import png
from tests.judge.asking import screen

if TYPE_CHECKING:
    from pathlib import Path


def lines(given: Screen) -> list[str]:
    return outline(given).splitlines()


def test_texts_ids_states_and_nesting_are_kept() -> None:
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


def test_both_hierarchy_formats_have_the_same_outline() -> None:
    raw = '<hierarchy><node class="a.Button" text="Save" bounds="[0,0][90,90]"/></hierarchy>'
    other = '<hierarchy><a.Button class="a.Button" text="Save" bounds="[0,0][90,90]"/></hierarchy>'
    picture = png(270, 600, 255)
    assert outline(Screen(raw, picture)) == outline(Screen(other, picture))


def test_unparsable_hierarchy_is_shown_unchanged() -> None:
    shown = lines(Screen("<hierarchy><node text='Sa", png(270, 600, 255)))
    assert shown[-1] == "<hierarchy><node text='Sa"


def test_everything_is_shown_if_nothing_has_bounds() -> None:
    given = screen({"text": "a", "bounds": ""}, {"text": "b", "bounds": "[0,0][0,0]"})
    assert lines(given)[1:] == ['TextView "a"', 'TextView "b"']


def test_partly_visible_element_is_shown() -> None:
    given = screen(
        {"text": "half", "bounds": "[-100,500][100,700]"},
        {"text": "out", "bounds": "[-100,0][0,99]"},
    )
    assert lines(given)[1:] == [
        'TextView "half"',
        "(1 with words that nobody can see: outside, or too small)",
    ]


def test_screen_without_picture_has_the_size_of_its_windows() -> None:
    xml = (
        '<hierarchy><node text="a" bounds="[0,0][270,600]">'
        '<node text="b" bounds="[0,700][90,790]"/></node></hierarchy>'
    )
    assert lines(Screen(xml, b""))[1] == 'View "a"'
    assert '"b"' not in outline(Screen(xml, b""))


def test_long_text_is_truncated_with_a_note() -> None:
    shown = outline(screen("x" * (LONGEST + 5)))
    assert f'{"x" * LONGEST}… (5 more characters)"' in shown


def test_indentation_of_a_deep_tree_is_limited() -> None:
    xml = '<node resource-id="a:id/x" bounds="[0,0][99,99]">' * 500 + "</node>" * 500
    shown = outline(Screen(f"<hierarchy>{xml}</hierarchy>", png(270, 600, 255)))
    assert len(shown) < 500 * 60


def test_outline_of_real_screens_contains_every_text(recordings: Path) -> None:
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
