"""Fingerprints of the parts of a run that must be equal for its results to be comparable."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_mobileagent import Case, Task
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


def test_each_part_has_a_hash_and_those_that_a_run_has_not_none() -> None:
    found = fingerprints({"seeds": 3, "agent": None, "unknown": 1})
    assert tuple(found) == PARTS
    assert [name for name, value in found.items() if value is not None] == ["seeds"]
    assert found["seeds"] == digest(3) != digest(4)


def test_tasks_are_the_same_in_any_order_and_wherever_they_stand() -> None:
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
def test_whatever_a_task_asks_makes_a_difference(case: Case) -> None:
    assert tasks_of([case]) != tasks_of([CASE])


def test_the_content_of_folders_is_their_files(tmp_path: Path) -> None:
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


def test_a_file_that_cannot_be_read_is_named_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, mode: str) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    (tmp_path / "secret").write_text("1")
    monkeypatch.setattr(Path, "open", refuse)
    assert content_of([tmp_path]) == [["secret", None]]


def test_the_sources_of_a_program_are_its_own_files_only(tmp_path: Path) -> None:
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
