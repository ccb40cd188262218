"""Earlier runs that are resumed, reused, rescored or replayed, so recorded work is not repeated.

pytest imports this module in every session, so each kind is imported where it is created.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.plugin.reuse.earlier import EarlierRun

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.plugin.sources import OptionValue

_WAYS = ("mobile-resume", "mobile-reuse", "mobile-rescore", "mobile-replies")


def earlier_run(
    config: pytest.Config, settings: Mapping[str, OptionValue], given: Mapping[str, str]
) -> EarlierRun:
    """Return the earlier run that an option names; `given` is the data from the run's owner.

    Raises:
        pytest.UsageError: if several options name a run, or the run cannot be used in this way.
    """
    named = [settings[name] for name in _WAYS if settings[name].value is not None]
    if len(named) > 1:
        names = " and ".join(str(setting) for setting in named)
        ways = "resumed, reused, or scored or played again"
        msg = f"{names} exclude each other: a run is either {ways}"
        raise pytest.UsageError(printable(msg))
    if settings["mobile-resume"].value is not None:
        from pytest_mobileagent.plugin.reuse.resuming import Resuming

        return Resuming(config, settings["mobile-resume"], given)
    if settings["mobile-reuse"].value is not None:
        from pytest_mobileagent.plugin.reuse.reusing import Reusing

        return Reusing(config, settings["mobile-reuse"], given)
    if settings["mobile-rescore"].value is not None:
        from pytest_mobileagent.plugin.reuse.rescoring import Rescoring

        return Rescoring(config, settings["mobile-rescore"], given)
    if settings["mobile-replies"].value is not None:
        from pytest_mobileagent.plugin.reuse.replaying import Replaying

        return Replaying(config, settings["mobile-replies"], given)
    return EarlierRun()
