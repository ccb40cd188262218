"""The picture of a screen that is sent; all coordinates are in its pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.dialect.dialect import Frame
from pytest_mobileagent.perception.picture import encode, resized

if TYPE_CHECKING:
    from pytest_mobileagent.screen.screen import Screen

# Conversations with many pictures fail where a side has more than 2,000 pixels; models scale what
# is longer than this themselves.
LONGEST_SIDE = 1568
# Clients refuse results above 1 MiB, in which a picture takes four thirds of its size.
_MOST_BYTES = 600_000
_QUALITIES = (85, 70, 50, 30, 10)


def frame_of(size: tuple[int, int]) -> Frame:
    """Return the frame that maps points of the picture to pixels of a screen of `size`."""
    longest = max(size)
    if longest <= LONGEST_SIDE:
        return Frame(size, size)
    width, height = (max(1, round(side * LONGEST_SIDE / longest)) for side in size)
    return Frame(size, (width, height))


def picture_of(screen: Screen) -> bytes:
    """Return a screen's picture as a JPEG file, in the size that `frame_of` chooses.

    Raises:
        ScreenError: the screenshot cannot be decoded.
    """
    shown = frame_of(screen.image.size).shown
    assert shown is not None
    image = resized(screen.image, shown)
    for quality in _QUALITIES:
        data = encode(image, "jpeg", quality)
        if len(data) <= _MOST_BYTES:
            break
    return data
