"""Environments: variations of a device in type, sizes, language, theme, wallpaper and icons.

An environment is data that is validated on creation. Files of environments are TOML with a list of
tables, [[environment]]. `apply` gives one to a device, and sets the time of its clock. The command
`environments` draws random ones and writes them to a file.
"""

from __future__ import annotations

import argparse
import difflib
import random
import re
import tomllib
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from pytest_mobileagent.arguments import Parser, failed, program_name
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.jsonable import printable, whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


DEFAULT_WALLPAPER = "00_default"  # the device's own
WALLPAPERS = (
    *(DEFAULT_WALLPAPER, "01_red", "02_blue", "03_paper", "04_sky", "05_doughnut", "07_food"),
    *("08_colors", "09_rainbow", "10_galaxy", "11_pyramid", "12_ocean", "13_canyon"),
)
_ID = re.compile(r"[A-Za-z0-9_.]+")
_TAG = re.compile(r"[a-z]{2,3}(-[A-Za-z]{4})?(-[A-Z]{2})?")


class BadEnvironmentError(ValueError):
    """An environment is invalid; the message names the key and its permitted values."""


@dataclass(frozen=True, slots=True)
class Environment:
    """The appearance of a device, in the respects that B-MoCA varies (section 2.4, appendix A.2).

    - `id`: its name; `group`: the set that it belongs to ("train", "test").
    - `device`: the name of the device type; `size` (width and height in pixels) and `density` (dots
      per inch) describe its screen.
    - `font_scale`: the size of texts; 1.0 is Android's default.
    - `locale`: a language tag such as "fr-CA" or "zh-Hans-CN".
    - `wallpaper`: one of `WALLPAPERS`; the first is the device's own.
    - `dark`: whether the dark theme is on.
    - `layout`: the seed of the icons' places on the home screen; 0: in order; None: unchanged.

    Raises:
        BadEnvironmentError: if a field is invalid.
    """

    id: str
    device: str
    size: tuple[int, int]
    density: int
    group: str = ""
    font_scale: float = 1.0
    locale: str = "en-US"
    wallpaper: str = DEFAULT_WALLPAPER
    dark: bool = False
    layout: int | None = None

    def __post_init__(self) -> None:
        for name, (holds, allowed) in _RULES.items():
            value = getattr(self, name)
            if not holds(value):
                raise BadEnvironmentError(f"{name} = {value!r} must be {allowed}")

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Environment:
        """Return the environment described by a TOML table.

        Raises:
            BadEnvironmentError: if a key is unknown or missing, or its value is invalid.
        """
        names = [field.name for field in fields(cls)]
        for key in table:
            if key not in names:
                near = difflib.get_close_matches(key, names, 1)
                hint = f"did you mean {near[0]}?" if near else f"the keys are {', '.join(names)}"
                raise BadEnvironmentError(f"{key} is not a key of an environment; {hint}")
        for name in ("id", "device", "size", "density"):
            if name not in table:
                raise BadEnvironmentError(f"{name} is missing")
        size = table["size"]
        return cls(**{**table, "size": tuple(size) if isinstance(size, list) else size})


