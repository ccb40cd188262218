"""Creates a new project: the files that `python -m pytest_mobileagent init` writes.

The command `init` copies a small project, file by file, and overwrites nothing.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.arguments import Parser, program_name

if TYPE_CHECKING:
    from collections.abc import Sequence


PROJECT = Path(__file__).with_name("project")
_FILES = {
    "pyproject.toml": "where agents and apps are, and the agent to run (6 lines)",
    "apps/shopping.py": "an app for the virtual phone: a shopping list",
    "agents/hasty.py": "an agent of ten lines",
    "tasks/shopping/test_shopping.py": "two tasks, with solutions",
    ".gitignore": "what git leaves out: runs and caches",
}


def main(arguments: Sequence[str]) -> int:
    """Write a project's files and describe each; return 1 if a file cannot be written."""
    parser = Parser(
        prog=program_name("init"),
        description="Write a project that runs: an app for the virtual phone, an agent and two "
        "tasks. Existing files are not changed.",
    )
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="the folder (default: .)",
    )
    folder = parser.parse_args(arguments).folder
    for name, what in _FILES.items():
        try:
            written = _write(folder / name, _content(name))
        except OSError as error:
            print(f"error: cannot write {folder / name}: {error.strerror}", file=sys.stderr)
            return 1
        if written:
            print(f"wrote {name:33}{what}")
        elif name in {"pyproject.toml", ".gitignore"}:
            print(f"left {name} unchanged; add these lines to it:\n\n{_lines_for(folder / name)}")
        else:
            print(f"left {name} unchanged")
    return 0


def _content(name: str) -> bytes:
    """Return a file's content; a .gitignore is kept under another name, so that git ignores it."""
    return (PROJECT / name.removeprefix(".")).read_bytes()


def _lines_for(path: Path) -> str:
    """Return the lines for a file, in pyproject.toml under the table that it uses for pytest."""
    older = "[tool.pytest.ini_options]"
    has_older = older in path.read_text("utf-8", "replace")
    lines = _content(path.name).decode()
    return lines.replace("[tool.pytest]", older) if has_older else lines


def _write(path: Path, content: bytes) -> bool:
    """Write a new file; return False if it exists already."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError:
        return False
    return True
