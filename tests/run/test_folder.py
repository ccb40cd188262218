from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.plugin.options import OPTIONS, OptionValue
from pytest_mobileagent.run.folder import RunFolder, fingerprint, seed_of, slug

if TYPE_CHECKING:
    from pathlib import Path

ANY_TEXT = st.text(st.characters()) | st.text("/.-\\ \0a:", max_size=8) | st.text("a", min_size=70)


@given(ANY_TEXT)
def test_any_text_makes_one_safe_part_of_a_path(text: str) -> None:
    name = slug(text)
    assert re.fullmatch(r"[A-Za-z0-9_.-]{1,89}", name)
    assert name not in {".", ".."}


@given(ANY_TEXT, ANY_TEXT)
def test_different_texts_make_different_names(one: str, other: str) -> None:
    assert (slug(one) == slug(other)) is (one == other)


@pytest.mark.parametrize("text", ["oracle", "count[1]", "tasks/clock/a", "Ä", ""])
def test_a_name_is_the_text_where_it_is_safe(text: str) -> None:
    assert (slug(text) == text) is (text == "oracle")


@given(st.integers(0), ANY_TEXT)
def test_the_seed_of_a_task_is_always_the_same(seed: int, task: str) -> None:
    assert seed_of(seed, task) == seed_of(seed, task)
    assert 0 <= seed_of(seed, task) < 2**32


def test_seeds_differ_between_tasks_and_runs_but_not_between_machines() -> None:
    seeds = {seed_of(seed, task) for seed in range(20) for task in ("a", "b", "a[epoch1]")}
    assert len(seeds) == 60
    assert seed_of(0, "clock/alarm/set") == 2483344627


def test_runs_of_one_second_have_folders_of_their_own(tmp_path: Path) -> None:
    folders = [RunFolder.plan(tmp_path / "runs", "./my agent.py:Mine") for _ in range(5)]
    assert len({folder.make() for folder in folders}) == 5
    for folder in folders:
        assert folder.path.is_dir()
        assert folder.path.parent == (tmp_path / "runs").resolve()
        assert folder.path.name == folder.id
        assert re.match(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-my-agent.py-Mine-", folder.id)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("")
    run = RunFolder.plan(tmp_path / "runs", "mine")
    with pytest.raises(HostError, match="cannot make a folder in --mobile-runs"):
        run.make()
    with pytest.raises(HostError, match="cannot make a folder"):
        run.episode("clock/set")


def test_each_attempt_at_a_task_has_a_folder_of_its_own(tmp_path: Path) -> None:
    run = RunFolder.plan(tmp_path, "mine")
    assert [run.episode("clock/set[1]")[1] for _ in range(3)] == [0, 1, 2]
    other, attempt = run.episode("clock/set[2]")
    assert attempt == 0
    assert other.is_dir()
    assert run.relative(other).startswith("episodes/clock-set-2-")


def settings(**texts: str | None) -> dict[str, OptionValue]:
    names = {option.flag.removeprefix("--"): option for option in OPTIONS}
    values = {name.replace("-", "_"): "x" for name in names} | texts
    return {
        name: OptionValue(option, None, values[name.replace("-", "_")], "default")
        for name, option in names.items()
    }


TASKS: list[dict[str, Any]] = [{"id": "a"}, {"id": "b"}]


@pytest.mark.parametrize(
    ("texts", "tasks", "same"),
    [
        ({}, TASKS, True),
        ({}, TASKS[::-1], True),
        ({"agent": "other"}, TASKS, True),
        ({"mobile_runs": "elsewhere"}, TASKS, True),
        ({"mobile_seed": "1"}, TASKS, False),
        ({"mobile_device": "serial:1"}, TASKS, False),
        ({"mobile_max_steps": None}, TASKS, False),
        ({}, TASKS[:1], False),
    ],
)
def test_runs_compare_if_their_tasks_and_options_but_the_agent_are_the_same(
    texts: dict[str, Any], tasks: list[dict[str, Any]], same: bool
) -> None:
    assert (fingerprint(settings(**texts), tasks) == fingerprint(settings(), TASKS)) is same
