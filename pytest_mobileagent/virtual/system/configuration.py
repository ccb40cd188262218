"""The running configuration: the phone's languages, and its display's size, density and theme."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_mobileagent.virtual.content.locale import Locale
from pytest_mobileagent.virtual.snapshots import Kept
from pytest_mobileagent.virtual.ui.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_mobileagent.virtual.content.settings import Settings
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.kernel.properties import Properties


PROPERTY: Final = "persist.sys.locale"
SETTING: Final = "system_locales"
FRAMEWORK: Final = Path(__file__).parents[1] / "strings"  # shared by all apps: OK, Cancel
_TAG = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*")


@dataclass(eq=False)
class Locales(Kept):
    """The languages of the running configuration; those stored for the next start may differ."""

    KEPT = ("tags", "_apps")

    props: Properties
    changes: Changes
    settings: Settings
    tags: list[str] = field(init=False)
    _apps: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Start with the language that the phone was created with."""
        self.tags = [self.props[PROPERTY]]

    @property
    def current(self) -> Locale:
        """The phone's current locale."""
        return locale(self.tags[0])

    def of(self, package: str) -> Locale:
        """Return the locale of an app: its own, if one is set, otherwise the phone's."""
        return locale((self._apps.get(package) or self.tags)[0])

    def own(self, package: str) -> list[str]:
        """Return the languages set for this app only."""
        return list(self._apps.get(package, ()))

    @property
    def long_clock(self) -> bool:
        """Whether the 24-hour clock is used: the user's choice, otherwise the locale's default."""
        chosen = self.settings.text("system", "time_12_24")
        return chosen == "24" if chosen else self.current.long_clock

    def set_own(self, package: str, tags: Iterable[str]) -> None:
        """Set an app's own languages; an empty list makes it follow the phone."""
        self._apps[package] = [str(tag) for tag in tags]
        self.changes.note()

    def change(self, tags: Iterable[str]) -> None:
        """Change the phone's languages, as a choice in Settings does; the apps follow."""
        chosen = [normal(tag) for tag in tags]
        if not chosen:
            raise ValueError("no language")
        self.props.set(PROPERTY, chosen[0])
        self.settings.put("system", SETTING, ",".join(chosen))
        self.tags = chosen
        self.changes.note()

    def start(self) -> None:
        """Load the stored languages, as Android does when it starts."""
        stored = self.settings.text("system", SETTING) or self.props[PROPERTY]
        tags = [tag for tag in stored.split(",") if _TAG.fullmatch(tag)]
        self.tags = [normal(tag) for tag in tags] or ["en-US"]
        self.changes.note()

    def text(self, package: str, folder: Path, english: str) -> str:
        """Return an app's text in its language, from translations in `folder`, or in English."""
        for tag in self._apps.get(package) or self.tags:
            spoken = locale(tag)
            if spoken.language == "en":
                return english
            for place in (folder, FRAMEWORK):
                found = catalog(place, spoken.names).get(english)
                if found is not None:
                    return found
        return english


@cache
def locale(tag: str) -> Locale:
    """Return the locale for a tag; equal tags share one object."""
    return Locale(tag)


def normal(tag: str) -> str:
    """Return a language tag as Android spells it: zh-Hans-CN; ValueError if it is invalid."""
    if not _TAG.fullmatch(tag):
        raise ValueError(f"{tag!r} is no language tag")
    return "-".join(part for part in Locale(tag).parts if part)


@lru_cache(256)
def catalog(folder: Path, names: tuple[str, ...]) -> Mapping[str, str]:
    """Load a folder's closest translation; ValueError, naming the file, if it is broken."""
    for name in names:
        path = folder / f"{name}.toml"
        if path.is_file():
            try:
                return tomllib.loads(path.read_text("utf-8"))
            except tomllib.TOMLDecodeError as error:
                raise ValueError(f"{path}: {error}") from error
    return {}


DISPLAY = "4619827259835644672"
UPSIDE_DOWN = 2  # quarter turns
DENSITIES: Final = {120: "l", 160: "m", 213: "tv", 240: "h", 320: "xh", 480: "xxh", 640: "xxxh"}
BASELINE = 160  # dots per inch at which 1 dp is 1 pixel


