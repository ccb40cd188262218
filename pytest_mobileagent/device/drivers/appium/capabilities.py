"""Capabilities that a user gives for Appium's sessions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def parse_capabilities(file: str) -> dict[str, Any]:
    """Read a JSON file of capabilities.

    Raises:
        ValueError: it cannot be read, or is no JSON object.
    """
    try:
        capabilities = json.loads(Path(file).read_text("utf-8"))
    except (OSError, ValueError) as error:
        msg = f"cannot be read as JSON: {error}"
        raise ValueError(msg) from None
    if not isinstance(capabilities, dict):
        msg = "has to hold one JSON object"
        raise ValueError(msg)  # noqa: TRY004 - every wrong value of an option is a ValueError
    return capabilities
