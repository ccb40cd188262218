"""Cutting of long texts for the record: the middle of what an agent says or does is left out."""

from __future__ import annotations

from typing import Any

from pytest_mobileagent.episode.redaction import redacted

# Characters that are recorded: of what an agent says or of a text in an action, and of an error.
MOST_SAID, MOST_OF_ERROR = 100_000, 20_000
_BEYOND = 10_000  # characters behind a cut, which may say what the beginning belongs to


def cut(text: str, most: int) -> str:
    """Return a text, without its middle if it has more than `most` characters.

    What is left is redacted before it is cut, so that no part of a secret stands at the cut.
    """
    if len(text) <= most:
        return text
    half = most // 2
    beginning, end = redacted(text[:most])[:half], redacted(text[-most:])[-half:]
    return f"{beginning}\n… {len(text) - 2 * half} characters are left out …\n{end}"


def shortened(text: str, most: int) -> str:
    """Return the beginning of a text that has more than `most` characters, redacted as in `cut`."""
    return text if len(text) <= most else f"{redacted(text[: most + _BEYOND])[:most]}…"


def cut_texts(value: Any, most: int = MOST_SAID) -> Any:
    """Return plain data with every text in it cut (see `cut`)."""
    match value:
        case str():
            return cut(value, most)
        case dict():
            return {name: cut_texts(item, most) for name, item in value.items()}
        case list() | tuple():
            return [cut_texts(item, most) for item in value]
    return value
