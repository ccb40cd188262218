"""DER, the encoding of certificates and keys: elements, which may be nested."""

from __future__ import annotations


def inside(element: bytes) -> list[bytes]:
    """Return the elements inside an element."""
    body, found = content(element), []
    while body:
        head, size = _header(body)
        found.append(body[: head + size])
        body = body[head + size :]
    return found


def content(element: bytes) -> bytes:
    """Return the content of an element, without its header."""
    head, size = _header(element)
    return element[head : head + size]


def _header(data: bytes) -> tuple[int, int]:
    """Return the size of an element's header and of its content, in bytes."""
    if data[1] < 0x80:
        return 2, data[1]
    width = data[1] & 0x7F
    return 2 + width, int.from_bytes(data[2 : 2 + width], "big")
