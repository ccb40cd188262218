"""Tests of `mobileagent export`: which episodes it exports, where to, and what it reports."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Finish, Raw, Tap
from pytest_mobileagent.dataset.export import main
from tests.dataset.conftest import HOME, LIST, WAY

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.dataset.export import Source


@pytest.fixture
def export(tmp_path):
    """Return a function that exports recorded episodes as a run, with project settings."""

    def export(sources: list[Source], *arguments: str, settings: Any = None) -> int:
        def setting(name: str) -> tuple[str, Path] | None:
            return (settings or {}).get(name)

        words = list(arguments)
        if "--format" not in " ".join(words):
            words.append("--format=androidcontrol")
        if "-o" not in words:
            words += ["-o", str(tmp_path / "out")]
        run = [] if any(word.startswith(str(tmp_path)) for word in arguments[:1]) else ["RUN"]
        return main([*run, *words], lambda _: sources, setting)

    return export


def about(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "dataset.json").read_text("utf-8"))
    return found


def test_exported_data_say_where_they_come_from(record, export, tmp_path, capsys):
    assert export([record("clock/alarm@1")], "--licence=clock=Apache-2.0") == 0
    whole = about(tmp_path / "out")
    assert whole["format"] == "androidcontrol"
    assert whole["splits"] == ["train"]
    (one,) = whole["trajectories"]
    origin = one.pop("origin")
    assert one == {"goal": "Set an alarm.", "succeeded": True, "split": "train", "steps": 7,
                   "actions": 5}  # fmt: skip
    assert origin["task"] == "clock/alarm@1"
    assert origin["agent"] == "mine"
    assert origin["source"] == "ours"
    assert origin["wording"] == "own"
    assert origin["licence"] == "Apache-2.0"
    said = capsys.readouterr().out
    assert "1 trajectories, 7 steps (train 1)" in said
    assert "2 steps more than actions" in said
    assert "licence" not in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "run"]


def test_only_successes_are_taken_unless_failures_are_asked_for(record, export, tmp_path):
    sources = [record("a", True), record("b", False), record("c", None)]
    assert export(sources) == 0
    assert [t["origin"]["task"] for t in about(tmp_path / "out")["trajectories"]] == ["a"]
    assert export(sources, "--failures", "-o", str(tmp_path / "all")) == 0
    taken = about(tmp_path / "all")["trajectories"]
    assert [t["succeeded"] for t in taken] == [True, False, None]


def test_inexpressible_trajectories_are_left_out_and_none_is_an_error(
    record, export, tmp_path, capsys
):
    assert export([record("a", False)]) == 1
    assert "no goal was met; --failures" in capsys.readouterr().err
    assert export([record("b", True, [(LIST, Raw("am start"))])]) == 1
    why = "1 × a program did something that no canonical action expresses"
    assert why in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    both = [(HOME, [Tap(1, 2), Tap(3, 4)]), (LIST, Finish())]
    assert export([record("c"), record("d", True, both)]) == 0
    assert "left out 1: several actions were decided on one screen" in capsys.readouterr().out
    left_out = about(tmp_path / "out")["left_out"]
    assert left_out == {"several actions were decided on one screen": 1}


def test_a_task_is_in_one_part_whatever_its_environments_and_epochs(record, export, tmp_path):
    tasks = [f"task{n}{end}" for n in range(10) for end in ("", "@env100@1")]
    sources = [record(task, True, WAY[-1:]) for task in tasks]
    parts: dict[str, dict[str, str]] = {}
    for seed in ("0", "0", "1"):
        out = tmp_path / f"out{len(parts)}"
        assert export(sources, "--split=0.8,0.1,0.1", "--seed", seed, "-o", str(out)) == 0
        trajectories = about(out)["trajectories"]
        parts[out.name] = {t["origin"]["task"]: t["split"] for t in trajectories}
    first, again, other = parts.values()
    assert first == again != other
    for part in (first, other):
        by_task = {task.partition("@")[0]: split for task, split in part.items()}
        assert {task: by_task[task.partition("@")[0]] for task in part} == part
        assert sorted(by_task.values()) == ["test"] + ["train"] * 8 + ["validation"]


def test_redacted_content_is_not_exported(record, export, tmp_path):
    (tmp_path / "redact.toml").write_text("text = ['6:30', 'Add']\n")
    source = record("a", goal="Set it for 6:30.")
    settings = {"mobile_redact": ("redact.toml", tmp_path)}
    observed = "--observation=screenshot,hierarchy"
    assert export([source], observed, settings=settings) == 0
    whole = b"".join(p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file())
    assert b"6:30" not in whole
    assert b'"Add"' not in whole
    assert LIST.png not in whole  # The element is blacked out in the screenshot, too.


def test_a_data_set_is_exported_in_another_format(record, export, tmp_path):
    assert export([record("a")], "--format=llamafactory", "-o", str(tmp_path / "one")) == 0
    assert export([], str(tmp_path / "one"), "-o", str(tmp_path / "two")) == 0
    (one,) = about(tmp_path / "two")["trajectories"]
    assert one["origin"]["task"] == "a"
    assert (one["goal"], one["steps"]) == ("Set an alarm.", 7)


def test_a_damaged_data_set_is_one_line(export, tmp_path, capsys):
    (tmp_path / "set").mkdir()
    for content, what in (
        ("{", "is damaged"),
        ('{"schema_version": 99, "format": "coat", "trajectories": []}', "newer version"),
        ('{"schema_version": 1, "format": "coat", "trajectories": [{"goal": 1}]}', "is damaged"),
        ('{"schema_version": 1, "format": "coat", "splits": [], "trajectories": []}', "nothing to"),
    ):
        (tmp_path / "set" / "dataset.json").write_text(content)
        assert export([], str(tmp_path / "set")) == 1
        error = capsys.readouterr().err
        assert what in error
        assert error.count("\n") == 1
        assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["--split=0.8,0.1"], "add up to 0.9, not 1"),
        (["--split=x"], "is not a list of two or three shares"),
        (["--licence=clock"], "must be SUITE=NAME"),
        (["--observation=pixels"], "'pixels' is not one of screenshot, hierarchy, elements"),
        (["--observation=elements"], "can contain screenshot, hierarchy, but not elements"),
        (["--dialect=qwen"], "has its own format of actions"),
        (["--format=llamafactory", "--dialect=kwen"], "there is no dialect 'kwen'"),
        (["-o", "TAKEN"], "already exists, and is not overwritten"),
    ],
)
def test_an_option_that_is_invalid_is_a_usage_error(export, tmp_path, capsys, words, what):
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").touch()
    given = [str(tmp_path / "taken") if word == "TAKEN" else word for word in words]
    with pytest.raises(SystemExit) as ended:
        export([], *given)
    assert ended.value.code == 2
    assert what in capsys.readouterr().err


def test_the_agents_of_bmoca_read_what_was_exported_for_them(record, export, tmp_path):
    way = [WAY[0], WAY[1], WAY[4]]
    assert export([record("a", True, way)], "--format=bmoca") == 0
    (text,) = (path.read_text("utf-8") for path in (tmp_path / "out").rglob("*.txt"))
    assert text.count("- Observation: ") == text.count("- Action: ") == 2
