"""What a test function's code says: its own, and that of the project which it uses."""

from __future__ import annotations

import ast
import functools
import inspect
import re
import textwrap
from pathlib import Path
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_CONSTANTS = (bool, int, float, str, bytes, tuple, list, dict, set, frozenset)
_FOREIGN = {"site-packages", "dist-packages"}


class Sources:
    """The code of functions, and of all below a project's folder that they name.

    Comments, and decorators, do not count: those of a task are its fields. What is reached by other
    ways than its name in the code (`getattr`, entry points) is not found.
    """

    def __init__(self, project: Path) -> None:
        self._project = project.resolve()
        self._known: dict[tuple[Any, ...], list[list[str]]] = {}  # many tests are one function

    def of(self, *functions: Any) -> list[list[str]]:
        """Return names and codes of functions and classes, and of what they use; each once."""
        if functions not in self._known:
            found: dict[str, str] = {}
            for function in functions:
                self._add(function, found, is_asked=True)
            self._known[functions] = [list(each) for each in sorted(found.items())]
        return self._known[functions]

    def holds(self, thing: Any) -> bool:
        """Whether a function, class or module is the project's own."""
        try:
            path = Path(inspect.getfile(thing)).resolve()
        except (OSError, TypeError):
            return False
        return path.is_relative_to(self._project) and not _FOREIGN & set(path.parts)

    def _add(self, thing: Any, found: dict[str, str], *, is_asked: bool = False) -> None:
        thing = _bare(thing)
        if isinstance(thing, ModuleType):
            self._add_module(thing, found)
            return
        if not (inspect.isfunction(thing) or inspect.isclass(thing)):
            return
        name = f"{thing.__module__}.{thing.__qualname__}"
        if name in found or not (is_asked or self.holds(thing)):
            return
        found[name] = _code_of(thing)
        for function in _functions_of(thing):
            for word, value in _used_by(function):
                if isinstance(value, _CONSTANTS) or self.holds(type(value)):
                    found[f"{function.__module__}.{word}"] = shown(value)
                    self._add(type(value), found)
                else:
                    self._add(value, found)

    def _add_module(self, module: ModuleType, found: dict[str, str]) -> None:
        """Add all of a module that is used by its name: which parts of it is not looked at."""
        name = f"module {module.__name__}"
        if name not in found and self.holds(module):
            path = Path(str(module.__file__))
            found[name] = path.read_text("utf-8", "replace")


def shown(value: Any) -> str:
    """Return a value as text, the same in each process."""
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(shown, value)))}}}"
    return _ADDRESS.sub("", repr(value))


def _bare(thing: Any) -> Any:
    """Return the function that is wrapped, called in part, or bound."""
    while True:
        if isinstance(thing, functools.partial):
            thing = thing.func
        elif (inner := inspect.getattr_static(thing, "__wrapped__", None)) is not None:
            thing = inner
        else:
            return getattr(thing, "__func__", thing)


def _code_of(thing: Any) -> str:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(thing)))
    except (OSError, TypeError, SyntaxError):  # typed in, or made by a program
        codes = [function.__code__ for function in _functions_of(thing)]
        return " ".join(code.co_code.hex() + shown(code.co_consts) for code in codes)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.decorator_list = []
    return ast.unparse(tree)


def _functions_of(thing: Any) -> list[Any]:
    if not inspect.isclass(thing):
        return [thing]
    members = (getattr(each, "__func__", each) for each in vars(thing).values())
    return [each for each in members if inspect.isfunction(each)]


def _used_by(function: Any) -> Iterator[tuple[str, Any]]:
    """Return the names of globals that a function's code uses, with their values."""
    known = function.__globals__
    cells = inspect.getclosurevars(function).nonlocals if function.__closure__ else {}
    yield from sorted(cells.items())
    for name in sorted(_names(function.__code__)):
        if name in known:
            yield name, known[name]


def _names(code: CodeType) -> set[str]:
    inner = (const for const in code.co_consts if isinstance(const, CodeType))
    return set(code.co_names).union(*map(_names, inner))
