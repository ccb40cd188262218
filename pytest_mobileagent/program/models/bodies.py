"""Bodies as they were before they were compressed, for the record only."""

from __future__ import annotations

import zlib
from importlib.util import find_spec

_GZIP = zlib.MAX_WBITS | 16
# What `decoded` understands; "" is no compression at all.
COMPRESSIONS = {"", "identity", "gzip", "x-gzip", "deflate"}
COMPRESSIONS |= {"br"} if find_spec("brotli") else set()


def decoded(data: bytes, encoding: str) -> bytes:
    """Return a body without its compression, as far as it came; empty if that is not understood."""
    match encoding:
        case "" | "identity":
            return data
        case "gzip" | "x-gzip":
            return _inflated(data, _GZIP)
        case "deflate":
            return _inflated(data, zlib.MAX_WBITS) or _inflated(data, -zlib.MAX_WBITS)
        case "br" if encoding in COMPRESSIONS:
            import brotli  # type: ignore[import-not-found,unused-ignore]

            try:
                return bytes(brotli.Decompressor().process(data))
            except brotli.error:
                return b""
    return b""


def _inflated(data: bytes, format: int) -> bytes:
    try:
        return zlib.decompressobj(format).decompress(data)
    except zlib.error:
        return b""
