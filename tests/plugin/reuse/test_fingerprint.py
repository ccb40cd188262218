"""Fingerprints of the parts of a run that must be equal for its results to be comparable."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_mobileagent import Case, Task
from pytest_mobileagent.plugin import metadata
from pytest_mobileagent.plugin.metadata import agent_of
from pytest_mobileagent.plugin.reuse.digests import (
    PARTS,
    content_of,
    digest,
    fingerprints,
    sources_of,
    tasks_of,
)

CASE = Case(Task("Do it.", level=1), "s/a", "s", "s.py::a")
OTHER = Case(Task("Do it."), "s/b", "s", "s.py::b")


def test_each_part_has_a_hash_or_none_if_the_run_lacks_it() -> None:
    found = fingerprints({"seeds": 3, "agent": None, "unknown": 1})
    assert tuple(found) == PARTS
    assert [name for name, value in found.items() if value is not None] == ["seeds"]
    assert found["seeds"] == digest(3) != digest(4)


def test_fingerprint_ignores_order_and_location_of_tasks() -> None:
    moved = replace(CASE, nodeid="elsewhere.py::a")
    assert tasks_of([CASE, OTHER]) == tasks_of([OTHER, moved])


@pytest.mark.parametrize(
    "case",
    [
        replace(CASE, task=Task("Do that.", level=1)),
        replace(CASE, task=Task("Do it.", level=2)),
        replace(CASE, parameters={"n": 1}),
        replace(CASE, epoch=1),
        replace(CASE, environment="dark"),
    ],
)
def test_every_field_of_a_task_affects_the_fingerprint(case: Case) -> None:
    assert tasks_of([case]) != tasks_of([CASE])


def test_content_of_a_folder_is_its_files(tmp_path: Path) -> None:
    (tmp_path / "a" / "__pycache__").mkdir(parents=True)
    (tmp_path / "a" / "x.py").write_text("1")
    before = content_of([tmp_path / "a"])
    (tmp_path / "a" / "__pycache__" / "x.pyc").write_text("2")
    (tmp_path / "a" / "gone").symlink_to(tmp_path / "nowhere")
    assert content_of([tmp_path / "a"]) == before
    assert content_of([tmp_path / "missing"]) == []
    (tmp_path / "a").rename(tmp_path / "b")
    assert content_of([tmp_path / "b"]) == before
    (tmp_path / "b" / "x.py").write_text("3")
    assert content_of([tmp_path / "b"]) != before


def test_an_unreadable_file_is_named_anyway(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, mode: str) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    (tmp_path / "secret").write_text("1")
    monkeypatch.setattr(Path, "open", refuse)
    assert content_of([tmp_path]) == [["secret", None]]


def test_program_sources_are_only_its_own_files(tmp_path: Path) -> None:
    def write(name: str, content: str = "x") -> None:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)

    for name in ("run.py", "lib/a.py", ".git/HEAD", "env/pyvenv.cfg", "env/lib.py"):
        write(name)
    write("node_modules/b.js")
    write("weights.bin", "x" * 1_000_001)
    before = sources_of(tmp_path)
    assert [name for name, _ in before] == ["run.py", "lib/a.py"]
    write("lib/a.py", "y")
    assert sources_of(tmp_path) != before


@pytest.mark.parametrize(
    ("agent", "command"),
    [
        *((name, ()) for name in ("mine", "agents/mine.py", "agents/mine.py:Mine")),
        ("agents.mine:Mine", ()),
        *(
            ("cmd:", command)
            for command in (("python", "run.py", "{goal}"), ("python", "-m", "run"))
        ),
    ],
)
def test_an_agent_is_another_one_if_a_file_that_it_uses_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: str, command: tuple[str, ...]
) -> None:
    run = _run_in(tmp_path, monkeypatch, agent)
    files, line = ("agents/mine.py", "agents/near.py"), "from . import near"
    if command:
        run.program = SimpleNamespace(path=None, folder=None, command=command)
        files, line = ("run.py", "near.py"), "import near"
    found = [agent_of(run)]
    for name in (*files, "unused.py"):
        (tmp_path / name).write_text(f"{line}\n# {name}")
        found.append(agent_of(run))
    assert [one != other for one, other in pairwise(found)] == [True, True, False]


def _run_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: str) -> Any:
    """Return a stand-in for the run of an agent in a project in `tmp_path`."""
    (tmp_path / "agents").mkdir()
    for name in ("agents/mine.py", "run.py"):
        (tmp_path / name).write_text("import near\nfrom . import near")
    for name in ("agents/near.py", "near.py", "unused.py"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(metadata, "folders", lambda *_: [tmp_path / "agents"])
    config = SimpleNamespace(rootpath=tmp_path, invocation_params=SimpleNamespace(dir=tmp_path))
    return SimpleNamespace(agent=agent, program=None, config=config, value=lambda _: ())
