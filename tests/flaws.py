"""What is wrong with a page at any width, in light and dark, in print, and for screen readers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
WIDTHS = (420, 720, 1024, 1440, 3000)
_AXE_WIDTHS = (420, 1440)
SCHEMES = ("light", "dark")

# Texts that are cut off need their whole text in a title, for whoever points at them.
_OVERFLOW = """
const wide = document.documentElement.scrollWidth - innerWidth;
const cut = [...document.body.querySelectorAll("*")].filter((node) => node.offsetParent
  && getComputedStyle(node).textOverflow === "ellipsis" && node.scrollWidth > node.clientWidth + 1
  && node.textContent.trim() && !node.closest("[title]"));
return [...(wide > 0 ? [`${wide} px too wide`] : []),
  ...cut.map((node) => `cut off without a title: ${node.textContent.slice(0, 50)}`)];
"""
_AXE = """
const done = arguments[0];
const words = (each) => each.nodes.map((node) => `${each.id}: ${node.target}`);
axe.run().then((found) => done(found.violations.flatMap(words)));
"""


def flaws(chrome: Any) -> list[str]:
    """Return what does not fit on the open page, and what axe finds, if `make appium` has it."""
    home = Path(os.environ.get("MOBILE_APPIUM_HOME", ROOT / ".appium"))
    axe = home / "node_modules" / "axe-core" / "axe.min.js"
    found: list[str] = []
    try:
        for scheme in SCHEMES:
            _emulate(chrome, scheme=scheme)
            for width in WIDTHS:
                _resize(chrome, width)
                found += [f"{width} {each}" for each in chrome.execute_script(_OVERFLOW)]
                if axe.is_file() and width in _AXE_WIDTHS:
                    chrome.execute_cdp_cmd("Runtime.evaluate", {"expression": axe.read_text()})
                    found += [f"{scheme} {each}" for each in chrome.execute_async_script(_AXE)]
        _emulate(chrome, medium="print")
        _resize(chrome, WIDTHS[1])
        found += [f"print {each}" for each in chrome.execute_script(_OVERFLOW)]
    finally:
        chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        _emulate(chrome)
    return found


def _resize(chrome: Any, width: int) -> None:
    screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    # Pages draw what a new width changes with the next frame; until then the old columns stand.
    chrome.execute_async_script(
        "const d = arguments[0]; requestAnimationFrame(() => setTimeout(d));"
    )


def _emulate(chrome: Any, *, scheme: str = "", medium: str = "") -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    media = {"media": medium, "features": features}
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
