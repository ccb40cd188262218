"""Keys and the like, which stand in no record."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.redaction import without
from pytest_mobileagent.processes import may_hold_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SHORTEST = 8  # characters: a shorter one stands in other words


def secrets_of(environment: Mapping[str, str]) -> list[str]:
    """Return the values of variables that, by their names, hold keys and the like."""
    return _longest_first(value for name, value in environment.items() if may_hold_key(name))


def without_secrets(value: Any, secrets: Iterable[str]) -> Any:
    """Return a text, or other plain data, without secrets in its texts."""
    return without(_longest_first(secrets), value)


def secret_bytes(secrets: Iterable[str]) -> list[bytes]:
    """Return secrets as they stand in files and output, the longest first."""
    return [os.fsencode(each) for each in _longest_first(secrets)]


def _longest_first(secrets: Iterable[str]) -> list[str]:
    """Return what is long enough to be hidden: one secret may be the beginning of another."""
    return sorted({each for each in secrets if len(each) >= _SHORTEST}, key=len, reverse=True)
