"""Tests of the project's own files: changelog fragments, the CI workflow and CONTRIBUTING.md."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def draft(folder: Path) -> subprocess.CompletedProcess[str]:
    """Return the changelog that would be built from the fragments in a folder."""
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "Unreleased"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_fragment_of_the_changelog_is_an_entry_under_its_kind(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "changelog.d", tmp_path / "changelog.d")
    (tmp_path / "changelog.d" / "+taps.fixed.md").write_text("Taps hit what they aim at.")
    done = draft(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "- Taps hit what they aim at.\n" in done.stdout.partition("### Fixed\n\n")[2]
    (tmp_path / "changelog.d" / "taps.md").write_text("Taps hit what they aim at.")
    done = draft(tmp_path)
    assert done.returncode == 1
    assert "Invalid news fragment name: taps.md" in done.stderr + done.stdout


def test_the_workflow_tests_each_python_that_the_package_says_it_supports() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    said = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    jobs = (ROOT / ".github" / "workflows" / "tests.yml").read_text().split("\n  linux:\n")[1]
    (matrix, *_) = re.findall(r"python: \[(.*)\]", jobs)
    assert re.findall(r'"(.*?)"', matrix) == said
    assert project["requires-python"] == f">={said[0]}"


def test_the_workflow_tests_the_oldest_pytest_the_newest_and_the_coming_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (needed,) = [each for each in project["dependencies"] if re.match(r"pytest[<>=]", each)]
    least, most = re.fullmatch(r"pytest>=(\d+),(<\d+)", needed).groups()  # type: ignore[union-attr]
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text()
    (matrix,) = re.findall(r"pytest: \[(.*)\]", workflow)
    oldest, newest, coming = re.findall(r'"(.*?)"', matrix)
    assert (oldest, newest) == (f"pytest=={least}.0.0", f"pytest{most}")
    assert coming.endswith("@main")


def test_the_workflow_runs_what_the_makefile_can_make() -> None:
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text()
    (targets,) = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(re.findall(r"run: make ([\w-]+)", workflow)) <= set(targets.split())


def test_the_portable_tests_exist() -> None:
    (rooms,) = re.findall(r"^PORTABLE = (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert [
        room for room in rooms.split() if not list((ROOT / "tests" / room).rglob("test_*"))
    ] == []


def test_every_file_that_contributors_are_sent_to_exists() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text()
    paths = set(re.findall(r"`((?:[\w.]+/)+[\w.]*)`", page)) - {"dist/"}
    # NAME stands for a new file, which the reader chooses.
    paths = {path for path in paths if "NAME" not in path}
    paths |= set(re.findall(r"\]\(([^)#]+)", page))
    assert len(paths) > 15
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_described_folders_are_those_that_exist() -> None:
    text = (ROOT / "docs" / "how-it-works.md").read_text("utf-8")
    tree = text.partition("## The folders")[2].partition("Imports are allowed")[0]
    package, room, described = ROOT / "pytest_mobileagent", "", set[str]()
    for indent, name in re.findall(r"^( {4}| {6})([a-z_]+/|[a-z_]+\.py) ", tree, re.MULTILINE):
        room = "" if len(indent) == 4 else room
        described.add(f"{room}{name}")
        room = room or name
    assert not {name for name in described if not (package / name).exists()}
    found = [path.parent.relative_to(package) for path in package.rglob("__init__.py")]
    inner = {path for path in found if len(path.parts) == 2 and path.parts[0] != "virtual"}
    rooms = {path for path in found if len(path.parts) == 1} | inner
    assert {f"{path.as_posix()}/" for path in rooms} <= described
    modules = {path.name for path in package.glob("*.py")} - {"__init__.py"}
    assert {name for name in modules if name not in tree} == set()