def _is_whole(value: Any, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def _is_size(value: Any) -> bool:
    is_pair = isinstance(value, tuple) and len(value) == 2
    return is_pair and all(_is_whole(side, 200, 10_000) for side in value)


def _matches(pattern: re.Pattern[str]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and bool(pattern.fullmatch(value))


_RULES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "id": (_matches(_ID), "letters, digits, dots and underscores"),
    "device": (lambda value: isinstance(value, str) and bool(value.strip()), "a name"),
    "group": (lambda value: value == "" or _matches(_ID)(value), "a word"),
    "size": (_is_size, "width and height in pixels, as in [1080, 2400]"),
    "density": (lambda value: _is_whole(value, 72, 1000), "a whole number from 72 to 1000"),
    "font_scale": (
        lambda value: type(value) in (int, float) and 0.5 <= value <= 2,
        "a number from 0.5 to 2",
    ),
    "locale": (_matches(_TAG), 'a language tag such as "fr-CA" or "zh-Hans-CN"'),
    "wallpaper": (lambda value: value in WALLPAPERS, f"one of {', '.join(WALLPAPERS)}"),
    "dark": (lambda value: isinstance(value, bool), "true or false"),
    "layout": (
        lambda value: value is None or _is_whole(value, 0, 2**31),
        "a whole number from 0, the seed of the icons' places",
    ),
}


ALL = "all"


def load(folders: Iterable[Path]) -> dict[str, Environment]:
    """Return the environments in all *.toml files of some folders, by id.

    Raises:
        BadEnvironmentError: if a file cannot be read or is invalid; the message names it.
    """
    found: dict[str, Environment] = {}
    for folder in folders:
        for path in sorted(folder.glob("*.toml")):
            for environment in _read(path):
                if environment.id in found:
                    msg = f"{path}: the environment {environment.id} is defined twice"
                    raise BadEnvironmentError(msg)
                found[environment.id] = environment
    return found


def _read(path: Path) -> list[Environment]:
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise BadEnvironmentError(f"{path}: {error}") from None
    tables = content.pop("environment", [])
    if content or not isinstance(tables, list) or not all(isinstance(t, dict) for t in tables):
        raise BadEnvironmentError(f"{path}: may only contain tables [[environment]]")
    environments = []
    for number, table in enumerate(tables, 1):
        try:
            environments.append(Environment.of(table))
        except BadEnvironmentError as error:
            msg = f"{path}: environment {table.get('id', f'number {number}')}: {error}"
            raise BadEnvironmentError(msg) from None
    return environments


def select(words: Iterable[str], known: Mapping[str, Environment]) -> list[Environment]:
    """Return environments by id, range of ids ("100-104"), group, or "all".

    Raises:
        ValueError: if there is no such id or group.
    """
    chosen: dict[str, Environment] = {}
    for word in words:
        found = _named(word, known)
        if not found:
            groups = sorted({each.group for each in known.values()} - {""})
            there = ", ".join(sorted(known)) or "none: no folder of environments is registered"
            raise ValueError(f"names {word!r}; choose from {', '.join([ALL, *groups])} and {there}")
        chosen |= {environment.id: environment for environment in found}
    return list(chosen.values())


def _named(word: str, known: Mapping[str, Environment]) -> list[Environment]:
    if word in known:
        return [known[word]]
    first, _, last = word.partition("-")
    if first in known and last in known:
        ids = sorted(known)
        return [known[each] for each in ids[ids.index(first) : ids.index(last) + 1]]
    return [each for each in known.values() if word in (ALL, each.group)]


_ZONED = re.compile(r"(.+)\[([\w/+-]+)\]")  # as in RFC 9557


def parse_moment(text: str) -> datetime | None:
    """Return the moment that an option gives in ISO 8601; None for "now".

    A moment without a time zone is in the device's. The name of a zone may follow in brackets, as
    in RFC 9557: the moment is in that zone, and so is the device.

    Raises:
        ValueError: if the text does not specify a moment.
    """
    if (text := text.strip()) == "now":
        return None
    zoned = _ZONED.fullmatch(text)
    try:
        moment = datetime.fromisoformat(zoned[1] if zoned else text)
        zone = ZoneInfo(zoned[2]) if zoned else moment.tzinfo
    except (KeyError, ValueError, OSError):
        msg = "must be a date and time such as 2026-11-22T09:00, perhaps with [Asia/Tokyo], or now"
        raise ValueError(msg) from None
    return moment.astimezone(zone) if moment.tzinfo else moment.replace(tzinfo=zone)


# Each device type's screen: its size in pixels, and its density in dots per inch (tables 4 to 6).
DEVICES = {
    "Pixel 3": ((1080, 2160), 440),
    "Pixel 4": ((1080, 2280), 440),
    "Pixel 5": ((1080, 2340), 440),
    "Pixel 6": ((1080, 2400), 560),
    "WXGA Tablet": ((1280, 800), 160),
}
# Factors of the density with the corresponding font scale: small, normal, large.
SCALES = ((0.75, 1.15), (1.0, 1.0), (1.25, 0.85))
LOCALES = (
    "en-US", "es-US", "fr-CA", "zh-Hans-CN", "hi-IN", "ja-JP", "ru-MD", "ar-AE", "de-DE", "ak-GH",
    "pt-BR", "pt-PT", "ko-KR", "ur-PK", "ar-EG",
)  # fmt: skip
_MOST = 10_000


def draw(
    seed: int, number: int, devices: Sequence[str] = (), locales: Sequence[str] = ()
) -> Environment:
    """Return environment `number` (from 0) of a seed; each of its parts is drawn uniformly.

    They are drawn independently of each other, as in B-MoCA (arXiv 2404.16660, section 2.4).

    Raises:
        BadEnvironmentError: if a locale is not a language tag.
    """
    dice = random.Random(f"{seed} {number}")
    device = dice.choice(devices or [*DEVICES])
    size, density = DEVICES[device]
    share, font_scale = dice.choice(SCALES)
    return Environment(
        id=f"seed{seed}_{number:03}",
        group=f"seed{seed}",
        device=device,
        size=size,
        density=round(density * share),
        font_scale=font_scale,
        locale=dice.choice(locales or LOCALES),
        wallpaper=dice.choice(WALLPAPERS),
        dark=dice.choice([False, True]),
        layout=dice.randrange(1, 2**31),
    )


def main(arguments: Sequence[str]) -> int:
    """Write a file of random environments, and return the exit status.

    It is 1 if the file cannot be written, or exists with different content.
    """
    given = _parser().parse_args(arguments)
    try:
        drawn = [draw(given.seed, n, given.device, given.locale) for n in range(given.n)]
    except BadEnvironmentError as error:
        return failed(error)
    chosen = "".join(
        f" --{name} '{','.join(words)}'"
        for name, words in (("device", given.device), ("locale", given.locale))
        if words
    )
    head = f"# Drawn by `mobileagent environments --seed {given.seed} -n {given.n}{chosen}`."
    text = "\n".join([head, *map(_table, drawn), ""])
    path = given.output / f"seed{given.seed}.toml"
    try:
        given.output.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        if path.is_file() and path.read_bytes() == text.encode():
            print(printable(f"left {path} unchanged: it contains the same {given.n} environments"))
            return 0
        what = f"{path} exists with different content: choose another folder or seed"
        return failed(HostError(what))
    except OSError as error:
        return failed(HostError(f"cannot write {path}: {error.strerror}"))
    print(printable(f"wrote {path}: run them with --mobile-env={drawn[0].group}"))
    return 0


def _table(environment: Environment) -> str:
    values = ((each.name, getattr(environment, each.name)) for each in fields(environment))
    return "\n".join(["", "[[environment]]", *(f"{name} = {_toml(v)}" for name, v in values)])


def _toml(value: Any) -> str:
    """Return a value of an environment as TOML; its strings contain no quotes or backslashes."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(str, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("environments"),
        description="Draw random environments, and write them to DIR/seedS.toml, which must not "
        "exist. The same seed gives the same environments.",
    )
    add = parser.add_argument
    add("--seed", metavar="S", type=_whole, required=True, help="the seed, from 0")
    add("-n", metavar="N", type=_count, required=True, help="the number of environments")
    folder = "the folder, which should be one of the project's mobile_env_paths"
    add("-o", "--output", metavar="DIR", type=Path, required=True, help=folder)
    types = f"the device types to draw from (default: {', '.join(DEVICES)})"
    add("--device", metavar="NAME,…", type=_devices, default=(), help=types)
    locales = "the languages to draw from, such as en-US,ko-KR (default: those of B-MoCA)"
    add("--locale", metavar="TAG,…", type=lambda t: tuple(t.split(",")), default=(), help=locales)
    return parser


def _whole(text: str) -> int:
    number = whole_number(text)
    if number is None or number < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 0")
    return number


def _count(text: str) -> int:
    number = _whole(text)
    if not 1 <= number <= _MOST:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {_MOST}")
    return number


def _devices(text: str) -> tuple[str, ...]:
    names = tuple(word.strip() for word in text.split(","))
    if unknown := [name for name in names if name not in DEVICES]:
        msg = f"there is no {unknown[0]!r} (available: {', '.join(DEVICES)})"
        raise argparse.ArgumentTypeError(msg)
    return names
