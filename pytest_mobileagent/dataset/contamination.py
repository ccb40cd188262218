"""Ads over recorded pages, as Mobile-Bench-v2 adds them to AITZ and AITW (arXiv 2505.11891, B.2).

An ad is put over the target of a golden tap, on a whitened background. It becomes an additional
step before the one whose target it hides, and the golden action of this step closes the ad.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Tap
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.dataset import touched
from pytest_mobileagent.noise import OVERLAYS, State
from pytest_mobileagent.noise.cover import hierarchy, look_of
from pytest_mobileagent.noise.drawing import draw
from pytest_mobileagent.noise.layout import arrange, package_of
from pytest_mobileagent.perception.picture import encode
from pytest_mobileagent.screen.element import Bounds
from pytest_mobileagent.screen.xml import parse_tree

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Sequence

    from PIL.Image import Image

    from pytest_mobileagent.noise import Look, Part
    from pytest_mobileagent.noise.template import Template
    from pytest_mobileagent.screen import Screen

Domain = Literal["in", "out"]
# The kinds of noise that hide a page and are closed by one tap. Toasts do not hide the page, and
# tutorials need several taps.
COVERING = tuple(kind for kind in OVERLAYS if kind not in {"toast", "tutorial"})
FAINT: Final = 4  # of 255: smaller differences are invisible on a whitened page
_SALT = 85  # chosen so that both sets have ads of each kind in each language
_MARGIN = 0.02  # of the screen's shorter side, between the edges of a target and of its ad
_AROUND = 0.04  # of the screen's shorter side: half the side of a target without a known box


@dataclass(frozen=True, slots=True)
class Ad:
    """A page with an ad over it: the screen, the golden action that closes it, and the ad.

    `target` is the box that the ad hides, in pixels: the target of the golden action on the page.
    """

    screen: Screen
    golden: Golden
    template: Template
    target: Bounds


def domain_of(template: Template) -> Domain:
    """Return the set, one of two halves of all templates, to which a template belongs.

    It does not depend on the seed, so agents trained with one set can be tested on the other.
    """
    number = hashlib.sha256(f"{_SALT} {template.name}".encode()).digest()[0]
    return "out" if number % 2 else "in"


def target_of(golden: Golden, screen: Screen) -> Bounds | None:
    """Return the target of a golden tap, in pixels; None if the action is not a tap.

    The target is the smallest box of the golden action that contains its point, else the control
    at the point in the view hierarchy, else a square around the point.

    Raises:
        ScreenError: if the screenshot cannot be read.
    """
    if not isinstance(golden.action, Tap | LongPress | DoubleTap):
        return None
    width, height = screen.size
    across, down = width / golden.size[0], height / golden.size[1]
    x, y = round(golden.action.x * across), round(golden.action.y * down)
    boxes = (
        Bounds(round(left * across), round(top * down), round(right * across), round(end * down))
        for left, top, right, end in golden.boxes
    )
    around = [box for box in boxes if box.contains(x, y)]
    if around:
        found = min(around, key=lambda box: box.width * box.height)
    elif (control := touched(Tap(x, y), screen)) is not None:
        found = control.bounds
    else:
        half = round(min(screen.size) * _AROUND)
        found = Bounds(x - half, y - half, x + half, y + half)
    return Bounds(
        max(0, found.left), max(0, found.top), min(width, found.right), min(height, found.bottom)
    )


def ad_over(
    screen: Screen,
    golden: Golden,
    templates: Sequence[Template],
    whiten: float,
    chance: random.Random,
) -> Ad | str:
    """Return a page with an ad over the target of its golden action, or the reason why not.

    An ad that does not cover the target is moved over it. The rest is whitened by `whiten`, 0 to 1.

    Raises:
        ScreenError: if the screen cannot be read.
    """
    target = target_of(golden, screen)
    if target is None or target.width < 1 or target.height < 1:
        return "no step is a tap on something"
    look = look_of(screen, dark=False)  # the background is white
    from PIL import Image as pillow  # heavy, so loaded only when it is used

    white = pillow.blend(screen.image, pillow.new("RGB", screen.image.size, "white"), whiten)
    order = chance.sample(templates, len(templates))
    placed = ((each, arrange(each, look, State())) for each in order)
    tried = ((each, way) for each, root in placed for way in (root, _onto(root, target, look)))
    for template, root in tried:
        close, area = _closes(root), _area(root)
        centre = target.center
        if close is None or close.bounds.contains(*centre) or not area.contains(*centre):
            continue
        undimmed = replace(root, role=_UNDIMMED.get(root.role, root.role))
        picture = draw(white, undimmed, template, look)
        if _is_visible(picture, target, area):
            continue
        seen = _seen(screen, root, picture, template, look)
        closing = Golden(Tap(*close.bounds.center), screen.size, (close.bounds,))
        return Ad(seen, closing, template, target)
    return "the target would stay visible"


_UNDIMMED = {"scrim": "clear"}  # a white background is not dimmed


def _seen(screen: Screen, root: Part, picture: Image, template: Template, look: Look) -> Screen:
    xml = hierarchy(screen, root, package_of(template, look, State()), own_window=True)
    if xml.strip():
        from lxml import etree

        # The elements beneath the ad are removed from the hierarchy, since the page is white there.
        tree = parse_tree(xml)
        for window in list(tree)[1:]:
            tree.remove(window)
        xml = etree.tostring(tree, encoding="unicode")
    return replace(screen, png=encode(picture), xml=xml)


def _onto(root: Part, target: Bounds, look: Look) -> Part:
    """Return an ad moved over a target, as little as possible, with a margin around the target."""
    area, (width, height) = _area(root), look.size
    room = round(min(look.size) * _MARGIN)
    right = _way((area.left, area.right), (target.left - room, target.right + room), width)
    down = _way((area.top, area.bottom), (target.top - room, target.bottom + room), height)
    return replace(root, parts=tuple(_shifted(part, right, down) for part in root.parts))


def _way(own: tuple[int, int], other: tuple[int, int], most: int) -> int:
    """Return the distance by which a span must move to cover another.

    A span that is too short is centred on the other. The moved span stays between 0 and `most`.
    """
    if other[1] - other[0] > own[1] - own[0]:
        far = (sum(other) - sum(own)) // 2
    else:
        far = min(0, other[0] - own[0]) or max(0, other[1] - own[1])
    return min(max(far, -own[0]), most - own[1])


def _shifted(part: Part, right: int, down: int) -> Part:
    left, top, end, bottom = part.bounds
    bounds = Bounds(left + right, top + down, end + right, bottom + down)
    parts = tuple(_shifted(each, right, down) for each in part.parts)
    return replace(part, bounds=bounds, parts=parts)


def _area(root: Part) -> Bounds:
    if root.role not in _UNDIMMED or not root.parts:
        return root.bounds
    return max((part.bounds for part in root.parts), key=lambda box: box.width * box.height)


def _closes(root: Part) -> Part | None:
    """Return the part that closes an ad: its close icon, or else a button."""
    found = [part for part in root.iter() if part.does == "close" and part is not root]
    return min(found, key=lambda part: part.role != "cross", default=None)


def _is_visible(picture: Image, target: Bounds, area: Bounds) -> bool:
    from PIL import Image as pillow

    part = picture.crop(target).convert("L")
    mask = pillow.new("L", part.size, 255)
    hidden = (area.left - target.left, area.top - target.top,
              area.right - target.left, area.bottom - target.top)  # fmt: skip
    mask.paste(0, hidden)
    levels = [level for level, count in enumerate(part.histogram(mask)) if count]
    return bool(levels) and levels[-1] - levels[0] > FAINT


def covering(
    templates: Iterable[Template], kinds: Sequence[str], domain: Domain | None, language: str
) -> list[Template]:
    """Return the templates of some kinds, of one set or of both, that one tap closes.

    Templates in the task's language come first, or English ones if the language has none.
    """
    fitting = [t for t in templates if t.kind in kinds and domain in (None, domain_of(t))]
    own = language.partition("-")[0].lower()
    return [t for t in fitting if t.language == own] or [t for t in fitting if t.language == "en"]
