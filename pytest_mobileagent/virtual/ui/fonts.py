"""Fonts for other scripts: which characters need them, where they are found, when they are loaded.

Latin, Greek and Cyrillic letters use Roboto, which is part of this package. A font for another
script is located when a character of that script is first drawn: in the packages that provide
fonts, otherwise on the host.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PIL import ImageFont, features

if TYPE_CHECKING:
    from collections.abc import Iterator

ROBOTO: Final = Path(__file__).with_name("roboto")  # Android's own typeface
HOST: Final = (  # font directories on Linux and macOS
    *("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts"),
    *("/System/Library/Fonts", "/Library/Fonts", "~/Library/Fonts"),
)


@dataclass(frozen=True, slots=True)
class Family:
    """The font for some scripts; `fonts.toml` documents the fields."""

    name: str
    signs: str
    files: tuple[str, ...]
    package: str = ""
    pattern: str = ""
    scale: float = 1.0
    shaped: bool = False
    joins: bool = False


_TABLE: Final = tomllib.loads(Path(__file__).with_name("fonts.toml").read_text("utf-8"))
FAMILIES: Final = tuple(
    Family(**{**each, "files": tuple(each["files"])}) for each in _TABLE["family"]
)
FOREIGN: Final = re.compile(f"[{''.join(family.signs for family in FAMILIES)}]")
_RUNS: Final = re.compile("|".join(f"([{family.signs}]+)" for family in FAMILIES))
_BOLD: Final = 600  # weight axis of a variable font
_REGULAR: Final = 400

RAQM: Final = features.check("raqm")  # joins letters and reorders them


def parts(text: str) -> Iterator[tuple[str, Family | None]]:
    """Split text at changes of font, yielding each part with its family; None is Roboto."""
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
    """Return Roboto at a size in pixels."""
    path = ROBOTO / f"Roboto-{'Medium' if bold else 'Regular'}.ttf"
    return ImageFont.truetype(str(path), size, layout_engine=ImageFont.Layout.BASIC)


@cache
def font(family: Family | None, size: int, bold: bool) -> ImageFont.FreeTypeFont:
    """Return a family's font at a size in pixels; without its file, Roboto, which draws boxes."""
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
    """Find the font file of a family; the first time that it is missing, print a hint."""
    path = _packaged(family) or _installed(family)
    if path is None:
        brings = f"pip install {family.package.replace('_', '-')}, or " if family.package else ""
        problem = f"no font for {family.name}: its letters are drawn as boxes"
        print(f"{problem}; {brings}install one of: {', '.join(family.files)}", file=sys.stderr)
    return path


def _packaged(family: Family) -> Path | None:
    spec = importlib.util.find_spec(family.package) if family.package else None
    if spec is None or spec.origin is None:
        return None
    return next(Path(spec.origin).parent.glob(family.pattern), None)


def _installed(family: Family) -> Path | None:
    found: dict[str, Path] = {}
    for place in HOST:
        for folder, _, names in os.walk(Path(place).expanduser()):
            found |= {name: Path(folder, name) for name in names if name in family.files}
    return next((found[name] for name in family.files if name in found), None)
