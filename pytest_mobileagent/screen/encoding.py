"""The encodings of screenshots: PNG, as phones return them, and lossless WebP, as in records.

Lossless WebP needs a fifth to a third of the space. Encoding takes 0.2 s of processor time
(1080x2400 pixels); decoding takes no longer than for PNG, 15 ms.
"""

from __future__ import annotations

import io
import struct

from pytest_mobileagent.errors import ScreenError

_PNG = b"\x89PNG\r\n\x1a\n"
HEADER = 30  # bytes of a file that contain the size
# On scales from 0 to 6 and from 0 to 100; higher values take longer, and hardly shrink screens.
_METHOD, _EFFORT = 4, 80
_FORMATS = ("PNG", "WEBP", "JPEG")
_ROUNDING = 16  # the most by which encoders and decoders of JPEG differ, of 255


def is_webp(picture: bytes) -> bool:
    """Return whether a picture is WebP, by its first bytes."""
    return picture[:4] == b"RIFF" and picture[8:12] == b"WEBP"


def size_of(picture: bytes) -> tuple[int, int]:
    """Return width and height in pixels from the first `HEADER` bytes of a picture.

    In WebP they are in the first chunk: VP8L (lossless: 14 bits each, less 1) or VP8X (extended: 24
    bits each, less 1), see RFC 9649.

    Raises:
        ScreenError: if the picture is neither PNG nor such a WebP file.
    """
    header = picture[:HEADER]
    if len(header) >= 24 and header[:8] == _PNG and header[12:16] == b"IHDR":
        width, height = struct.unpack(">II", header[16:24])
        return width, height
    if is_webp(header) and len(header) == HEADER:
        if header[12:16] == b"VP8L" and header[20] == 0x2F:
            bits = int.from_bytes(header[21:25], "little")
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        if header[12:16] == b"VP8X":
            sides = header[24:27], header[27:30]
            width, height = (int.from_bytes(side, "little") + 1 for side in sides)
            return width, height
    raise ScreenError(f"the screenshot is not a PNG image: it begins {picture[:16]!r}")


def as_png(picture: bytes) -> bytes:
    """Return a picture as PNG, converted if it is WebP.

    Raises:
        ScreenError: if the picture cannot be decoded.
    """
    if not is_webp(picture):
        return picture
    from PIL import Image  # heavy, so imported only when needed

    encoded = io.BytesIO()
    try:
        with Image.open(io.BytesIO(picture)) as image:
            image.save(encoded, "PNG", icc_profile=image.info.get("icc_profile"))
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        msg = f"the screenshot cannot be decoded: {error} (it begins {picture[:16]!r})"
        raise ScreenError(msg) from error
    return encoded.getvalue()


def as_webp(png: bytes) -> bytes | None:
    """Return a PNG picture as WebP with the same pixels, if that is smaller; else None.

    Also None if WebP cannot represent the file (more than 8 bits per channel, greyscale or a
    palette, more than one frame, more than 16,383 pixels per side), or if the file is damaged.
    """
    from PIL import Image  # heavy, so imported only when needed

    packed = io.BytesIO()
    try:
        with Image.open(io.BytesIO(png), formats=["PNG"]) as image:
            if image.mode not in {"RGB", "RGBA"} or getattr(image, "n_frames", 1) != 1:
                return None
            if png[24:25] != b"\x08" or "transparency" in image.info:
                return None
            pixels, profile = image.convert("RGBA").tobytes(), image.info.get("icc_profile")
            image.save(
                packed, "WEBP", lossless=True, exact=True, method=_METHOD, quality=_EFFORT,
                **({"icc_profile": profile} if profile else {}),
            )  # fmt: skip
        with Image.open(packed) as again:
            is_same = again.convert("RGBA").tobytes() == pixels
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return None
    return packed.getvalue() if is_same and packed.tell() < len(png) else None


def is_same_picture(one: bytes, other: bytes) -> bool:
    """Return whether two pictures hardly differ, as the same picture does in two encodings.

    Raises:
        ScreenError: if one of them cannot be decoded.
    """
    from PIL import Image, ImageChops

    try:
        images = [Image.open(io.BytesIO(each), formats=_FORMATS) for each in (one, other)]
        pixels = [image.convert("RGB") for image in images]
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise ScreenError(f"a picture cannot be decoded: {error}") from error
    if pixels[0].size != pixels[1].size:
        return False
    return max(ImageChops.difference(*pixels).tobytes(), default=0) <= _ROUNDING
