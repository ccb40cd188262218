"""What `uiautomator dump` writes, and why it sometimes does not."""

from __future__ import annotations

import re

_TAKEN = r"already registered|Killed"
_REASONS = (
    (r"could not get idle state", "the screen never comes to rest: a video, or an animation"),
    (r"null root node", "no window is active: the screen is off, or an app is just starting"),
    (
        _TAKEN,
        (
            "another automation server, of Appium or uiautomator2, runs on the device: stop it, or "
            "choose --mobile-driver=appium"
        ),
    ),
    (r"No space left", "the storage is full"),
    (r"No such file", "it wrote no file"),
)


def dump_script(file: str) -> str:
    """Return a shell script that prints the view hierarchy, by way of a file on the device."""
    # The file of an earlier dump must not pass for this one's when a dump fails.
    return f"uiautomator dump {file}; cat {file}; rm -f {file}"


def hierarchy(output: str) -> str | None:
    """Return the XML in what uiautomator wrote, which may stand before or after its message."""
    start, end = output.find("<?xml"), output.rfind("</hierarchy>")
    return output[start : end + len("</hierarchy>")] if 0 <= start < end else None


def is_taken(output: str) -> bool:
    """Whether uiautomator wrote nothing because another automation server is connected."""
    return hierarchy(output) is None and re.search(_TAKEN, output) is not None


def reason(output: str) -> str:
    """Say in words why there is no hierarchy in what uiautomator wrote."""
    said = " ".join(output.split())[:300] or "nothing"
    known = [why for pattern, why in _REASONS if re.search(pattern, output)]
    return f"uiautomator says {said!r}" + (f" ({known[0]})" if known else "")
