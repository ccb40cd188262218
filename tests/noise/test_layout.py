"""Tests of the layout of noise on screens of all sizes."""

from __future__ import annotations

import itertools

import pytest

from pytest_mobileagent.noise import Look, State
from pytest_mobileagent.noise.layout import arrange

LOOKS = {
    "phone": Look((1080, 2400), 420),
    "landscape": Look((2400, 1080), 420),
    "large texts": Look((1080, 2400), 420, 1.3),
    "small landscape, huge texts": Look((640, 320), 160, 2.0),
    "tablet": Look((2560, 1600), 320, mirrored=True),
    "mirrored": Look((1080, 2400), 420, 1.3, mirrored=True),
}


def arranged(templates, look):
    for template in templates.values():
        yield template, arrange(template, look, State(left=template.wait))
        yield template, arrange(template, look, State())
        if template.page[0]:
            yield template, arrange(template, look, State(opened=True))
        for page in range(1, len(template.pages)):
            yield template, arrange(template, look, State(page=page))


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_whatever_the_screen_all_parts_are_on_it_and_buttons_can_be_hit(templates, look):
    width, height = look.size
    for template, root in arranged(templates, look):
        for part in root.iter():
            left, top, right, bottom = part.bounds
            assert 0 <= left < right <= width, (template.name, part)
            assert 0 <= top < bottom <= height, (template.name, part)
        named = [part for part in root.iter() if part.does and (part.text or part.description)]
        for one, other in itertools.combinations(named, 2):
            (left, top, right, bottom), (start, above, end, below) = one.bounds, other.bounds
            apart = right <= start or end <= left or bottom <= above or below <= top
            assert apart, (template.name, one.text, other.text)
        for part in named:
            assert root.at(*part.bounds.center) == part.does


def test_everything_can_be_closed_in_the_end(templates):
    for template in templates.values():
        last = State(page=max(0, len(template.pages) - 1))
        does = {part.does for part in arrange(template, LOOKS["phone"], last).iter()}
        by_itself = template.kind in {"toast", "countdown-ad"}
        assert by_itself or does & {"close", "next"}, template.name


def test_a_late_ad_has_its_cross_when_its_time_is_over(templates):
    ad = templates["en-video-game"]
    late = arrange(ad, LOOKS["phone"], State(left=2))
    assert "close" not in {part.does for part in late.iter()}
    assert "2" in {part.text for part in late.iter()}
    assert "close" in {part.does for part in arrange(ad, LOOKS["phone"], State()).iter()}


def test_right_to_left_the_cross_is_at_the_left_and_texts_grow_with_the_font_scale(templates):
    def parts(name, look, role):
        parts = arrange(templates[name], LOOKS[look], State()).iter()
        return next(part for part in parts if part.role == role)

    usual, mirrored = (parts("en-garden-week", look, "cross") for look in ("phone", "mirrored"))
    assert usual.bounds.left > 540 > mirrored.bounds.right
    usual, large = (parts("en-vip-trial", look, "text") for look in ("phone", "large texts"))
    assert large.size == pytest.approx(1.3 * usual.size, abs=1)
