"""Which earlier run an option names, if one does: they exclude each other.

pytest loads this module in every session, so what only such an option needs is imported where it
is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.plain import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.plugin.options import OptionValue
    from pytest_mobileagent.plugin.reuse.rescoring import Rescoring
    from pytest_mobileagent.plugin.reuse.resuming import Resuming
    from pytest_mobileagent.plugin.reuse.reusing import Reusing

_WAYS = ("mobile-resume", "mobile-reuse", "mobile-rescore")


def check_exclusive(settings: Mapping[str, OptionValue]) -> None:
    """Check that at most one of the options is given that take over from an earlier run.

    Raises:
        pytest.UsageError: there are several.
    """
    given = [settings[name] for name in _WAYS if settings[name].value is not None]
    if len(given) > 1:
        names = " and ".join(str(setting) for setting in given)
        msg = f"{names} exclude each other: one run is gone on with, reused or scored again"
        raise pytest.UsageError(printable(msg))


def resuming(
    config: pytest.Config, settings: Mapping[str, OptionValue], given: Mapping[str, str]
) -> Resuming | None:
    """Return the run that goes on, if one does; `given` is what a worker was told.

    Raises:
        pytest.UsageError: it cannot go on.
    """
    if settings["mobile-resume"].value is None:
        return None
    from pytest_mobileagent.plugin.reuse.resuming import Resuming

    return Resuming(config, settings["mobile-resume"], given)


def rescoring(
    config: pytest.Config, settings: Mapping[str, OptionValue], given: Mapping[str, str]
) -> Rescoring | None:
    """Return the run that is scored again, if one is; `given` is what a worker was told.

    Raises:
        pytest.UsageError: it cannot be.
    """
    if settings["mobile-rescore"].value is None:
        return None
    from pytest_mobileagent.plugin.reuse.rescoring import Rescoring

    return Rescoring(config, settings["mobile-rescore"], given)


def reusing(
    config: pytest.Config, settings: Mapping[str, OptionValue], given: Mapping[str, str]
) -> Reusing | None:
    """Return the run that is reused, if one is; `given` is what a worker was told.

    Raises:
        pytest.UsageError: it cannot be.
    """
    if settings["mobile-reuse"].value is None:
        return None
    from pytest_mobileagent.plugin.reuse.reusing import Reusing

    return Reusing(config, settings["mobile-reuse"], given)
