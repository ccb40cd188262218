"""Finds the apps in a folder: every Python file or package in it may define some."""

from __future__ import annotations

import importlib.util
import sys
import zlib
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.app import App

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

PREFIX = "virtual_apps"


class BrokenApp(Exception):  # noqa: N818 - says what is wrong, not that something is
    """A file in an apps folder cannot be used."""


def load_apps(folder: Path) -> list[type[App]]:
    """Give the apps of a folder, by package name."""
    if not folder.is_dir():
        raise BrokenApp(f"there is no folder of apps at {folder}")
    found: dict[str, type[App]] = {}
    for path in sorted(folder.iterdir()):
        source = path / "__init__.py" if path.is_dir() else path
        if source.suffix != ".py" or not source.is_file() or path.name.startswith("_"):
            continue
        for app in _apps_in(_load(path.stem, source)):
            other = found.setdefault(app.package, app)
            if other is not app:
                msg = f"{source}: {app.package} is also defined in module {other.__module__}"
                raise BrokenApp(msg)
    return [found[package] for package in sorted(found)]


def _apps_in(module: ModuleType) -> list[type[App]]:
    """Give the apps that a module defines or, being a package, imports from its own modules."""
    return [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, App)
        and value.__module__.startswith(module.__name__)
        and hasattr(value, "package")
    ]


def _load(stem: str, source: Path) -> ModuleType:
    """Import a file under a name of its own, so that no other module is shadowed by it."""
    name = f"{PREFIX}_{zlib.crc32(str(source.resolve()).encode()):08x}_{stem}"
    if name in sys.modules:
        return sys.modules[name]
    inner = [str(source.parent)] if source.name == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(name, source, submodule_search_locations=inner)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise BrokenApp(f"{source} cannot be loaded: {type(error).__name__}: {error}") from error
    return module
