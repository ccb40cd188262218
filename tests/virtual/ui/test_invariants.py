"""Invariants of all trees of views."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from lxml import etree
from PIL import Image as Pictures

from pytest_mobileagent.virtual.ui import (
    MATCH,
    WRAP,
    Button,
    Card,
    CheckBox,
    Column,
    Frame,
    Grid,
    HScroll,
    Image,
    Input,
    List,
    ProgressBar,
    Row,
    Scroll,
    SeekBar,
    Space,
    Switch,
    Text,
    View,
)
from pytest_mobileagent.virtual.ui.layout import Box, UiState, layout
from pytest_mobileagent.virtual.ui.metrics import Metrics, holds, intersect, mirror
from pytest_mobileagent.virtual.ui.node import dump
from pytest_mobileagent.virtual.ui.paint import draw as paint
from pytest_mobileagent.virtual.ui.paint import paint_all
from pytest_mobileagent.virtual.ui.screenshot import Screenshots, png
from pytest_mobileagent.virtual.ui.touch import target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SIZES = st.sampled_from([MATCH, WRAP, WRAP, WRAP, 0, 24, 200, 3000])
EDGES = st.sampled_from([0, 0, 8, (4, 2), (1, 2, 3, 40)])
GRAVITIES = st.sampled_from(["", "center", "end", "bottom|end", "center_vertical"])
WORDS = st.text(st.sampled_from("abc de\n·é设س"), max_size=60)


def _common(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "width": draw(SIZES),
        "height": draw(SIZES),
        "padding": draw(EDGES),
        "margin": draw(EDGES),
        "gravity": draw(GRAVITIES),
        "align": draw(GRAVITIES),
        "weight": draw(st.sampled_from([0, 0, 1, 2])),
        "visible": draw(st.sampled_from([True, True, True, False])),
        "id": draw(st.sampled_from(["", "", "title", "row"])),
        "on_click": draw(st.sampled_from([None, None, print])),
    }


@st.composite
def _leaves(draw: st.DrawFn) -> View:
    words, common = draw(WORDS), _common(draw)
    lines, several, icon = (
        draw(st.integers(0, 3)),
        draw(st.booleans()),
        draw(st.sampled_from(["", "add"])),
    )
    kinds: list[Callable[[], View]] = [
        lambda: Text(words, max_lines=lines, **common),
        lambda: Button(words, icon=icon, **common),
        lambda: CheckBox(words, True, **common),
        lambda: Switch(words, **common),
        lambda: Input(words, hint="Hint", multiline=several, **common),
        lambda: Image("star", **common),
        lambda: SeekBar(40, **common),
        lambda: ProgressBar(3, **common),
        Space,
    ]
    return draw(st.sampled_from(kinds))()


@st.composite
def _groups(draw: st.DrawFn, inner: st.SearchStrategy[View]) -> View:
    children, common = draw(st.lists(inner, max_size=4)), _common(draw)
    scrolling = draw(st.sampled_from([Scroll, HScroll, None, None, None]))
    if scrolling:
        return scrolling(draw(inner), **common)
    return draw(st.sampled_from([Column, Row, Frame, Card, Grid, List]))(children, **common)


def trees() -> st.SearchStrategy[View]:
    return st.recursive(_leaves(), _groups, max_leaves=12)


METRICS = st.builds(
    Metrics,
    st.sampled_from([320, 1080]),
    st.sampled_from([480, 2400]),
    st.sampled_from([1.0, 2.625]),
    st.sampled_from([0.85, 1.0, 1.3]),
    rtl=st.booleans(),
)
SCROLL = st.sampled_from([0, 1, 100, 10_000])
quick = settings(max_examples=60, deadline=None)


def shown(view: View, metrics: Metrics, offset: float = 0) -> Box:
    """Lay out a tree, with everything scrollable scrolled by an offset."""
    first = layout(view, metrics.screen, metrics, UiState())
    state = UiState({box.key: offset for box in first.walk()})
    return layout(view, metrics.screen, metrics, state)


def pairs(box: Box) -> Iterator[tuple[Box, Box]]:
    for child in box.children:
        yield box, child
        yield from pairs(child)


@quick
@given(trees(), METRICS, SCROLL)
def test_a_layout_is_clipped_named_and_scrolled_consistently(
    view: View, metrics: Metrics, offset: float
) -> None:
    root = shown(view, metrics, offset)
    for parent, child in pairs(root):
        assert child.bounds[0] <= child.bounds[2]
        assert child.bounds[1] <= child.bounds[3]
        assert child.visible == intersect(child.bounds, parent.visible)
    boxes = list(root.walk())
    assert len({box.key for box in boxes}) == len(boxes)
    assert all(0 <= box.offset <= box.reach for box in boxes)
    assert shown(view, metrics, offset) == root


@quick
@given(trees(), METRICS, SCROLL)
def test_right_to_left_is_left_to_right_seen_in_a_mirror(
    view: View, metrics: Metrics, offset: float
) -> None:
    one = shown(view, replace(metrics, rtl=False), offset)
    other = shown(view, replace(metrics, rtl=True), offset)
    for left, right in zip(one.walk(), other.walk(), strict=True):
        assert right.bounds == mirror(left.bounds, metrics.screen)
        assert (right.key, right.lines, right.offset) == (left.key, left.lines, left.offset)
        if left.touch:
            assert right.touch == mirror(left.touch, metrics.screen)


@quick
@given(trees(), METRICS, SCROLL, st.booleans(), st.data())
def test_a_dump_shows_the_boxes_that_are_seen_and_touches_reach_those_that_accept_them(
    view: View, metrics: Metrics, offset: float, compressed: bool, data: st.DataObject
) -> None:
    root = shown(view, metrics, offset)
    text = dump(root, "org.demo", compressed=compressed)
    nodes = etree.fromstring(text.encode()).findall(".//node")
    seen = [box for box in root.walk() if box.visible or box is root]
    assert len(nodes) <= len(seen) if compressed else len(nodes) == len(seen)
    texts = sorted(node.get("text", "") for node in nodes)
    assert compressed or texts == sorted(box.view.label for box in seen)
    x = data.draw(st.integers(0, metrics.width_px - 1))
    y = data.draw(st.integers(0, metrics.height_px - 1))
    found = target(root, x, y)
    assert found is None or holds(found.touch, x, y)


@settings(max_examples=30, deadline=None)
@given(trees(), SCROLL, st.data())
def test_a_background_fills_exactly_the_bounds_in_the_dump(
    view: View, offset: float, data: st.DataObject
) -> None:
    metrics = Metrics(360, 480, 1.0)
    seen = [box for box in shown(view, metrics, offset).walk() if box.visible]
    assume(seen)
    chosen = data.draw(st.sampled_from(seen))
    plain = replace(chosen, view=View(background="#ff00ff"), children=())
    node = etree.fromstring(dump(plain, "org.demo").encode())[0]
    left, top, right, bottom = map(int, re.findall(r"\d+", node.get("bounds", "")))
    picture = paint([plain], metrics).convert("RGB")
    assert picture.getbbox() == (left, top, right, bottom)
    counts: dict[object, int] = {color: count for count, color in picture.getcolors() or []}
    assert counts[255, 0, 255] == (right - left) * (bottom - top)


@settings(max_examples=20, deadline=None)
@given(trees(), st.booleans())
def test_every_tree_can_be_painted_and_encoded(view: View, dark: bool) -> None:
    metrics = Metrics(360, 480, 1.0, dark=dark, rtl=not dark)
    picture = paint([shown(view, metrics)], metrics)
    with Pictures.open(io.BytesIO(png(picture))) as read:
        assert (read.format, read.mode, read.size) == ("PNG", "RGB", (360, 480))
        assert read.tobytes() == picture.tobytes()


@settings(max_examples=30, deadline=None)
@given(st.lists(trees(), min_size=2, max_size=3), SCROLL)
def test_a_screenshot_after_others_shows_what_a_first_one_would(
    views: list[View], offset: float
) -> None:
    metrics, screenshots = Metrics(360, 480, 1.0), Screenshots()
    for view in views:
        boxes = [shown(view, metrics, offset)]
        canvas = paint_all(boxes, metrics)
        with Pictures.open(io.BytesIO(screenshots.take(canvas.marks, canvas.size))) as read:
            assert read.tobytes() == paint(boxes, metrics).tobytes()
