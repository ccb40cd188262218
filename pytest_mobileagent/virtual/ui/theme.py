"""Material's colour roles, derived from an accent colour, light or dark."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

from PIL import ImageColor

RGBA: TypeAlias = tuple[int, int, int, int]

READABLE = 3.0  # minimum contrast for large text and icons

_WHITE, _BLACK = (255, 255, 255), (0, 0, 0)

_ROLES: Final = tomllib.loads(Path(__file__).with_name("theme.toml").read_text("utf-8"))


class Theme:
    """The colours derived from an accent; maps roles and literals to colours."""

    def __init__(self, accent: str, dark: bool) -> None:
        self.dark = dark
        base = _literal(accent)[:3]
        self._roles: dict[str, RGBA] = {}
        for role, steps in _ROLES["accented"].items():
            step = steps[dark]
            self._roles[role] = (*mix(base, _WHITE if step > 0 else _BLACK, abs(step)), 255)
        for role, (light, night, tint) in _ROLES["tinted"].items():
            grey = round(255 * (night if dark else light))
            self._roles[role] = (*mix((grey, grey, grey), base, tint), 255)
        while contrast(self._roles["primary"], self._roles["surface"]) < READABLE:
            self._roles["primary"] = (*mix(self._roles["primary"][:3], _BLACK, 0.1), 255)
        for role, colors in _ROLES["fixed"].items():
            self._roles[role] = _literal(colors[dark])

    def __call__(self, name: str) -> RGBA:
        """Return the colour of a role, or of a literal "#rrggbb" or "#aarrggbb"."""
        return self._roles.get(name) or _literal(name)


@cache
def theme(accent: str, dark: bool) -> Theme:
    """Return the theme for an accent colour."""
    return Theme(accent, dark)


def contrast(one: RGBA, other: RGBA) -> float:
    """Return the WCAG contrast ratio of two colours, from 1 to 21."""
    dark, light = sorted(map(_luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: RGBA) -> float:
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (each / 255 for each in color[:3])
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def mix(
    one: tuple[int, int, int], other: tuple[int, int, int], part: float
) -> tuple[int, int, int]:
    """Blend two colours; `part` is the share of the other one."""
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(one, other, strict=True))
    return red, green, blue


@cache
def _literal(color: str) -> RGBA:
    if len(color) == 9:  # Android puts alpha first
        color = f"#{color[3:]}{color[1:3]}"
    return ImageColor.getcolor(color, "RGBA")  # type: ignore[return-value] # by its mode
