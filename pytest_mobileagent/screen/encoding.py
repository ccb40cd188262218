"""How screenshots are encoded: PNG, as phones give them, or WebP without loss, as records do.

Lossless WebP has a fifth to a third of the size. Encoding takes 0.2 s of a processor (1080x2400
pixels), decoding no longer than that of PNG, 15 ms.
"""

from __future__ import annotations

import io
import struct

from pytest_mobileagent.errors import ScreenError

_PNG = b"\x89PNG\r\n\x1a\n"
HEADER = 30  # bytes of a file that tell the size
# Of 0 to 6 and 0 to 100: more takes longer, and makes the files of screens hardly smaller.
_METHOD, _EFFORT = 4, 80


def is_webp(picture: bytes) -> bool:
    """Whether a picture is encoded as WebP, by how it begins."""
    return picture[:4] == b"RIFF" and picture[8:12] == b"WEBP"


def size_of(picture: bytes) -> tuple[int, int]:
    """Return width and height in pixels from the first `HEADER` bytes of a picture.

    WebP's are in the first chunk: VP8L (lossless: 14 bits each, less 1) or VP8X (extended: 24
    bits each, less 1), see RFC 9649.

    Raises:
        ScreenError: it is neither PNG nor such WebP.
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
    msg = f"the screenshot is not a PNG image: it begins {picture[:16]!r}"
    raise ScreenError(msg)


def as_png(picture: bytes) -> bytes:
    """Return a picture as PNG: as it is, unless it is WebP.

    Raises:
        ScreenError: it cannot be decoded.
    """
    if not is_webp(picture):
        return picture
    from PIL import Image  # a heavy library is loaded by who needs it

    encoded = io.BytesIO()
    try:
        with Image.open(io.BytesIO(picture)) as image:
            image.save(encoded, "PNG", icc_profile=image.info.get("icc_profile"))
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        msg = f"the screenshot cannot be decoded: {error} (it begins {picture[:16]!r})"
        raise ScreenError(msg) from error
    return encoded.getvalue()


def as_webp(png: bytes) -> bytes | None:
    """Return a PNG picture as WebP with the same pixels, if that has fewer bytes; else None.

    None, too, where WebP cannot hold what the file says: more than 8 bits a colour, grey or a
    palette, more than one frame, more than 16,383 pixels to a side, or what is damaged.
    """
    from PIL import Image  # a heavy library is loaded by who needs it

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
