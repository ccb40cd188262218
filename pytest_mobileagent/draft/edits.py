"""People's edits of drafted checks: A3's Table 2 (arXiv 2501.01149) for your own drafts.

A3 counts the functions that experts find correct, and the share of lines that they find wrong. Here
a person edits the drafted file, and `FILE.draft` beside it contains the model's original text. A
function is right as drafted if it is unchanged, and a line is wrong if a person removed or rewrote
it. Comments, docstrings, imports, decorators and layout do not count.
"""

from __future__ import annotations

import ast
import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.jsonable import why_unreadable
from pytest_mobileagent.statistics import proportion

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

ENDING = ".draft"  # suffix of the file with the model's original text, beside the edited one


@dataclass(frozen=True, slots=True)
class Edits:
    """A person's edits of one draft, in lines of code.

    - `path`: the edited file.
    - `lines`: how many lines the model wrote; `wrong`: how many of them were removed or rewritten.
    - `added`: the number of lines in the edited file that the model did not write.
    """

    path: Path
    lines: int
    wrong: int
    added: int

    @property
    def is_right(self) -> bool:
        """Whether nothing was changed."""
        return not (self.wrong or self.added)


def edits_of(path: Path) -> Edits:
    """Compare an edited file with the draft beside it.

    The edited function is the one with the same name, or the file's only test function. If the
    function or the file was deleted, all lines count as removed.

    Raises:
        RecordError: if a file cannot be read, or the draft does not have one test function.
    """
    draft = _parsed(draft_of(path))
    tests = _tests(draft)
    if len(tests) != 1:
        msg = f"{draft_of(path)} has {len(tests)} test functions, not one: it is not a draft"
        raise RecordError(msg)
    edited = _parsed(path) if path.exists() else ast.Module([], [])
    functions = _tests(edited)
    same = [function for function in functions if function.name == tests[0].name]
    found = same or (functions if len(functions) == 1 else [])
    try:
        before = _code(draft, tests[0], "test")
        after = _code(edited, found[0], "test") if found else []
    except RecursionError as error:
        raise RecordError(f"{path} is nested too deeply to be compared") from error
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    equal = sum(block.size for block in matcher.get_matching_blocks())
    return Edits(path, len(before), len(before) - equal, len(after) - equal)


def draft_of(path: Path) -> Path:
    """Return the path of the draft of an edited file."""
    return path.with_name(path.name + ENDING)


def drafted_files(paths: Sequence[Path]) -> Iterator[Path]:
    """Yield the edited files: the paths themselves, or the files with a draft in a folder."""
    for path in paths:
        if path.is_dir():
            drafts = sorted(path.rglob(f"*.py{ENDING}"))
            yield from (draft.with_name(draft.name.removesuffix(ENDING)) for draft in drafts)
        else:
            yield path.with_name(path.name.removesuffix(ENDING))


def compared(edits: Sequence[Edits]) -> Iterator[str]:
    """Yield the lines of a table of edits, with its totals."""
    width = max(len(str(each.path)) for each in edits)
    yield f"{'draft':<{width}}  lines  wrong  added"
    for each in edits:
        mark = "  right as drafted" if each.is_right else ""
        yield f"{each.path!s:<{width}}  {each.lines:5}  {each.wrong:5}  {each.added:5}{mark}"
    right, lines = sum(each.is_right for each in edits), sum(each.lines for each in edits)
    wrong = sum(each.wrong for each in edits)
    yield ""
    yield f"functions right as drafted  {share(right, len(edits))}"
    yield f"lines wrong                 {share(wrong, lines)}"
    yield f"lines added                 {sum(each.added for each in edits)}"


def share(part: int, whole: int) -> str:
    """Return a share with its 95 % confidence interval, as text."""
    interval = f" {proportion(part, whole).in_words('{:.0%}')}" if whole else ""
    return f"{part}/{whole}{interval}"


def _parsed(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_text("utf-8"))
    except OSError as error:
        raise RecordError(f"cannot read {path}: {error.strerror}") from error
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise RecordError(f"{path} is not valid Python: {why_unreadable(error)}") from error


def _tests(module: ast.Module) -> list[ast.FunctionDef]:
    return [
        node
        for node in module.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]


def _code(module: ast.Module, function: ast.FunctionDef, name: str) -> list[str]:
    """Return the lines of a renamed function, without docstring and decorators, and its constants.

    `ast.unparse` removes comments and layout.
    """
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    constants = [node for node in module.body if used & set(_assigned(node))]
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    function.name, function.decorator_list, function.body = name, [], body or [ast.Pass()]
    return [line for node in (*constants, function) for line in ast.unparse(node).splitlines()]


def _assigned(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        inner = (each for target in targets for each in ast.walk(target))
        yield from (each.id for each in inner if isinstance(each, ast.Name))
