"""Finds an agent by its reference: a name, `file.py[:Class]` or `module:Class`."""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import os
import sys
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.agent.agent import Agent
from pytest_mobileagent.errors import AgentError, did_you_mean, in_one_line
from pytest_mobileagent.jsonable import why_unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType

ENTRY_POINTS = "pytest_mobileagent.agents"
_PACKAGE = Path(__file__).parents[1]


class UnknownAgentError(LookupError):
    """There is no such agent; the message lists those that exist."""


@dataclass(frozen=True, slots=True)
class AgentSource:
    """The source of an agent's class, which `load` imports; nothing is imported before."""

    name: str
    load: Callable[[], type[Agent]]


def find_agent(reference: str, folders: Iterable[Path]) -> AgentSource:
    """Find an agent by name in `folders` and entry points, or as `file.py[:Class]`, `module:Class`.

    The class need not be named if it is the only agent in its file.

    Raises:
        UnknownAgentError: if there is none; it lists those that exist, the most similar first.
    """
    if reference.endswith(".py"):
        return _from_file(reference, Path(reference), None)
    target, colon, class_name = reference.rpartition(":")
    if colon and target.endswith(".py"):
        return _from_file(reference, Path(target), class_name)
    if colon:
        return _from_module(reference, target, class_name)
    folders = list(folders)
    sources = available(folders)
    if reference not in sources:
        # An external program, which a TOML file describes, may have been meant.
        programs = {path.stem for folder in folders for path in folder.glob("[!_]*.toml")}
        known = sorted({*sources, *programs})
        hint = did_you_mean(reference, known)
        if set(reference) & set(" /{"):
            hint = f"; to run a program, use --agent='cmd:{reference}'"
        names = ", ".join(known) or "none: name folders of agents in mobile_agent_paths"
        raise UnknownAgentError(f"there is no agent {reference!r}{hint} (available: {names})")
    return sources[reference]


def load_agent(reference: str, folders: Iterable[Path]) -> type[Agent]:
    """Find an agent (see `find_agent`), and import its class.

    Raises:
        AgentError: if there is no such agent, or it cannot be imported.
    """
    try:
        return find_agent(reference, folders).load()
    except UnknownAgentError as error:
        raise AgentError(str(error)) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise AgentError(f"--agent={reference} cannot be loaded: {in_one_line(error)}") from error


def available(folders: Iterable[Path]) -> dict[str, AgentSource]:
    """Return all agents by name.

    Files in the folders take precedence over entry points, and these over the bundled agents.
    """
    sources = _in_folder(shipped_agents())
    for point in entry_points(group=ENTRY_POINTS):
        sources[point.name] = AgentSource(point.name, point.load)
    for folder in folders:
        sources |= _in_folder(folder)
    return sources


def shipped_agents() -> Path:
    """Return the folder of the bundled agents.

    The wheel has them inside the package, a checkout (and an editable install of it) beside it.
    """
    inside = _PACKAGE / "shipped_agents"
    is_checkout = (_PACKAGE.parent / "pyproject.toml").is_file()
    return _PACKAGE.parent / "agents" if is_checkout and not inside.is_dir() else inside


def _in_folder(folder: Path) -> dict[str, AgentSource]:
    sources = {}
    for path in sorted(folder.glob("*.py")) + sorted(folder.glob("*/__init__.py")):
        name = path.stem if path.parent == folder else path.parent.name
        if not name.startswith("_") and name != "conftest":
            sources[name] = AgentSource(name, lambda path=path: _only_agent(path))  # type: ignore[misc]
    return sources


def _from_file(reference: str, path: Path, class_name: str | None) -> AgentSource:
    if not path.is_file():
        raise UnknownAgentError(f"--agent={reference}: there is no file {path}")
    if class_name is None:
        _parse(reference, path)
        return AgentSource(path.stem, lambda: _only_agent(path, reference))
    _check_defines(reference, path, class_name)
    return AgentSource(class_name, lambda: _agent_in(_load_file(path), class_name))


