"""Finds the code that digests depend on: of functions and all they use, and of imported files.

A run reads the code of all its tasks before the first one begins, so each file is parsed once.
"""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import re
import sys
import textwrap
from pathlib import Path
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_CONSTANTS = (bool, int, float, str, bytes, tuple, list, dict, set, frozenset)
_PLUGIN = Path(__file__).parents[2]  # inside the project if that is a checkout of the plugin
_FOREIGN = {"site-packages", "dist-packages"}
Definition = ast.FunctionDef | ast.AsyncFunctionDef


class Sources:
    """The code of functions, and of everything below a project's folder that they refer to.

    Comments are ignored, and so are decorators, as a task's decorators set its fields. Code that is
    not reached by a name in the source (but through `getattr` or entry points) is not found.
    """

    def __init__(self, project: Path) -> None:
        self._project = project.resolve()
        self._known: dict[tuple[Any, ...], list[list[str]]] = {}  # many tests share one function
        self._codes: dict[Any, str] = {}
        self._files: dict[str, bool] = {}  # whether each file belongs to the project
        self._definitions: dict[str, dict[tuple[str, int], Definition]] = {}  # by file

    def of(self, *functions: Any) -> list[list[str]]:
        """Return the names and code of functions and classes and of what they use, each once."""
        if functions not in self._known:
            found: dict[str, str] = {}
            for function in functions:
                self._add(function, found, is_asked=True)
            self._known[functions] = [list(each) for each in sorted(found.items())]
        return self._known[functions]

    def holds(self, thing: Any) -> bool:
        """Return whether a function, class or module belongs to the project."""
        try:
            file = inspect.getfile(thing)
        except (OSError, TypeError):
            return False
        if file not in self._files:
            path = Path(file).resolve()
            is_below = path.is_relative_to(self._project)
            self._files[file] = is_below and not _FOREIGN & set(path.parts)
        return self._files[file]

    def _add(self, thing: Any, found: dict[str, str], *, is_asked: bool = False) -> None:
        thing = _bare(thing)
        if isinstance(thing, ModuleType):
            name = f"module {thing.__name__}"
            if name not in found and self.holds(thing):  # all of it, whatever is used of it
                found[name] = Path(str(thing.__file__)).read_text("utf-8", "replace")
            return
        if not (inspect.isfunction(thing) or inspect.isclass(thing)):
            return
        name = f"{thing.__module__}.{thing.__qualname__}"
        if name in found or not (is_asked or self.holds(thing)):
            return
        if thing not in self._codes:
            self._codes[thing] = self._code_of(thing)
        found[name] = self._codes[thing]
        for function in _functions_of(thing):
            for word, value in _used_by(function):
                if isinstance(value, _CONSTANTS) or self.holds(type(value)):
                    found[f"{function.__module__}.{word}"] = text_of(value)
                    self._add(type(value), found)
                else:
                    self._add(value, found)

    def _code_of(self, thing: Any) -> str:
        try:
            tree = self._definition(thing) or ast.parse(textwrap.dedent(inspect.getsource(thing)))
        except (OSError, TypeError, SyntaxError):  # it has no source
            codes = [function.__code__ for function in _functions_of(thing)]
            return " ".join(code.co_code.hex() + text_of(code.co_consts) for code in codes)
        for node in tree.body:
            if isinstance(node, Definition):
                node.decorator_list = []
        return ast.unparse(tree)

    def _definition(self, thing: Any) -> ast.Module | None:
        """Return the syntax tree of a module-level function; None for everything else.

        `inspect.getsource` would tokenise the file again for each function.
        """
        if not inspect.isfunction(thing) or "." in thing.__qualname__:
            return None
        code = thing.__code__
        if code.co_filename not in self._definitions:
            self._definitions[code.co_filename] = _definitions(code.co_filename)
        node = self._definitions[code.co_filename].get((thing.__name__, code.co_firstlineno))
        return None if node is None else ast.Module([node], [])


def _definitions(file: str) -> dict[tuple[str, int], Definition]:
    linecache.checkcache(file)
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return {}
    return {
        (node.name, min([node.lineno, *(each.lineno for each in node.decorator_list)])): node
        for node in tree.body
        if isinstance(node, Definition)
    }


def text_of(value: Any) -> str:
    """Return a string that represents a value, and is the same in each process."""
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(text_of, value)))}}}"
    return _ADDRESS.sub("", repr(value))


def _bare(thing: Any) -> Any:
    """Return the function inside wrappers, partial functions and bound methods."""
    while True:
        if isinstance(thing, functools.partial):
            thing = thing.func
        elif (inner := inspect.getattr_static(thing, "__wrapped__", None)) is not None:
            thing = inner
        else:
            return getattr(thing, "__func__", thing)


def _functions_of(thing: Any) -> list[Any]:
    if not inspect.isclass(thing):
        return [thing]
    members = (getattr(each, "__func__", each) for each in vars(thing).values())
    return [each for each in members if inspect.isfunction(each)]


def _used_by(function: Any) -> Iterator[tuple[str, Any]]:
    known = function.__globals__
    cells = inspect.getclosurevars(function).nonlocals if function.__closure__ else {}
    yield from sorted(cells.items())
    for name in _names(function.__code__):
        if name in known:
            yield name, known[name]


@functools.lru_cache(maxsize=10_000)
def _names(code: CodeType) -> tuple[str, ...]:
    inner = (const for const in code.co_consts if isinstance(const, CodeType))
    return tuple(sorted(set(code.co_names).union(*map(_names, inner))))


def imported_by(files: Iterable[Path], project: Path) -> list[Path]:
    """Return the files of a project that Python files import, directly or not, without themselves.

    Imports are read from the source, and searched on `sys.path` and in the folders of `files`,
    which Python searches for programs. Modules that are imported by a computed name are not found,
    nor those outside of the project and of these folders.
    """
    asked = [file.resolve() for file in files]
    folders = [*map(Path, sys.path), *(file.parent for file in asked)]
    roots = [project.resolve(), *(file.parent for file in asked)]
    found = dict.fromkeys(asked)
    waiting = list(asked)
    while waiting:
        for path in _imports(waiting.pop(), folders):
            is_own = any(path.is_relative_to(root) for root in roots)
            is_foreign = path.is_relative_to(_PLUGIN) or _FOREIGN & set(path.parts)
            if path not in found and is_own and not is_foreign:
                found[path] = None
                waiting.append(path)
    return sorted(set(found).difference(asked))


def _imports(file: Path, folders: Iterable[Path]) -> Iterator[Path]:
    """Yield the files of the modules that a file may import, and of the packages around them."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from module_files(alias.name, folders)
        elif isinstance(node, ast.ImportFrom):
            above = file.parents[min(node.level, len(file.parents)) - 1]
            for alias in node.names:
                name = ".".join(filter(None, (node.module, alias.name)))
                yield from module_files(name, [above] if node.level else folders)


def module_files(name: str, folders: Iterable[Path] | None = None) -> Iterator[Path]:
    """Yield the files of a module and of the packages around it, without importing them.

    They are searched in `folders`, by default those of `sys.path`.
    """
    parts = name.split(".")
    for folder in map(Path, sys.path) if folders is None else folders:
        for end in range(1, len(parts) + 1):
            module = folder.joinpath(*parts[:end])
            for path in (module.with_name(f"{module.name}.py"), module / "__init__.py"):
                if path.is_file():
                    yield path.resolve()
