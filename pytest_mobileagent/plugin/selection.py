"""What chooses the tests of a run on pytest's command line: paths, -k, -m and the like."""

from __future__ import annotations

import os.path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

# Flags by the names that pytest keeps them under; all others leave the choice of tests as it is.
_FLAGS = {
    "keyword": "-k",
    "markexpr": "-m",
    "deselect": "--deselect",
    "ignore": "--ignore",
    "ignore_glob": "--ignore-glob",
    "lf": "--last-failed",
    "stepwise": "--stepwise",
}


def selection(config: pytest.Config) -> dict[str, Any]:
    """Return what chose the tests, as plain data: `paths`, and each flag that was given.

    Paths are relative to the project, so that runs of two checkouts can be compared.
    """
    found = {flag: getattr(config.option, name, None) for name, flag in _FLAGS.items()}
    given = {flag: _plain(value) for flag, value in found.items() if value}
    return {"paths": sorted({_relative(config, each) for each in config.args}), **given}


def _relative(config: pytest.Config, argument: str) -> str:
    path, colons, test = argument.partition("::")
    whole = config.invocation_params.dir / path
    try:
        path = os.path.relpath(whole, config.rootpath)
    except ValueError:  # another drive
        path = str(whole)
    return f"{path.replace(os.sep, '/')}{colons}{test}"


def _plain(value: Any) -> Any:
    return sorted(map(str, value)) if isinstance(value, list | tuple) else value
