"""What dialects need to print a decision: points in the model's scale, texts in quotes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pytest_mobileagent.dialect.dialect import DialectError
from pytest_mobileagent.dialect.reading import quoted

if TYPE_CHECKING:
    from pytest_mobileagent.dialect.dialect import Frame

_THOUSANDTHS = (1000, 1000)


def cannot_say(name: str, what: object) -> DialectError:
    """Return the error of a dialect that has no words for something."""
    return DialectError(f"{name} cannot say {quoted(what)}")


def escaped(plain: str) -> str:
    r"""Return a text as it stands between single quotes, so that `unescaped` gives it back."""
    safe = plain.replace("\\", "\\\\").replace("'", "\\'")
    return safe.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")


def whole(at: tuple[float, float]) -> tuple[int, int]:
    """Return a point of the model's in whole numbers, such that `Frame.pixel` finds its pixel."""
    return math.ceil(at[0] - 0.5), math.ceil(at[1] - 0.5)


def thousandths(x: int, y: int, frame: Frame) -> tuple[int, int]:
    """Return a pixel of the screen in whole thousandths of its size, from 0 to 999.

    `Frame.pixel` gives the pixel back where the screen has no more than a thousand of them.
    """
    middle = frame.point(x, y, _THOUSANDTHS)
    return _whole(x, frame.size[0], middle[0]), _whole(y, frame.size[1], middle[1])


def _whole(pixel: int, size: int, middle: float) -> int:
    near = min(round(middle), 999)
    if near * size // 1000 == pixel:
        return near
    return min(-(-pixel * 1000 // size), 999)
