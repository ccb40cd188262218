"""Which parts of the plugin pytest loads before a task needs them."""

from __future__ import annotations

import subprocess
import sys

import pytest

LOADED = """
import sys
import pytest
pytest.main(sys.argv[1:])
print()
for name in sys.modules:
    if name.startswith("pytest_mobileagent."):
        print("loaded", name)
"""
NEEDED = {
    "errors",
    "extras",
    "jsonable",
    "lazy_names",
    "plugin",
    "_task",
    "urls",
}  # the packages needed to define options and tasks; `extras` contains only names


def loaded(folder, *arguments: str) -> set[str]:
    command = [sys.executable, "-c", LOADED, "-p", "no:cacheprovider", *arguments]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    lines = [line.split() for line in result.stdout.splitlines()]
    return {words[1].split(".")[1] for words in lines if words[:1] == ["loaded"]}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]], ids=lambda words: words[0])
def test_help_loads_no_agent_and_no_device(tmp_path, arguments):
    assert loaded(tmp_path, *arguments) <= NEEDED


def test_session_without_tasks_loads_no_agent(tmp_path):
    (tmp_path / "test_plain.py").write_text("def test_plain(): pass\n")
    assert "agent" not in loaded(tmp_path)