class Display:
    """The display's physical properties, and the effect of `wm` and the settings on them."""

    def __init__(self, settings: Settings, size: tuple[int, int], density: int) -> None:
        self._settings = settings
        self.physical_size = size
        self.physical_density = density
        self._held = 0

    @property
    def size_override(self) -> tuple[int, int] | None:
        """The size set by `wm size`, or None."""
        text = self._settings.text("global", "display_size_forced")
        if not text:
            return None
        width, _, height = text.partition(",")
        return int(width), int(height)

    @size_override.setter
    def size_override(self, size: tuple[int, int] | None) -> None:
        text = f"{size[0]},{size[1]}" if size and size != self.physical_size else ""
        self._settings.put("global", "display_size_forced", text)

    @property
    def density_override(self) -> int | None:
        """The density set by `wm density`, or None."""
        text = self._settings.text("secure", "display_density_forced")
        return int(text) if text else None

    @density_override.setter
    def density_override(self, density: int | None) -> None:
        text = str(density) if density and density != self.physical_density else ""
        self._settings.put("secure", "display_density_forced", text)

    @property
    def density(self) -> int:
        """The density in dots per inch."""
        return self.density_override or self.physical_density

    @property
    def rotation(self) -> int:
        """Quarter turns, counter-clockwise: of the phone, or as locked by the user."""
        if self.turns_with_phone:
            return self._held
        return int(self._settings.text("system", "user_rotation", "0"))

    @property
    def turns_with_phone(self) -> bool:
        """Whether auto-rotate is on."""
        return self._settings.on("system", "accelerometer_rotation")

    def turned(self, turns: int) -> None:
        """Update the phone's orientation; upside down, the display keeps its rotation."""
        if turns != UPSIDE_DOWN:
            self._held = turns

    def lock_rotation(self, rotation: int | None = None) -> None:
        """Lock the display's rotation, by default the current one."""
        turns = self.rotation if rotation is None else rotation
        self._settings.put("system", "user_rotation", str(turns))
        self._settings.put("system", "accelerometer_rotation", "0")

    def free_rotation(self) -> None:
        """Turn auto-rotate on."""
        self._settings.put("system", "accelerometer_rotation", "1")

    @property
    def dark(self) -> bool:
        """Whether the night theme is on."""
        return self._settings.text("secure", "ui_night_mode") == "2"

    @dark.setter
    def dark(self, on: bool) -> None:
        self._settings.put("secure", "ui_night_mode", "2" if on else "1")

    @property
    def metrics(self) -> Metrics:
        """The metrics for the layout of views."""
        width, height = self.size_override or self.physical_size
        if self.rotation % 2:
            width, height = height, width
        return Metrics(
            width_px=width,
            height_px=height,
            density=self.density / BASELINE,
            font_scale=float(self._settings.text("system", "font_scale", "1.0")),
            dark=self.dark,
        )


def qualifiers(display: Display, locales: Locales, level: str) -> str:
    """Format the running configuration for an API level, as `am get-config` does."""
    metrics, dots = display.metrics, display.density
    width, height = (int(px / metrics.density) for px in (metrics.width_px, metrics.height_px))
    parts = [
        "mcc310-mnc260",
        ",".join(_locale(tag) for tag in locales.tags),
        "ldrtl" if locales.current.rtl else "ldltr",
        f"sw{min(width, height)}dp-w{width}dp-h{height}dp",
        _size(max(width, height), min(width, height)),
        "notround-lowdr-nowidecg",
        "port" if height >= width else "land",
        "night" if metrics.dark else "notnight",
        f"{DENSITIES[dots]}dpi" if dots in DENSITIES else f"{dots}dpi",
        "finger-keysexposed-qwerty-navhidden-nonav",
        f"{max(metrics.width_px, metrics.height_px)}x{min(metrics.width_px, metrics.height_px)}",
        f"v{level}",
    ]
    return "-".join(parts)


def _locale(tag: str) -> str:
    language, script, region = Locale(tag).parts
    if script:
        return "b+" + "+".join(filter(None, (language, script, region)))
    return f"{language}-r{region}" if region else language


def _size(longer: int, shorter: int) -> str:
    """Return the size class of a screen, and its aspect class."""
    sizes = {"xlarge": (960, 720), "large": (640, 480), "normal": (470, 320), "small": (0, 0)}
    name = next(n for n, (long, short) in sizes.items() if longer >= long and shorter >= short)
    return f"{name}-{'long' if longer * 3 / 5 >= shorter - 1 else 'notlong'}"
