"""Tests of grouping runs by a field of their tasks, and of pairing tasks of one run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Case, Task
from pytest_mobileagent.jsonable import to_text
from pytest_mobileagent.report.comparison.compare_command import (
    by_field,
    by_lines,
    by_markdown,
    format_single_run,
    main,
)
from pytest_mobileagent.report.recorded_run import document
from pytest_mobileagent.report.result import Result
from tests.report.gate.entries import entries, entry, recorded

if TYPE_CHECKING:
    from pytest_mobileagent.report.entry import Entry

EN = {"cross[a_ENG]": ("PP", "a_CHN"), "cross[b_ENG]": ("PF", "c_CHN"), "cross[x_ENG]": ("P", "")}
ZH = {"cross[a_CHN]": ("FF", "a_ENG"), "cross[c_CHN]": ("F", "b_ENG"), "cross[y_CHN]": ("PP", "")}


def tasks(*, en: str = "", zh: str = "") -> list[Entry]:
    """Return tasks in two languages, two twins in each; `en` and `zh` replace all their epochs."""
    return [
        entry(name, number, letter, language=language, twin=twin or None)
        for language, those, letters in (("en", EN, en), ("zh", ZH, zh))
        for name, (own, twin) in those.items()
        for number, letter in enumerate(letters or own)
    ]


def test_difference_is_computed_for_each_value_of_a_field():
    base, run = recorded(tasks(en="F")), recorded(tasks(en="P"))
    found = by_field("language", base, run)
    en, zh = found["groups"]
    assert (en["value"], en["tasks"], en["baseline"], en["run"]) == ("en", 3, 0, 1)
    assert (en["difference"], zh["difference"]) == (1, 0)
    low, high = zh["interval"]
    assert low < 0 < high
    lines = by_lines(found)
    assert lines[0] == "by language:"
    assert lines[1].startswith("  en  0.0% → 100.0%   +100.0 points (95 %: ")
    assert lines[1].endswith("   3 tasks")
    assert by_markdown(found)[2].startswith("| en | 3 | 0.0% | 100.0% | +100.0 points | ")


def test_levels_are_sorted_and_tasks_without_level_are_left_out():
    def run(letter: str) -> Any:
        levels = ({"level": level} if level else {} for level in (3, 1, None, 2))
        each = (entry(f"t{n}", 0, letter, **level) for n, level in enumerate(levels))
        return recorded(list(each))

    groups = by_field("level", run("F"), run("P"))["groups"]
    assert [group["value"] for group in groups] == [1, 2, 3]
    assert [group["interval"] for group in groups] == [None] * 3  # Each group has a single task.


def test_twin_tasks_of_one_run_are_paired():
    (pairs,) = by_field("language", recorded(tasks()))["pairs"]
    assert (pairs["values"], pairs["tasks"]) == (["en", "zh"], 2)
    assert (pairs["baseline"], pairs["run"], pairs["difference"]) == (0.75, 0.0, -0.75)
    assert pairs["each"] == [
        {"id": "cross[a_ENG]", "other": "cross[a_CHN]", "before": "2/2", "after": "0/2"},
        {"id": "cross[b_ENG]", "other": "cross[c_CHN]", "before": "1/2", "after": "0/1"},
    ]
    assert by_lines(by_field("language", recorded(tasks())))[1:] == [
        "  cross[a_ENG]  2/2 → 0/2  cross[a_CHN]",
        "  cross[b_ENG]  1/2 → 0/1  cross[c_CHN]",
    ]


def test_the_twins_of_both_runs_are_listed_unless_undecided():
    found = by_field("language", recorded(tasks()), recorded(tasks(zh="P")))
    differences = [(each["of"], each["difference"]) for each in found["pairs"]]
    assert differences == [("baseline", -0.75), ("run", 0.25)]
    told = "pairs in the run, en → zh: 75.0% → 100.0%"
    assert any(line.startswith(told) for line in by_lines(found))
    assert by_field("language", recorded(tasks(zh="E")))["pairs"] == []
    alone = recorded([each for each in tasks() if each.language == "zh"])
    assert by_lines(by_field("language", alone)) == ["no two tasks pair by language"]
    assert by_field("language", recorded([]))["pairs"] == []


def test_task_is_paired_with_itself_in_other_environments():
    run = recorded(entries({"t0@100": "P", "t1@100": "P", "t0@101": "F", "t1@102": "P"}))
    pairs = by_field("environment", run)["pairs"]
    assert [(each["values"], each["tasks"], each["difference"]) for each in pairs] == [
        (["100", "101"], 1, -1),
        (["100", "102"], 1, 0),
    ]


def test_single_run_has_no_pairs_for_other_fields():
    run = recorded(tasks())
    with pytest.raises(ValueError, match="pair by language and environment, not by level"):
        format_single_run("level", run, "text")
    with pytest.raises(ValueError, match="--by=FIELD"):
        format_single_run(None, run, "text")
    with pytest.raises(ValueError, match="name two"):
        format_single_run("language", run, "html")
    assert json.loads(format_single_run("language", run, "json"))["by"]["field"] == "language"
    assert format_single_run("language", run, "markdown").startswith("| language |")


def test_compare_command_groups_by_field(tmp_path, capsys):
    folders = []
    for name, each in (("one", tasks()), ("two", tasks(zh="P"))):
        folder = tmp_path / name
        folder.mkdir()
        report = document({"id": name, "agent": name}, {t.nodeid: t for t in each})
        (folder / "report.json").write_text(to_text(report))
        folders.append(str(folder))
    assert main([*folders, "--by=language"], lambda _name: None) == 0
    out = capsys.readouterr().out.splitlines()
    assert "by language:" in out
    assert any(line.startswith("pairs in the baseline, en → zh: 75.0% → 0.0%") for line in out)
    assert main([folders[0], "--by=language"], lambda _name: None) == 0
    assert capsys.readouterr().out.startswith("pairs en → zh: 75.0% → 0.0%   -75.0 points")
    assert main([*folders, "--by=level", "--format=json"], lambda _name: None) == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert run["by"]["groups"] == []
    assert main([folders[0]], lambda _name: None) == 4
    assert "--by=FIELD" in capsys.readouterr().err


def test_twin_is_written_to_records_and_reports():
    case = Case(Task("Do it.", twin="a_CHN"), "cross[a_ENG]")
    assert Result(case).entry().twin == Case.from_json(case.to_json()).task.twin == "a_CHN"
    assert "twin" not in Case(Task("Do it."), "t").to_json()["task"]
