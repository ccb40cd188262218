"""Device state that a check needs and the screen does not show.

A probe is read before the first step and after every step. `@task(…, probes={"name": probe})` names
it, and `episode.probe("name")` returns its last value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.lazy_names import lazy_names

if TYPE_CHECKING:
    from pytest_mobileagent._task import Probe
    from pytest_mobileagent.device.probes import ProbeSince
    from pytest_mobileagent.device.probes.services import (
        activity,
        log,
        packages,
        prop,
        provider,
        setting,
        volume,
    )
    from pytest_mobileagent.device.probes.stored import file, files, preferences, sqlite

__getattr__ = lazy_names(__name__)

__all__ = [
    "Probe", "ProbeSince", "activity", "file", "files", "log", "packages", "preferences", "prop",
    "provider", "setting", "sqlite", "volume",
]  # fmt: skip
