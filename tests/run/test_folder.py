"""The folder of a run and its files."""

from __future__ import annotations

import os
import re
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent import Case, Task
from pytest_mobileagent.episode.runs import attempts, cases, slug
from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.run.folder import LOCK, RunFolder, hold, is_held, let_go

CASES = [Case(Task("Do it."), name, "clock", f"t.py::{name}") for name in ("a", "b")]
ANY_TEXT = st.text(st.characters()) | st.text("/.-\\ \0a:", max_size=8) | st.text("a", min_size=70)


def case(name: str) -> Case:
    return Case(Task("Do it."), name)


@given(ANY_TEXT)
def test_any_text_makes_one_safe_part_of_a_path(text):
    name = slug(text)
    assert re.fullmatch(r"[A-Za-z0-9_.-]{1,89}", name)
    assert name not in {".", ".."}


@given(ANY_TEXT, ANY_TEXT)
def test_different_texts_make_different_names(one, other):
    assert (slug(one) == slug(other)) is (one == other)


@pytest.mark.parametrize("text", ["oracle", "count[1]", "tasks/clock/a", "Ä", ""])
def test_a_name_is_the_text_where_it_is_safe(text):
    assert (slug(text) == text) is (text == "oracle")


def test_runs_of_one_second_have_folders_of_their_own(tmp_path):
    folders = [RunFolder.plan(tmp_path / "runs", "./my agent.py:Mine") for _ in range(5)]
    assert len({folder.make() for folder in folders}) == 5
    for folder in folders:
        assert folder.path.is_dir()
        assert folder.path.parent == (tmp_path / "runs").resolve()
        assert folder.path.name == folder.id
        assert re.match(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-my-agent.py-Mine-", folder.id)


def test_a_folder_that_cannot_be_made_is_reported(tmp_path):
    (tmp_path / "runs").write_text("")
    run = RunFolder.plan(tmp_path / "runs", "mine")
    with pytest.raises(HostError, match="cannot create a folder in --mobile-runs"):
        run.make()
    with pytest.raises(HostError, match="cannot create a folder"):
        run.attempt(case("clock/set"))


def test_each_attempt_at_a_case_has_a_folder_of_its_own(tmp_path):
    run = RunFolder.plan(tmp_path, "mine")
    assert attempts(run.path, case("clock/set[1]").key) == []
    folders = [run.attempt(case("clock/set[1]")) for _ in range(3)]
    assert [number for _, number in folders] == [0, 1, 2]
    assert attempts(run.path, case("clock/set[1]").key) == [folder for folder, _ in folders]
    other, number = run.attempt(case("clock/set[2]"))
    assert number == 0
    assert other.is_dir()
    assert run.relative(other).startswith("episodes/clock-set-2-")


def test_run_json_is_written_once_by_whoever_comes_first(tmp_path):
    run = RunFolder.plan(tmp_path, "mine")
    worker = RunFolder(run.path, run.id, run.started)
    assert run.about() == {"id": run.id, "started": run.started}
    assert cases(run.path) == []
    run.begin(lambda: {"agent": "mine"}, CASES)
    worker.begin(lambda: pytest.fail("it is there"), [])
    for each in (run, worker):
        assert each.about() == {"id": run.id, "started": run.started, "agent": "mine"}
        assert [case.to_json() for case in cases(each.path)] == [case.to_json() for case in CASES]
    names = {path.name for path in run.path.iterdir()}
    assert names == {"run.json", "chain.jsonl", ".paths.json"}


def test_metadata_of_a_run_are_collected_by_one_process_while_others_wait(tmp_path):
    run = RunFolder.plan(tmp_path, "mine")
    worker = RunFolder(run.path, run.id, run.started)
    is_asked = threading.Event()

    def of_worker() -> dict[str, str]:
        is_asked.set()
        return {"agent": "theirs"}

    other = threading.Thread(target=worker.begin, args=(of_worker, CASES))

    def about() -> dict[str, str]:
        other.start()
        assert not is_asked.wait(0.05)  # longer than this would take without a lock
        return {"agent": "mine"}

    run.begin(about, CASES)
    other.join()
    assert not is_asked.is_set()
    assert run.about()["agent"] == "mine"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b'{"tasks": null, "run": []}',
        b'{"tasks": [{"id": "a", "task": "b"}]}',
        b'{"tasks": [{"id": "a", "task": {"apps": "com.a"}}]}',
        b"[" * 100_000,
        b"\xff\xfe",
    ],
    ids=range(7),
)
def test_a_damaged_run_json_is_an_error_of_the_record(tmp_path, content):
    run = RunFolder.plan(tmp_path, "mine")
    (run.make() / "run.json").write_bytes(content)
    assert run.about() == {"id": run.id, "started": run.started}
    with pytest.raises(RecordError, match=r"run\.json is damaged"):
        cases(run.path)


def test_a_run_json_that_cannot_be_written_is_an_error_of_this_machine(tmp_path):
    run = RunFolder.plan(tmp_path, "mine")
    (run.make() / "run.json").symlink_to(tmp_path / "nowhere" / "run.json")

    def fill_the_disk() -> dict[str, str]:
        run.path.rename(tmp_path / "moved")
        return {}

    with pytest.raises(HostError, match=r"cannot write .*run\.json"):
        run.begin(fill_the_disk, CASES)


def test_a_run_is_locked_until_it_is_released(tmp_path):
    assert not is_held(tmp_path)
    lock = hold(tmp_path)
    assert is_held(tmp_path)
    with pytest.raises(HostError, match="is still running"):
        hold(tmp_path)
    let_go(lock)
    assert not is_held(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_link_in_the_place_of_a_lock_is_not_followed(tmp_path):
    (theirs := tmp_path / "theirs").write_text("precious")
    (run := tmp_path / "run").mkdir()
    (run / LOCK).symlink_to(theirs)
    with pytest.raises(HostError, match="it is not a regular file: remove it"):
        hold(run)
    assert not is_held(run)
    assert theirs.read_text() == "precious"


def test_a_pipe_in_the_place_of_a_lock_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / LOCK)
    with pytest.raises(HostError, match="it is not a regular file: remove it"):
        hold(tmp_path)
    assert not is_held(tmp_path)
