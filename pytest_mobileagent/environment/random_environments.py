"""The command `environments`: draw random environments and write them to a file.

As in B-MoCA (arXiv 2404.16660, section 2.4), the device type, the display size, the language, the
wallpaper, the theme and the positions of icons are drawn independently of each other.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.arguments import Parser, failed, program_name
from pytest_mobileagent.environment import WALLPAPERS, BadEnvironmentError, Environment
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.jsonable import printable, whole_number

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    head = "# Drawn by `mobileagent environments"
    chosen = "".join(
        f" --{name} '{','.join(words)}'"
        for name, words in (("device", given.device), ("locale", given.locale))
        if words
    )
    lines = [f"{head} --seed {given.seed} -n {given.n}{chosen}`."]
    text = "\n".join([*lines, *map(_table, drawn), ""])
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
