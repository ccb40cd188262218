"""The fonts of other scripts: which signs need one, where it is found, and when it is loaded.

Latin, Greek and Cyrillic letters are Roboto's. A font of another script is looked for when a
sign of that script is first drawn: in the packages that bring fonts, else on the host.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import font_roboto
from PIL import ImageFont, features

if TYPE_CHECKING:
    from collections.abc import Iterator

HOST: Final = (  # where fonts are on Linux and macOS
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "~/.local/share/fonts",
    "~/.fonts",
    "/System/Library/Fonts",
    "/Library/Fonts",
    "~/Library/Fonts",
)


@dataclass(frozen=True, slots=True)
class Family:
    """The font of some scripts."""

    name: str
    signs: str  # as in a character class of a regular expression
    package: str  # that brings one, and where in it; empty if none does
    pattern: str
    files: tuple[str, ...]  # names on a host, the best first
    scale: float = 1.0  # of the size of Roboto beside which it looks equally large
    shaped: bool = False  # its letters take their form from their neighbours
    joins: bool = False  # as they do in Arabic


FAMILIES: Final = (
    Family(
        "Chinese, Japanese and Korean",
        "\u1100-\u11ff\u2e80-\u31ff\u3200-\u9fff\ua960-\ua97f\uac00-\ud7ff"
        "\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff",
        "paperang_p2_fonts_cjk",
        "fonts/wqy-microhei.ttc",
        (
            "NotoSansCJK-Regular.ttc",
            "NotoSansCJKsc-Regular.otf",
            "wqy-microhei.ttc",
            "DroidSansFallbackFull.ttf",
            "PingFang.ttc",
            "Arial Unicode.ttf",
        ),
    ),
    Family(
        "Arabic",
        "\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufeff",
        "justmytype_intl_rtl",
        "fonts/ofl/notosansarabic/NotoSansArabic*.ttf",
        ("NotoSansArabic-Regular.ttf", "NotoNaskhArabic-Regular.ttf", "DejaVuSans.ttf"),
        scale=0.92,
        shaped=True,
        joins=True,
    ),
    Family(
        "Hebrew",
        "\u0590-\u05ff\ufb1d-\ufb4f",
        "justmytype_intl_rtl",
        "fonts/ofl/notosanshebrew/NotoSansHebrew*.ttf",
        ("NotoSansHebrew-Regular.ttf", "DejaVuSans.ttf"),
        shaped=True,
    ),
    Family(
        "Devanagari",
        "\u0900-\u097f\ua8e0-\ua8ff",
        "",
        "",
        ("NotoSansDevanagari-Regular.ttf", "Lohit-Devanagari.ttf", "FreeSans.ttf"),
        shaped=True,
    ),
)
FOREIGN: Final = re.compile(f"[{''.join(family.signs for family in FAMILIES)}]")
_RUNS: Final = re.compile("|".join(f"([{family.signs}]+)" for family in FAMILIES))
_BOLD: Final = 600  # on the axis of a variable font
_REGULAR: Final = 400

RAQM: Final = features.check("raqm")  # joins letters, and puts them in order


def parts(text: str) -> Iterator[tuple[str, Family | None]]:
    """Split a text where another font takes over; None is Roboto."""
    at = 0
    for match in _RUNS.finditer(text):
        if match.start() > at:
            yield text[at : match.start()], None
        assert match.lastindex
        yield match[0], FAMILIES[match.lastindex - 1]
        at = match.end()
    if at < len(text):
        yield text[at:], None


@cache
def roboto(size: int, bold: bool) -> ImageFont.FreeTypeFont:
    """Give Roboto in pixels."""
    path = Path(font_roboto.font_files["RobotoMedium" if bold else "Roboto"])
    return ImageFont.truetype(str(path), size, layout_engine=ImageFont.Layout.BASIC)


@cache
def font(family: Family | None, size: int, bold: bool) -> ImageFont.FreeTypeFont:
    """Give the font of a family in pixels; Roboto, which draws boxes, if none is found."""
    path = file_of(family) if family else None
    if family is None or path is None:
        return roboto(size, bold)
    engine = ImageFont.Layout.RAQM if family.shaped and RAQM else ImageFont.Layout.BASIC
    found = ImageFont.truetype(str(path), round(size * family.scale), layout_engine=engine)
    try:
        axes = found.get_variation_axes()
    except OSError:  # not a variable font
        return found
    wanted = {b"Weight": _BOLD if bold else _REGULAR, b"Width": 100}
    found.set_variation_by_axes([wanted.get(axis["name"], axis["default"] or 0) for axis in axes])
    return found


@cache
def file_of(family: Family) -> Path | None:
    """Find the font file of a family; the first time that there is none, say so."""
    path = _packaged(family) or _installed(family)
    if path is None:
        brings = f"pip install {family.package.replace('_', '-')}, or " if family.package else ""
        print(
            f"no font for {family.name}: its letters are drawn as boxes; "
            f"{brings}install one of: {', '.join(family.files)}",
            file=sys.stderr,
        )
    return path


def _packaged(family: Family) -> Path | None:
    spec = importlib.util.find_spec(family.package) if family.package else None
    if spec is None or spec.origin is None:
        return None
    return next(Path(spec.origin).parent.glob(family.pattern), None)


def _installed(family: Family) -> Path | None:
    places = [Path(folder).expanduser() for folder in HOST]
    found: dict[str, Path] = {}
    for place in places:
        for folder, _, names in os.walk(place):
            found |= {name: Path(folder, name) for name in names if name in family.files}
    return next((found[name] for name in family.files if name in found), None)
