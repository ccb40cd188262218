"""Which way imports run, and what is not imported before it is needed."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import pytest_mobileagent

PACKAGE = Path(pytest_mobileagent.__file__).parent
HEAVY = {"babel", "lxml", "PIL", "adbutils", "cv2", "appium", "anthropic", "openai", "easyocr"}

# Each room may import those before it, and itself; imports for type checkers count, too.
ORDER = ["errors", "plain", "extras", "screen", "action", "task", "episode", "check", "verdict"]
ORDER += ["device", "environment", "agent", "run", "report", "testing", "plugin"]
ALONE = {"virtual": {"virtual"}, "report": {*ORDER[: ORDER.index("device")], "report"}}
# One side makes episodes, the other says what they were worth.
APART = {"run": {"check", "verdict"}}
TEMPLATES = PACKAGE / "init" / "project"  # a project of its own


def imports_of(path: Path) -> set[str]:
    """The rooms of this package that a file imports."""
    tree = ast.parse(path.read_text("utf-8"))
    names = [n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    names += [a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names]
    names += [
        f"pytest_mobileagent.{alias.name}"
        for n in ast.walk(tree)
        if isinstance(n, ast.ImportFrom) and n.module == "pytest_mobileagent"
        for alias in n.names
    ]
    ours = [name.split(".") for name in names if name.startswith("pytest_mobileagent.")]
    return {parts[1] for parts in ours} - {"__version__"}


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("room", [*ORDER, "virtual"])
def test_arrows_run_down_only(room):
    allowed = ALONE.get(room) or set(ORDER[: ORDER.index(room) + 1]) - APART.get(room, set())
    files = [path for path in PACKAGE.rglob("*.py") if room_of(path) == room]
    assert files
    wrong = {f"{path.name}: {name}" for path in files for name in imports_of(path) - allowed}
    assert wrong == set()


def test_only_the_command_line_knows_that_there_is_a_virtual_device():
    files = [path for path in PACKAGE.rglob("*.py") if not path.is_relative_to(TEMPLATES)]
    users = {room_of(path) for path in files if "virtual" in imports_of(path)}
    assert users <= {"virtual", "__main__"}


@pytest.mark.parametrize("arguments", [["--help"], ["--collect-only", "-q"]])
def test_help_and_collection_load_nothing_heavy(pytester, arguments):
    pytester.makepyfile(
        """
        from pytest_mobileagent import open_app, setting, sqlite, tap, task

        @task("Go.", app="com.example", probes={"x": setting("global", "x")}, solution=[open_app()])
        def test_go(episode): pass
        """
    )
    pytester.makeconftest(
        """
        import sys
        def pytest_unconfigure(config):
            print("LOADED", sorted({name.split(".")[0] for name in set(sys.modules)}))
        """
    )
    result = pytester.runpytest_subprocess(*arguments)
    loaded = next(line for line in result.outlines if "LOADED" in line)
    assert not [name for name in HEAVY if f"'{name}'" in loaded]


def test_every_public_name_can_be_imported():
    for name in pytest_mobileagent.__all__:
        assert getattr(pytest_mobileagent, name) is not None
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = pytest_mobileagent.nothing_like_it


def test_the_package_is_imported_fast_by_importing_little():
    code = "import sys, pytest_mobileagent; print([m for m in sys.modules if 'mobileagent' in m])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ast.literal_eval(found.stdout) == ["pytest_mobileagent"]
