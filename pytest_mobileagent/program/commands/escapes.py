"""What Android's shell reads in the quotes that begin with a dollar sign."""

from __future__ import annotations

import re

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b"}


def escapes(text: str) -> str:
    """Return the text that such quotes hold, without its escapes."""

    def spelled(match: re.Match[str]) -> str:
        code = match[1]
        if code[0] in "xuU" and len(code) > 1:
            number = int(code[1:], 16)
            return chr(number) if number <= 0x10FFFF else match[0]
        return _ESCAPES.get(code, code)

    pattern = r"\\(x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|.)"
    return re.sub(pattern, spelled, text, flags=re.DOTALL)
