"""The suite's agents use only public names, and the package does not know them."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest_mobileagent
from pytest_mobileagent.agent.registry import available, find_agent
from tests.suite.test_agents import SOLVED

if TYPE_CHECKING:
    from collections.abc import Sequence

PACKAGE = Path(pytest_mobileagent.__file__).parent
ROOT = Path(__file__).parents[2]
AGENTS = ROOT / "agents"
FILES = sorted(AGENTS.rglob("*.py"))
FACES = {
    "pytest_mobileagent",
    *(
        f"pytest_mobileagent.{face}"
        for face in ("agent", "dialect", "errors", "perception", "record")
    ),
}
# Agent names with another meaning: this plugin, a data set, matching rules, an ordinary word.
SHARED = {"mobileagent", "odyssey", "agentcpm", "autodroid", "random"}
WITHOUT_MODEL = {"explorer", "human", "lexical", "noop", "oracle", "random", "truncated_oracle"}


def test_agents_import_public_names_only() -> None:
    trees = {path: ast.parse(path.read_text("utf-8")) for path in FILES}
    for path, node in [(path, node) for path, tree in trees.items() for node in ast.walk(tree)]:
        if isinstance(node, ast.Import):
            private = [each.name for each in node.names if each.name.startswith("pytest_mob")]
            assert private == [], path
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pytest_mob"):
            assert node.module in FACES, path
            face = importlib.import_module(node.module)
            names = {each.name for each in node.names}
            assert names <= set(getattr(face, "__all__", vars(face))), path


def test_nothing_in_the_package_names_an_agent() -> None:
    names = {path.stem for path in AGENTS.iterdir() if path.stem[0] not in "_."} - SHARED
    assert "appagent" in names
    texts = {
        path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8")
        for path in PACKAGE.rglob("*.py")
        if path.parent.name != "dialect"  # its files are named after their format
    }
    named = [
        (path, node.lineno, node.value)
        for path, text in texts.items()
        if any(name in text for name in names)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and node.value in names
    ]
    assert named == []


def test_an_agent_with_a_model_has_a_test_a_script_and_a_row_in_the_docs() -> None:
    agents = available([]).keys() - WITHOUT_MODEL
    scripts = (ROOT / "fixtures" / "replies").glob("*.jsonl")
    page = (ROOT / "docs" / "agents.md").read_text("utf-8")
    assert agents <= {path.stem.removeprefix("test_") for path in Path(__file__).parent.iterdir()}
    assert agents == {path.stem for path in scripts}
    assert agents == SOLVED.keys()  # SOLVED is in tests/suite/test_agents.py
    assert agents <= set(re.findall(r"(?m)^\| `(\w+)` \|", page))


def test_the_docs_list_agents_by_year_and_say_what_they_see() -> None:
    page = (ROOT / "docs" / "agents.md").read_text("utf-8")
    rows = re.findall(r"(?m)^\| `(\w+)` \| (\d{4}) \| (\w+) \|", page)
    years = [year for _, year, _ in rows]
    assert years == sorted(years, reverse=True)
    assert [name for name, *_ in rows if name in WITHOUT_MODEL] == []
    kinds: dict[Sequence[str], str] = {("hierarchy",): "hierarchy", ("screenshot",): "screenshot"}
    seen = {name: kinds.get(find_agent(name, ()).load().sees, "both") for name, *_ in rows}
    assert {name: sees for name, _, sees in rows} == seen
    assert seen.keys() == SOLVED.keys()
    oldest = re.findall(r"(?m)^\| `(\w+)` \|", page.split("The oldest eight:")[1])
    assert oldest[:8] == [name for name, *_ in rows[-8:]]


def reads_pictures(package: str) -> bool:
    """Return whether an agent imports the packages of the extra [vision]."""
    files = [AGENTS / f"{package}.py", *(AGENTS / package).glob("*.py")]
    nodes = [
        node
        for file in files
        if file.is_file()
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
    ]
    named = {each.name for node in nodes if isinstance(node, ast.ImportFrom) for each in node.names}
    return bool(named & {"find_icons", "read_text"})


def test_agents_that_read_pictures_say_what_they_need() -> None:
    packages = {path.stem for path in AGENTS.iterdir() if path.stem[0] not in "_."}
    reading = {name for name in packages if reads_pictures(name)}
    assert reading >= {"mobileagent", "mobileagent_v2"}
    assert {name for name in reading if find_agent(name, ()).load().extras != ("vision",)} == set()
