"""Pages opened in a browser, where there is one."""

from __future__ import annotations

import os
import sys
import webbrowser


def open_page(url: str) -> bool:
    """Open a page in a window of a browser, and return whether there was one to open it in."""
    return has_windows() and webbrowser.open(url)


def has_windows() -> bool:
    """Whether a browser would open a window of its own, and not take over the terminal."""
    windows = sys.platform in {"darwin", "win32"}
    return windows or bool({"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys())
