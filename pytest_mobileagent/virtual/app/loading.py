"""Loading of apps from a folder, in which each Python file or package may define some.

The folder is itself a package, so that apps may import what they share from a module or package
beside them whose name starts with `_`. Packages are compiled here: an app that declares its
activities with `later` is not slowed down by that when it is first started, and a line that is not
Python is reported at once.
"""

from __future__ import annotations

import compileall
import importlib
import importlib.util
import inspect
import sys
import traceback
import zlib
from pathlib import Path
from types import ModuleType

from pytest_mobileagent.virtual.app.app import App

PREFIX = "virtual_apps"


class BrokenApp(Exception):
    """The code of an app cannot be used; the message says where and why."""

    @classmethod
    def by(cls, error: Exception, source: Path) -> BrokenApp:
        """Describe an error by the last line in the app's own folder that it passed through."""
        if isinstance(error, SyntaxError) and error.filename:
            return cls(f"{error.filename}:{error.lineno}: SyntaxError: {error.msg}")
        folder = source.resolve().parent
        frames = traceback.extract_tb(error.__traceback__)
        inside = [frame for frame in frames if Path(frame.filename).is_relative_to(folder)]
        place = f"{inside[-1].filename}:{inside[-1].lineno}" if inside else str(source)
        return cls(f"{place}: {type(error).__name__}: {error}")


def load_apps(folder: Path) -> list[type[App]]:
    """Return a folder's apps in the order of package names; BrokenApp if that is impossible."""
    if not folder.is_dir():
        raise BrokenApp(f"there is no folder of apps at {folder}")
    found: dict[str, type[App]] = {}
    package = _package(folder)
    for path in sorted(folder.iterdir()):
        source = path / "__init__.py" if path.is_dir() else path
        if source.suffix != ".py" or not source.is_file():
            continue
        if path.is_dir():
            _compile(path)
        if path.name.startswith("_"):
            continue
        for app in _apps_in(_load(f"{package}.{path.stem}", source)):
            _check(app)
            other = found.setdefault(app.package, app)
            if other is not app:
                also = f"is also defined in module {other.__module__}"
                raise BrokenApp(f"{source}: {app.package} {also}")
    return [found[package] for package in sorted(found)]


def _apps_in(module: ModuleType) -> list[type[App]]:
    """Return the apps that a module defines or, for a package, imports from its own modules."""
    return [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, App)
        and f"{value.__module__}.".startswith(f"{module.__name__}.")
        and hasattr(value, "package")
    ]


def _check(app: type[App]) -> None:
    """Check that an app has the attributes that a manifest requires."""
    wanted = [(app, "label"), *((activity, "name") for activity in app.activities)]
    for kind, attribute in wanted:
        if not hasattr(kind, attribute):
            place = f"{inspect.getsourcefile(kind)}:{inspect.getsourcelines(kind)[1]}"
            raise BrokenApp(f"{place}: class {kind.__name__} has no `{attribute}`")


def _package(folder: Path) -> str:
    """Make a folder of apps a package, whose unique name does not shadow any other module."""
    name = f"{PREFIX}_{zlib.crc32(str(folder.resolve()).encode()):08x}"
    if name not in sys.modules:
        package = ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package
    importlib.invalidate_caches()  # files may have been written a moment ago
    return name


def _compile(folder: Path) -> None:
    """Compile a package's files, unless they have been; BrokenApp if one is not Python."""
    if sys.dont_write_bytecode:
        return
    for file in sorted(folder.rglob("*.py")):
        if not compileall.compile_file(file, quiet=2):
            try:
                compile(file.read_bytes(), str(file), "exec")
            except SyntaxError as error:
                raise BrokenApp.by(error, file) from error


def _load(name: str, source: Path) -> ModuleType:
    """Import a file under a name, unless it has been."""
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
        raise BrokenApp.by(error, source) from error
    return module
