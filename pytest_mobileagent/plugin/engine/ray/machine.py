"""A description of a machine of the cluster: its name, its versions, and digests of its code."""

from __future__ import annotations

import hashlib
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest_mobileagent
from pytest_mobileagent.jsonable import digest
from pytest_mobileagent.plugin.metadata import versions
from pytest_mobileagent.plugin.project import folders
from pytest_mobileagent.plugin.reuse.digests import content_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pytest

    from pytest_mobileagent.plugin.config import RunConfig

_OF_PROJECT = ("agents", "apps", "environments", "noise")


def about_node() -> dict[str, Any]:
    """Return the name of this machine, and the versions that a run's results may depend on."""
    return {"node": socket.gethostname(), "pid": os.getpid(), "versions": versions()}


def about_code(session: pytest.Session, run: RunConfig) -> dict[str, str]:
    """Return digests of the tests, the project's folders and the plugin, by their names.

    Test files and conftest.py files are named by their paths relative to pytest's root folder.
    """
    root = session.config.rootpath
    loaded = session.config.pluginmanager.get_plugins()
    modules = {getattr(each, "__file__", None) or "" for each in loaded}
    files = {item.path for item in session.items}
    files |= {Path(name) for name in modules if name.endswith("conftest.py")}
    return {**_of_files(root, files), **_of_folders(run)}


def differences(run: RunConfig, theirs: Mapping[str, str]) -> list[str]:
    """Return the names in `theirs`, another machine's digests, that differ on this machine."""
    here = _of_folders(run)
    root = run.config.rootpath
    here |= _of_files(root, [root / name for name in theirs if name not in here])
    return sorted(name for name, known in theirs.items() if here.get(name) != known)


def _of_files(root: Path, files: Iterable[Path]) -> dict[str, str]:
    return {
        Path(os.path.relpath(path, root)).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if path.is_file()
    }


def _of_folders(run: RunConfig) -> dict[str, str]:
    found = {
        f"the project's {what}": digest(content_of(folders(run.config, what)))
        for what in _OF_PROJECT
    }
    own = Path(pytest_mobileagent.__file__).parent
    return {**found, "pytest-mobileagent": digest(content_of([own]))}
