"""The running configuration as resource qualifiers, as `am get-config` writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_mobileagent.virtual.content.locale import Locale

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.system.locales import Locales
    from pytest_mobileagent.virtual.system.window.display import Display

DENSITIES: Final = {120: "l", 160: "m", 213: "tv", 240: "h", 320: "xh", 480: "xxh", 640: "xxxh"}


def qualifiers(display: Display, locales: Locales) -> str:
    """Write the phone's configuration."""
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
        "v34",
    ]
    return "-".join(parts)


def _locale(tag: str) -> str:
    language, script, region = Locale(tag).parts
    if script:
        return "b+" + "+".join(filter(None, (language, script, region)))
    return f"{language}-r{region}" if region else language


def _size(longer: int, shorter: int) -> str:
    """Name the class of a screen's size, and of its shape."""
    sizes = {"xlarge": (960, 720), "large": (640, 480), "normal": (470, 320), "small": (0, 0)}
    name = next(n for n, (long, short) in sizes.items() if longer >= long and shorter >= short)
    return f"{name}-{'long' if longer * 3 / 5 >= shorter - 1 else 'notlong'}"
