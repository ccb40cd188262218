"""Asking a test body about an episode, and about each of its prefixes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.episode.episode import Episode


def holds(body: Callable[[Episode], object], episode: Episode) -> bool:
    """Whether a body accepts an episode: it returns, and raises nothing."""
    try:
        body(episode)
    except (KeyboardInterrupt, pytest.exit.Exception):
        raise
    except BaseException:  # noqa: BLE001 - pytest's outcomes are no Exceptions
        return False
    return True


def first_success(body: Callable[[Episode], object], episode: Episode) -> int | None:
    """Return after how many steps the body first held, 0 if it did at once; None if it never did.

    The body is asked about every prefix of the episode, so the agent need not have noticed. A
    report of being done counts as no step, but may be what makes the body hold.
    """
    for length in range(len(episode.steps) + 1):
        prefix = episode.prefix(length)
        if holds(body, prefix):
            return prefix.step_count
    return None