def _from_module(reference: str, module: str, class_name: str) -> AgentSource:
    try:
        spec = importlib.util.find_spec(module)
    except (Exception, SystemExit) as error:  # importing its parent packages may fail in any way
        what = str(error) if isinstance(error, ImportError | ValueError) else in_one_line(error)
        raise UnknownAgentError(f"--agent={reference}: cannot import {module!r}: {what}") from error
    if spec is None:
        raise UnknownAgentError(f"--agent={reference}: there is no module {module!r}")
    if spec.origin and spec.origin.endswith(".py"):
        _check_defines(reference, Path(spec.origin), class_name)
    return AgentSource(class_name, lambda: _agent_in(importlib.import_module(module), class_name))


def _check_defines(reference: str, path: Path, class_name: str) -> None:
    """Look for the class in the source, to report a wrong name before importing anything."""
    tree = _parse(reference, path)
    names = [name for node in tree.body for name in _defined(node)]
    if class_name not in names and "*" not in names:
        hint = did_you_mean(class_name, names)
        classes = ", ".join(n.name for n in tree.body if isinstance(n, ast.ClassDef)) or "none"
        msg = f"--agent={reference}: {path} defines no {class_name!r}{hint} (classes: {classes})"
        raise UnknownAgentError(msg)


def _parse(reference: str, path: Path) -> ast.Module:
    try:
        # As bytes: Python itself handles byte order marks and encoding declarations.
        return ast.parse(path.read_bytes(), filename=str(path))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        msg = f"--agent={reference}: {path} is not Python: {why_unreadable(error)}"
        raise UnknownAgentError(msg) from error
    except OSError as error:
        msg = f"--agent={reference}: cannot read {path}: {error.strerror}"
        raise UnknownAgentError(msg) from error


def _defined(node: ast.AST) -> list[str]:
    match node:
        case ast.ClassDef(name=name):
            return [name]
        case ast.ImportFrom(names=aliases) | ast.Import(names=aliases):
            return [alias.asname or alias.name for alias in aliases]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case ast.If() | ast.Try() | ast.ExceptHandler():
            return [name for child in ast.iter_child_nodes(node) for name in _defined(child)]
    return []


def _load_file(path: Path) -> ModuleType:
    """Import a file as a module of its folder's package, so that it can import its neighbours."""
    path = path.resolve()
    own = path.parent if path.stem == "__init__" else path.with_suffix("")
    name = f"{_package_of(own.parent)}.{own.name.replace('.', '_')}"
    loaded = sys.modules.get(name)
    if loaded is not None and loaded.__file__ == str(path):
        return loaded
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _package_of(folder: Path) -> str:
    """Return the name of the package whose modules are the files of a folder.

    The name is unique to the folder: `agents` and the like belong to other packages. An
    `__init__.py` of the folder is not run, since it may be there for other tools.
    """
    name = f"mobileagent_agents_{hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]}"
    if name not in sys.modules:
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
        sys.modules[name] = importlib.util.module_from_spec(spec)
    return name


def _agent_in(module: ModuleType, class_name: str) -> type[Agent]:
    agent = getattr(module, class_name, None)
    if not (isinstance(agent, type) and (_decides(agent) or _has(agent, "run"))):
        raise UnknownAgentError(
            f"{class_name} of {module.__file__} is not an agent: it has no method"
            " `step(observation)` or `run(briefing, phone)`"
        )
    return agent


def _decides(cls: type[Any]) -> bool:
    """Return whether a class is certainly an agent: other classes may also have a `run` method."""
    return _has(cls, "step") or (issubclass(cls, Agent) and _has(cls, "run"))


def _has(cls: type[Any], method: str) -> bool:
    own = getattr(cls, method, None)
    return callable(own) and own is not getattr(Agent, method, None)


def _only_agent(path: Path, reference: str = "") -> type[Agent]:
    """Return the one public agent class of a file or package in an agents folder.

    It is the one that the module defines, or else the one that it imports from within the package.
    """
    module = _load_file(path)
    agents = {
        value: name
        for name, value in vars(module).items()
        if isinstance(value, type) and not name.startswith("_") and _decides(value)
    }
    own = [cls for cls in agents if cls.__module__ == module.__name__]
    own = own or [cls for cls in agents if cls.__module__.startswith(f"{module.__name__}.")]
    if len(own) != 1:
        names = ", ".join(agents[cls] for cls in own) or "none"
        msg = f"{path} must define one agent class (public, with `step` or `run`); it defines"
        hint = f": name one, as in --agent={reference or path}:{agents[own[0]]}" if own else ""
        raise UnknownAgentError(f"{msg} {names}{hint}")
    return own[0]
