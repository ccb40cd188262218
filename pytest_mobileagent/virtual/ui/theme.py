"""Material's colour roles, made from one accent colour, light or dark."""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

from PIL import ImageColor

RGBA: TypeAlias = tuple[int, int, int, int]

READABLE = 3.0  # contrast of large letters and signs

_WHITE, _BLACK = (255, 255, 255), (0, 0, 0)

# role: light (towards white or black, how far), dark (likewise); 0 is the accent itself
_ROLES = {
    "primary": (0.0, 0.6),
    "on_primary": (1.0, -0.55),
    "primary_container": (0.8, -0.3),
    "on_primary_container": (-0.6, 0.85),
    "inverse_primary": (0.6, 0.0),
}
_TINTED = {  # neutrals: grey level in light and dark, with a touch of the accent
    "secondary_container": (0.93, 0.24, 0.17),
    "on_secondary_container": (0.06, 0.90, 0.10),
    "surface": (0.985, 0.075, 0.03),
    "surface_container_low": (0.97, 0.10, 0.04),
    "surface_container": (0.955, 0.12, 0.05),
    "surface_container_high": (0.95, 0.155, 0.05),
    "surface_container_highest": (0.91, 0.20, 0.06),
    "on_surface": (0.10, 0.90, 0.03),
    "on_surface_variant": (0.28, 0.80, 0.05),
    "outline": (0.46, 0.57, 0.05),
    "outline_variant": (0.80, 0.28, 0.05),
    "inverse_surface": (0.19, 0.90, 0.03),
    "inverse_on_surface": (0.96, 0.19, 0.03),
}
_FIXED = {
    "error": ("#b3261e", "#f2b8b5"),
    "on_error": ("#ffffff", "#601410"),
    "error_container": ("#f9dedc", "#8c1d18"),
    "on_error_container": ("#410e0b", "#f9dedc"),
    "white": ("#ffffff", "#ffffff"),
    "black": ("#000000", "#000000"),
    "transparent": ("#00000000", "#00000000"),
    "scrim": ("#52000000", "#8a000000"),
}


class Theme:
    """The colours of one accent; looks up roles and literals."""

    def __init__(self, accent: str, dark: bool) -> None:
        self.dark = dark
        base = _literal(accent)[:3]
        self._roles: dict[str, RGBA] = {}
        for role, steps in _ROLES.items():
            step = steps[dark]
            self._roles[role] = (*mix(base, _WHITE if step > 0 else _BLACK, abs(step)), 255)
        for role, (light, night, tint) in _TINTED.items():
            grey = round(255 * (night if dark else light))
            self._roles[role] = (*mix((grey, grey, grey), base, tint), 255)
        while contrast(self._roles["primary"], self._roles["surface"]) < READABLE:
            self._roles["primary"] = (*mix(self._roles["primary"][:3], _BLACK, 0.1), 255)
        for role, colors in _FIXED.items():
            self._roles[role] = _literal(colors[dark])

    def __call__(self, name: str) -> RGBA:
        """Give the colour of a role, or of "#rrggbb" or "#aarrggbb"."""
        return self._roles.get(name) or _literal(name)


@cache
def theme(accent: str, dark: bool) -> Theme:
    """Give the theme made from an accent."""
    return Theme(accent, dark)


def contrast(one: RGBA, other: RGBA) -> float:
    """Give how well two colours are told apart, from 1 to 21, as WCAG measures it."""
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
    """Give a colour that is `part` of the other."""
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(one, other, strict=True))
    return red, green, blue


@cache
def _literal(color: str) -> RGBA:
    if len(color) == 9:  # Android puts alpha first
        color = f"#{color[3:]}{color[1:3]}"
    return ImageColor.getcolor(color, "RGBA")  # type: ignore[return-value] # by its mode
