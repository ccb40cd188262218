"""Comparison of the code on two machines by digests."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pytest_mobileagent.plugin.engine.ray import machine


@pytest.fixture
def described(tmp_path, monkeypatch) -> tuple[Any, dict[str, str]]:
    """A run, and the digests of one of its tests as a machine with the same code reports them."""
    monkeypatch.setattr(machine, "folders", lambda _, what: [tmp_path / what])
    test = tmp_path / "tasks" / "test_it.py"
    for path in (test, tmp_path / "agents" / "mine.py"):
        path.parent.mkdir()
        path.write_text("1")
    config: Any = SimpleNamespace(rootpath=tmp_path)
    config.pluginmanager = SimpleNamespace(get_plugins=set)
    run: Any = SimpleNamespace(config=config)
    session: Any = SimpleNamespace(config=config, items=[SimpleNamespace(path=test)])
    return run, machine.about_code(session, run)


def test_same_code_has_no_differences(described):
    run, theirs = described
    assert {"tasks/test_it.py", "the project's agents", "pytest-mobileagent"} <= theirs.keys()
    assert machine.differences(run, theirs) == []


@pytest.mark.parametrize(
    ("changed", "named"),
    [("tasks/test_it.py", "tasks/test_it.py"), ("agents/mine.py", "the project's agents")],
)
def test_different_code_is_named(described, tmp_path, changed, named):
    run, theirs = described
    (tmp_path / changed).write_text("2")
    assert machine.differences(run, theirs) == [named]


def test_test_file_missing_here_counts_as_different(described, tmp_path):
    run, theirs = described
    (tmp_path / "tasks" / "test_it.py").unlink()
    assert machine.differences(run, theirs) == ["tasks/test_it.py"]
