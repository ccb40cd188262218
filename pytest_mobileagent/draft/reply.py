"""Finding the test function in a model's reply, and checking its code before it is run.

Code that no check needs is refused here, so that a person has less to read. The remaining code is
not necessarily harmless, which is why it runs in the sandbox.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from pytest_mobileagent.draft.inside import MODULES, may_import
from pytest_mobileagent.jsonable import printable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_LONGEST = 20_000  # characters
_BLOCK = re.compile(
    r"^[ \t]*```[ \t]*(?:python|py)?[ \t]*\n(.*?)^[ \t]*```",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_NO_USE = {
    "__import__", "breakpoint", "compile", "delattr", "eval", "exec", "exit", "getattr", "globals",
    "help", "input", "locals", "open", "quit", "setattr", "vars",
}  # fmt: skip


class UnreadableDraftError(ValueError):
    """A reply without a usable test function; the message says why, and is sent to the model."""


@dataclass(frozen=True, slots=True)
class DraftFunction:
    """A test function written by a model: the `source` of its module, and the function's `name`."""

    source: str
    name: str


def read_draft(reply: str, parameters: Collection[str] = ()) -> DraftFunction:
    """Return the draft in a reply: a module of imports, constants and one test function.

    `parameters` are those of the task, which the function must take in addition to `episode`.

    Raises:
        UnreadableDraftError: if the reply has no such module, or the module contains other code.
    """
    source = _source(reply)
    tree = _parsed(source)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    if len(functions) != 1 or not functions[0].name.startswith("test_"):
        names = ", ".join(node.name for node in functions) or "none"
        _refuse(f"there must be one function, called test_…, not: {names}")
    (function,) = functions
    _check_signature(function, parameters)
    for statement in tree.body:
        _check_statement(statement)
    for node in ast.walk(tree):
        _check_node(node)
    return DraftFunction(source, function.name)


def _source(reply: str) -> str:
    """Return the code block with a test function, else the last block, else the whole reply."""
    blocks = [match[1] for match in _BLOCK.finditer(reply.replace("\r\n", "\n") + "\n")]
    if not blocks and "```" in reply:
        _refuse("its block of code is not closed")
    tests = [block for block in blocks if re.search(r"^\s*def test_", block, re.MULTILINE)]
    if len(tests) > 1:
        _refuse("there is more than one block of code with a test function")
    source = (tests or blocks or [reply])[-1].strip("\n")
    if len(source) > _LONGEST:
        _refuse(f"it is longer than {_LONGEST} characters")
    if printable(source) != source:  # a person would not see the code that is actually run
        _refuse("invisible characters must be written as escapes, as in '\\u200d'")
    return source + "\n"


def _parsed(source: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about invalid escapes in the model's strings
            return ast.parse(source)
    except SyntaxError as error:
        _refuse(f"it is not valid Python: line {error.lineno}: {error.msg}")
    except (ValueError, RecursionError, MemoryError, OverflowError):
        _refuse("it is not readable Python")


def _check_signature(function: ast.FunctionDef, parameters: Collection[str]) -> None:
    given = function.args
    names = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    wanted = ["episode", *parameters]
    if names[:1] != ["episode"] or set(names) != set(wanted) or given.vararg or given.kwarg:
        _refuse(f"the function must be {function.name}({', '.join(wanted)})")
    if given.posonlyargs or given.defaults or any(given.kw_defaults):
        _refuse("the function's arguments must be plain names")
    if function.decorator_list:
        _refuse("the function must not be decorated")


def _check_statement(node: ast.stmt) -> None:
    """Refuse top-level statements that are not allowed in the module of a draft."""
    match node:
        case ast.Import() | ast.ImportFrom() | ast.FunctionDef():
            return
        case ast.Expr(value=ast.Constant()):  # a docstring
            return
        case ast.Assign(value=value) if _is_constant(value):
            return
        case ast.AnnAssign(value=ast.expr() as value) if _is_constant(value):
            return
    _refuse(f"line {node.lineno}: only imports, constants and the function are allowed")


def _is_constant(value: ast.expr) -> bool:
    """Return whether a value is a literal, or a regular expression compiled from a literal."""
    literals = (
        ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.UnaryOp, ast.BinOp, ast.unaryop,
        ast.operator, ast.expr_context,
    )  # fmt: skip
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr="compile")):
            parts = (*value.args, *(each.value for each in value.keywords))
            return all(_is_constant(part) or isinstance(part, ast.Attribute) for part in parts)
    return all(isinstance(node, literals) for node in ast.walk(value))


def _check_node(node: ast.AST) -> None:
    for module in _imported(node):
        if not may_import(module):
            _refuse(f"it imports {module}; there are only {', '.join(MODULES)}")
    match node:
        case ast.ImportFrom(level=level) if level:
            _refuse("it has a relative import")
        case ast.ImportFrom(names=[ast.alias(name="*")]):
            _refuse("it imports *; import what is used by its name")
        case ast.Name(id=name) if name in _NO_USE or _is_dunder(name):
            _refuse(f"line {node.lineno}: a check must not use {name}")
        case ast.Attribute(attr=name) if _is_dunder(name):
            _refuse(f"line {node.lineno}: a check must not use {name}")
        case ast.AsyncFunctionDef() | ast.ClassDef() | ast.Global() | ast.Await():
            _refuse(f"line {node.lineno}: a check must not contain this")


def _imported(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Import(names=aliases):
            yield from (alias.name for alias in aliases)
        case ast.ImportFrom(module=str(module)):
            yield module


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _refuse(why: str) -> NoReturn:
    raise UnreadableDraftError(why)
