"""Pictures of the screen as base64."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui.pictures import png

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.ui.metrics import Rect


def whole(phone: Phone) -> str:
    """Give the screen."""
    return base64.b64encode(phone.screenshot()).decode()


def crop(phone: Phone, bounds: Rect) -> str:
    """Give a part of the screen."""
    return base64.b64encode(png(phone.sight.picture().crop(bounds))).decode()
