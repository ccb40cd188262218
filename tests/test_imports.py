"""Tests of the direction of imports between packages, and of what must not be imported early."""

from __future__ import annotations

import ast
import gc
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import pytest_mobileagent

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(pytest_mobileagent.__file__).parent
HEAVY = {
    "babel", "lxml", "PIL", "adbutils", "cv2", "appium", "mcp", "mcp_types", "uvicorn",
    "starlette", "regex", "anthropic", "openai", "genai_prices", "stamina", "rapidocr",
    "rapidfuzz", "easyocr", "onnxruntime", "ray", "grpc", "h11", "trustme", "cryptography", "rich",
}  # fmt: skip

# Each package may import itself and those before it. Nothing imports `__main__`.
ORDER = [
    "errors", "jsonable", "lazy_names", "arguments", "patterns", "fileio", "recorded_data", "urls",
    "extras", "processes", "isolation", "loopback", "statistics", "screen", "action", "perception",
    "dialect", "_task", "releases", "episode", "noise", "answers", "check", "verdict", "dataset",
    "device", "probes", "environment", "llm", "judge", "draft", "agent", "run", "program", "mcp",
    "instruct", "report", "review", "record", "testing", "plugin", "rollout", "init", "__main__",
]  # fmt: skip
# Exceptions to the order: the only packages that these packages may import.
ALONE = {
    "virtual": {"virtual", "patterns"},
    "screen": {"screen", "errors", "jsonable", "fileio", "recorded_data", "extras"},
}
# The order of the packages and modules inside the virtual phone.
VIRTUAL = [
    "kernel", "content", "apk", "ui", "snapshots", "faults", "app", "providers", "system",
    "systemui", "phone", "sdk", "image", "automation", "shell", "boot", "wire", "grpc",
    "listing", "main",
]  # fmt: skip
MAKES, SCORES = (
    {"device", "environment", "agent", "run", "program", "mcp"},
    {"answers", "check", "verdict", "judge", "draft"},
)
APART = {
    "run": SCORES,
    "agent": SCORES,
    "program": SCORES,
    "mcp": SCORES | {"agent", "llm"},
    "judge": MAKES,
    "draft": MAKES,
    "review": MAKES | {"llm"},
    "report": MAKES | {"check", "judge", "draft"},
}

Imports = dict[str, set[str]]


def imports() -> Imports:
    """Return each module of this package with the modules it imports, even if only for types."""
    paths = {name_of(path): path for path in files()}
    found: Imports = {}
    for name, path in paths.items():
        names = names_in(path)
        known = {each if each in paths else each.rpartition(".")[0] for each in names}
        found[name] = (known & paths.keys()) - {name}
    return found


def files() -> list[Path]:
    """Return the package's modules, except those of the project that `init` writes."""
    return [path for path in PACKAGE.rglob("*.py") if "init/project" not in path.as_posix()]


@cache
def names_in(path: Path) -> set[str]:
    """Return the names of everything that a file imports."""
    # Python 3.11 occasionally fails to build a tree if garbage is collected at the same time.
    gc.disable()
    try:
        tree = ast.parse(path.read_text("utf-8"))
    finally:
        gc.enable()
    return {each for node in statements(tree) for each in imported(node)}


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all statements below a node; `ast.walk` would also visit each part of expressions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield child
            yield from statements(child)


def imported(node: ast.AST) -> list[str]:
    match node:
        case ast.Import(names=aliases):
            return [alias.name for alias in aliases]
        case ast.ImportFrom(module=str(module), names=aliases):
            return [f"{module}.{alias.name}" for alias in aliases]
    return []


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    return f"{module}.".split(".")[1]


@pytest.fixture(scope="module")
def arrows() -> Imports:
    return imports()


def test_imports_go_in_one_direction(arrows: Imports) -> None:
    rooms = {room_of(module) for module in arrows} - {""}
    assert rooms == {*ORDER, "virtual"}
    wrong = []
    for module, targets in arrows.items():
        room = room_of(module)
        # The package's root exports every public name, none of which comes from pytest.
        if not room:
            wrong += [f"the face -> {t}" for t in targets if room_of(t) in {"plugin", "__main__"}]
            continue
        # The command line may import everything, including the virtual device.
        if room == "__main__":
            continue
        allowed = ALONE.get(room) or set(ORDER[: ORDER.index(room) + 1]) - APART.get(room, set())
        allowed |= {""} if room == "plugin" else set()  # The plugin records the package's version.
        wrong += [f"{module} -> {target}" for target in targets if room_of(target) not in allowed]
    assert wrong == []


def test_imports_inside_the_virtual_phone_go_in_one_direction(arrows: Imports) -> None:
    rooms = {name: name.split(".")[2] for name in arrows if name.count(".") > 1}
    inside = {name: VIRTUAL.index(rooms[name]) for name in arrows if ".virtual." in name}
    wrong = [
        f"{module} -> {target}"
        for module, place in inside.items()
        for target in arrows[module]
        if inside.get(target, -1) > place
    ]
    assert wrong == []


def test_no_modules_import_each_other(arrows: Imports) -> None:
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, f"a circle: {' -> '.join([*path[path.index(module) :], module])}"
        if module not in done and room_of(module) != "":
            for target in sorted(arrows[module]):
                visit(target, (*path, module))
            done.add(module)

    for module in sorted(arrows):
        visit(module, ())


def test_the_plugin_and_the_collection_of_rollouts_alone_import_pytest() -> None:
    users = set()
    for path in files():
        names = {each.partition(".")[0] for each in names_in(path)}
        if names & {"pytest", "_pytest", "xdist"}:
            users.add(room_of(name_of(path)))
    assert users == {"plugin", "rollout"}


def test_the_command_line_alone_knows_that_there_is_a_virtual_device(arrows: Imports) -> None:
    users = {
        room_of(module)
        for module, targets in arrows.items()
        for t in targets
        if room_of(t) == "virtual"
    }
    assert users <= {"virtual", "__main__"}


def test_the_scheduler_knows_neither_pytest_nor_what_runs_tests() -> None:
    names = names_in(PACKAGE / "plugin" / "engine" / "scheduler.py")
    roots = {name.partition(".")[0] for name in names}
    assert roots.isdisjoint({"pytest", "_pytest", "xdist", "ray", "pytest_mobileagent"})


def test_collection_loads_nothing_heavy(pytester: pytest.Pytester) -> None:
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
    result = pytester.runpytest_subprocess("--collect-only", "-q")
    loaded = next(line for line in result.outlines if "LOADED" in line)
    assert not [name for name in HEAVY if f"'{name}'" in loaded]


def test_help_imports_little_more_than_the_options(tmp_path: Path) -> None:
    code = """if True:
        import sys, pytest
        pytest.main(["--help", "-p", "no:cacheprovider"])
        print(sorted(sys.modules))
    """
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "--mobile-device" in found.stdout
    plugin = ("plugin", "plugin.hooks", "plugin.hookspecs", "plugin.options")
    allowed = {
        f"pytest_mobileagent.{name}" for name in ("errors", "jsonable", "lazy_names", *plugin)
    }
    loaded = ast.literal_eval(found.stdout.splitlines()[-1])
    assert {name for name in loaded if name.startswith("pytest_mobileagent.")} <= allowed
    assert not HEAVY & {name.partition(".")[0] for name in loaded}


def test_the_comparison_of_answers_is_imported_on_demand() -> None:
    code = """
import sys
from pytest_mobileagent.check.episode import Episode
print([name for name in sys.modules if "mobileagent.answers" in name])"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ast.literal_eval(found.stdout) == []
