"""Runs of pytest in the tests' process, which share what they load and reset everything else."""

from __future__ import annotations

import ast
import gc
import importlib
import pkgutil
import sys
from functools import lru_cache
from importlib import metadata
from types import ModuleType
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakSet

import pytest

import pytest_mobileagent

if TYPE_CHECKING:
    from collections.abc import Iterator

_RERUNS = sys.modules.get("pytest_rerunfailures")  # the plugin, if it is installed

if _RERUNS is not None:

    class LateServer(_RERUNS.ServerStatusDB):  # type: ignore[misc, name-defined]
        """The counter of reruns, which listens from when workers are told where.

        The plugin's own listens at once, and for ever: a socket for each run within a test.
        """

        def __init__(self) -> None:
            _RERUNS.StatusDB.__init__(self)  # type: ignore[union-attr]
            self.rerunfailures_db: dict[str, dict[str, int]] = {}

        @property
        def sock_port(self) -> int:
            if not hasattr(self, "sock"):
                super().__init__()
            return int(super().sock_port)

    _RERUNS.ServerStatusDB = LateServer  # type: ignore[attr-defined]

# Third-party plugins that runs do not load, except in tests of their interplay with this plugin.
_OTHERS = (
    "anyio",
    "hypothesispytest",
    "allure_pytest",
    "html",
    "html_fixtures",
    "metadata",
    "pytest_cov",
    "reportlog",
)
FEW_PLUGINS = " ".join(f"-p no:{name}" for name in _OTHERS)  # of PYTEST_ADDOPTS
# Packages that runs in this process do not load, and libraries that they load late. The HTTP
# library of the models' SDKs stores classes of httpcore2, and numpy cannot be loaded twice.
_NOT_OF_RUNS = ("__main__", "init", "mcp", "virtual")
_RAY = "plugin.engine.ray."  # needs a library that may be missing, and takes seconds to load
_PYTEST = "9.2."  # the version of which more is cached
_LIBRARIES = ("genai_prices", "httpcore2", "jinja2", "numpy", "openai", "rapidfuzz", "stamina")


@pytest.fixture(scope="session")
def loaded() -> None:
    """Load the modules that each run in this process would otherwise load and unload again."""
    for room in pkgutil.iter_modules(pytest_mobileagent.__path__):
        if room.name not in _NOT_OF_RUNS:
            module = importlib.import_module(f"{pytest_mobileagent.__name__}.{room.name}")
            for part in pkgutil.walk_packages(
                getattr(module, "__path__", ()), f"{module.__name__}."
            ):
                if _RAY not in part.name:
                    importlib.import_module(part.name)
    for name in _LIBRARIES:
        importlib.import_module(name)
    gc.freeze()  # exclude the loaded modules from garbage collection


class Installed:
    """A distribution whose files are read once; pytest reads all of them twice in each run."""

    def __init__(self, distribution: metadata.Distribution) -> None:
        self.distribution = distribution

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.distribution, name)
        setattr(self, name, value)
        return value


def _bare() -> Any:
    """Return FixtureManager.parsefactories that skips modules and classes known to have none."""
    from _pytest.fixtures import FixtureFunctionDefinition, FixtureManager

    bare: WeakSet[ModuleType | type] = WeakSet()
    parse = FixtureManager.parsefactories

    def parsefactories(manager: Any, *given: Any, **named: Any) -> None:
        holder = named.get("holder", given and given[0])
        kind = holder if isinstance(holder, ModuleType | type) else type(holder)
        if "holder" not in named or kind not in bare:
            parse(manager, *given, **named)
            owners = kind.__mro__ if isinstance(kind, type) else (kind,)
            members = [member for owner in owners for member in vars(owner).values()]
            if not any(type(member) is FixtureFunctionDefinition for member in members):
                bare.add(kind)

    return parsefactories


def _read() -> Any:
    """Return PytestPluginManager.parse_hookimpl_opts that reads each module only once."""
    from _pytest.config import PytestPluginManager

    known: WeakKeyDictionary[ModuleType, dict[str, Any]] = WeakKeyDictionary()
    parse = PytestPluginManager.parse_hookimpl_opts

    def parse_hookimpl_opts(manager: Any, plugin: Any, name: str) -> Any:
        if not name.startswith("pytest_") or not isinstance(plugin, ModuleType):
            return parse(manager, plugin, name)
        options = known.setdefault(plugin, {})
        if name not in options:
            options[name] = parse(manager, plugin, name)
        return options[name] and dict(options[name])  # a copy, since the manager changes it

    return parse_hookimpl_opts


def _parsed() -> Any:
    """Return pytest's function for the lines of a statement, with a cache of parsed sources."""
    from _pytest._code import source

    find = source.getstatementrange_ast

    @lru_cache(maxsize=100)
    def parse(text: str) -> ast.Module:
        tree = ast.parse(text)
        source.get_statement_startend2(0, tree)
        if hasattr(tree, "_pytest_statement_linenos"):  # the only part of it that pytest needs
            tree.body = []
        return tree

    def getstatementrange_ast(
        lineno: int, text: Any, assertion: bool = False, astnode: ast.AST | None = None
    ) -> Any:
        return find(lineno, text, assertion, astnode or parse(str(text)))

    return getstatementrange_ast


@pytest.fixture(scope="session", autouse=True)
def known_plugins() -> Iterator[None]:
    """Make pytest cache the installed distributions and the content of modules.

    Each run, and each command that asks for the settings of a project, looks through fifty plugins
    anew, which takes a third of the time of a run of one task. What is cached is private to pytest,
    so with other versions than the one that this was written for, runs are only slower.
    """
    if not pytest.__version__.startswith(_PYTEST):
        yield
        return
    from _pytest._code import code, source
    from _pytest.config import PytestPluginManager
    from _pytest.fixtures import FixtureManager

    installed = [Installed(distribution) for distribution in metadata.distributions()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(metadata, "distributions", lambda **_: iter(installed))
        patch.setattr(FixtureManager, "parsefactories", _bare())
        patch.setattr(PytestPluginManager, "parse_hookimpl_opts", _read())
        for module in (source, code):
            patch.setattr(module, "getstatementrange_ast", _parsed())
        yield


@pytest.fixture
def pytester(
    loaded: None,
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
) -> pytest.Pytester:
    """pytest's fixture, whose runs load only the plugins that this project needs."""
    monkeypatch.setenv("PYTEST_ADDOPTS", FEW_PLUGINS)
    return pytester
