"""Fonts for noise: Pillow's built-in font for Latin letters, and installed fonts for other scripts.

This package ships no fonts. Scripts other than Latin use a font from an installed Python package
(the extra `virtual` installs some), or else one of the machine's fonts.
"""

from __future__ import annotations

import importlib.util
import os
import re
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from pytest_mobileagent.perception.picture import default_font

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

_HOST: Final = (
    *("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts"),
    *("/System/Library/Fonts", "/Library/Fonts", "~/Library/Fonts"),
)


class _Script(NamedTuple):
    """Letters that Pillow's font lacks, and where to find a font for them.

    It is the file `pattern` of a Python `package`, or else a font of the machine named in `files`.
    """

    name: str
    letters: re.Pattern[str]
    package: str
    pattern: str
    files: tuple[str, ...]


_SCRIPTS: Final = (
    _Script(
        "Chinese, Japanese and Korean letters",
        re.compile("[\u1100-\u11ff\u2e80-\u9fff\ua960-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]"),
        "paperang_p2_fonts_cjk",
        "fonts/wqy-microhei.ttc",
        ("NotoSansCJK-Regular.ttc", "NotoSansCJKsc-Regular.otf", "wqy-microhei.ttc",
         "DroidSansFallbackFull.ttf", "PingFang.ttc", "Arial Unicode.ttf"),
    ),
    _Script(
        "Arabic letters",
        re.compile("[\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufefe]"),
        "justmytype_intl_rtl",
        "fonts/ofl/notosansarabic/NotoSansArabic*.ttf",
        ("NotoSansArabic-Regular.ttf", "NotoNaskhArabic-Regular.ttf", "DejaVuSans.ttf"),
    ),
    _Script(
        "letters beyond Latin ones",
        re.compile("[\u0250-\u10ff\u1200-\u1dff]"),
        "",
        "",
        ("NotoSans-Regular.ttf", "DejaVuSans.ttf", "Arial Unicode.ttf"),
    ),
)  # fmt: skip


def undrawable(text: str) -> str:
    """Return which letters of the text lack a font, and how to install one; empty if none do."""
    script = next((each for each in _scripts_of(text) if _file(each) is None), None)
    if script is None:
        return ""
    package = script.package.replace("_", "-")
    brings = f"pip install {package}, or " if package else ""
    return f"no font on this machine has {script.name}: {brings}install {script.files[0]}"


def font(text: str, size: int) -> FreeTypeFont:
    """Return the font for text, `size` pixels high, chosen by the first script that it needs."""
    scripts = _scripts_of(text)
    path = _file(scripts[0]) if scripts else None
    return default_font(size) if path is None else _from_file(path, size)


def is_rightward(text: str) -> bool:
    """Return whether the text is written from left to right, judged by its first letter."""
    found = re.search("[A-Za-z\u00c0-\u024f\u0590-\u08ff\u2e80-\u9fff]", text)
    return found is None or not "\u0590" <= found[0] <= "\u08ff"


@lru_cache(4096)
def width_of(text: str, size: int) -> int:
    """Return the width, in pixels, of the text in a font of `size` pixels."""
    return int(font(text, size).getlength(text) + 0.999)


@cache
def line_height(size: int) -> int:
    """Return the distance, in pixels, between two lines of text in a font of `size` pixels."""
    return round(size * 1.35)


def wrapped(text: str, size: int, width: int) -> list[str]:
    """Return the text as lines of at most `width` pixels; Chinese may break anywhere."""
    pieces = re.findall(r"[\u2e80-\u9fff\uff00-\uffef]|[^\s\u2e80-\u9fff\uff00-\uffef]+|\s+", text)
    lines = [""]
    for piece in pieces:
        if piece.isspace():
            lines[-1] += " " if lines[-1] else ""
            continue
        # A line must not begin with a closing punctuation mark.
        fits = width_of(lines[-1] + piece, size) <= width or piece in "，。！？、：；）"
        if lines[-1].strip() and not fits:
            lines.append("")
        rest = piece
        while width_of(rest, size) > width and len(rest) > 1:
            fitting = (n for n in range(len(rest), 1, -1) if width_of(rest[:n], size) <= width)
            most = next(fitting, 1)
            lines[-1], rest = rest[:most], rest[most:]
            lines.append("")
        lines[-1] += rest
    return [line.strip() for line in lines if line.strip()]


def shortened(lines: list[str], most: int, size: int, width: int) -> list[str]:
    """Return the first `most` lines; if any were cut off, the last line returned ends with "…"."""
    if len(lines) <= most:
        return lines
    visible = lines[:most]
    while visible and visible[-1] and width_of(visible[-1] + "…", size) > width:
        visible[-1] = visible[-1][:-1]
    return [*visible[:-1], visible[-1] + "…"] if visible else []


def _scripts_of(text: str) -> list[_Script]:
    return [each for each in _SCRIPTS if each.letters.search(text)]


@cache
def _from_file(path: Path, size: int) -> FreeTypeFont:
    from PIL import ImageFont

    return ImageFont.truetype(str(path), size)


@cache
def _file(script: _Script) -> Path | None:
    spec = importlib.util.find_spec(script.package) if script.package else None
    if spec is not None and spec.origin is not None:
        packaged = sorted(Path(spec.origin).parent.glob(script.pattern))
        if packaged:
            return packaged[0]
    found: dict[str, Path] = {}
    for place in _HOST:
        for folder, _, names in os.walk(Path(place).expanduser()):
            found |= {name: Path(folder, name) for name in names if name in script.files}
    return next((found[name] for name in script.files if name in found), None)
