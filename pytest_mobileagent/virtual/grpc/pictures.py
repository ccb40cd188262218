"""Screenshots in the format that a client asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PIL import Image

from pytest_mobileagent.virtual.grpc.protocol import control
from pytest_mobileagent.virtual.ui.pictures import png

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone


def picture(phone: Phone, wanted: Any, number: int = 0) -> Any:
    """Return the screen as it is rotated, scaled to fit the requested width and height."""
    kinds = control.ImageFormat
    image = phone.sight.picture()
    width, height = fitted(image.size, wanted.width, wanted.height)
    if (width, height) != image.size:
        image = image.resize((width, height), Image.Resampling.BILINEAR, reducing_gap=2.0)
    if wanted.format == kinds.PNG:
        data = png(image)
    else:
        data = image.convert("RGB" if wanted.format == kinds.RGB888 else "RGBA").tobytes()
    turned = control.Rotation(rotation=phone.display.rotation)
    made = kinds(format=wanted.format, rotation=turned, width=width, height=height)
    time = int(phone.clock.time() * 1_000_000)
    return control.Image(
        format=made, width=width, height=height, image=data, seq=number, timestampUs=time
    )


def fitted(size: tuple[int, int], width: int, height: int) -> tuple[int, int]:
    """Scale a size so that it exceeds neither width nor height, unless they are 0."""
    limits = [limit / own for limit, own in zip((width, height), size, strict=True) if limit]
    scale = min(limits, default=1.0)
    return max(1, int(size[0] * scale)), max(1, int(size[1] * scale))
