"""Calling the hooks that others implement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import HostError, in_one_line

if TYPE_CHECKING:
    import pytest


def announce(item: pytest.Item, hook: str, **about: Any) -> None:
    """Call a hook of `hookspecs` for a test, with its configuration.

    Raises:
        HostError: an implementation raised; the text says what.
    """
    try:
        getattr(item.ihook, hook)(**about, config=item.config)
    except Exception as error:
        msg = f"the hook {hook} raised {in_one_line(error)}"
        raise HostError(msg) from error
