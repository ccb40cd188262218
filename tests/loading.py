"""Loads tasks of the suites in a process in which other tests run pytest on the suites, too."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.rollout import load_tasks

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from pytest_mobileagent.rollout import RolloutTask

SUITES = Path(__file__).parents[1] / "tasks"


def load_suites(*paths: str, options: Sequence[str] = ()) -> list[RolloutTask]:
    """Return what `load_tasks` does, and forget the modules that it has imported.

    Python would not import them again for other options, or for a copy of a suite.
    """
    before = set(sys.modules)
    try:
        return load_tasks(*paths, options=options)
    finally:
        loaded = {name: _places(sys.modules[name]) for name in sys.modules.keys() - before}
        for name, places in loaded.items():
            if any(place.is_relative_to(SUITES) for place in places):
                del sys.modules[name]


def _places(module: ModuleType) -> list[Path]:
    """Return the file of a module, or the folders of a package without one."""
    file = getattr(module, "__file__", None)
    return [*map(Path, [file] if file else getattr(module, "__path__", ()))]
