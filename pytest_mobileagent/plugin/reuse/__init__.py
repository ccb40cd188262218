"""Earlier runs that are resumed, reused, rescored or replayed, so recorded work is not repeated.

pytest imports this module in every session, so each kind is imported where it is created.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.plugin.reuse.earlier import EarlierRun

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.plugin.sources import OptionValue

_WAYS = {  # the module and the class of each
    "mobile-resume": ("resuming", "Resuming"),
    "mobile-reuse": ("reusing", "Reusing"),
    "mobile-rescore": ("rescoring", "Rescoring"),
    "mobile-replies": ("replaying", "Replaying"),
}


def earlier_run(
    config: pytest.Config, settings: Mapping[str, OptionValue], given: Mapping[str, str]
) -> EarlierRun:
    """Return the earlier run that an option names; `given` is the data from the run's owner.

    Raises:
        pytest.UsageError: if several options name a run, or the run cannot be used in this way.
    """
    named = [settings[name] for name in _WAYS if settings[name].value is not None]
    if not named:
        return EarlierRun()
    if len(named) > 1:
        names = " and ".join(str(setting) for setting in named)
        ways = "resumed, reused, or scored or played again"
        msg = f"{names} exclude each other: a run is either {ways}"
        raise pytest.UsageError(printable(msg))
    module, kind = _WAYS[named[0].option.flag.removeprefix("--")]
    way = getattr(import_module(f"{__name__}.{module}"), kind)
    earlier: EarlierRun = way(config, named[0], given)
    return earlier
