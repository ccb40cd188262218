"""Pictures of the screen as base64."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING

from PIL import Image

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.ui.metrics import Rect


def whole(phone: Phone) -> str:
    """Give the screen."""
    return base64.b64encode(phone.screenshot()).decode()


def crop(phone: Phone, bounds: Rect) -> str:
    """Give a part of the screen."""
    width, height, pixels = phone.raw_screenshot()
    picture = Image.frombytes("RGBA", (width, height), pixels).crop(bounds)
    data = io.BytesIO()
    picture.save(data, "PNG", compress_level=1)
    return base64.b64encode(data.getvalue()).decode()
