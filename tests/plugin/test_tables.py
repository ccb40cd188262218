"""Tables of tasks: a test for each row, with its id, fields, tags and wording; table errors."""

from __future__ import annotations

import json

import pytest

from pytest_mobileagent import load
from tests.plugin.projects import ids

TABLE = """id,goal,app,golden_steps,level,tags,word
shop-1,Buy {word} in shop {row},com.example.shop,3,1,smoke;paid,apples
shop-2,"Buy {word}, please",,,3,,pears
"""
SHOP = """
@tasks(rows("shop.csv"))
def test_shop(episode, row):
    assert episode.answer == f"Buy {row.word}, please"
"""


def test_rows_without_ids_are_numbered(shop):
    shop.table('{"goal": "Go."}\n\n{"goal": "Go on."}\n', "shop.jsonl")
    body = SHOP.replace("csv", "jsonl")
    assert ids(shop.run(body, "--collect-only", "-q")) == ["test_shop[1]", "test_shop[2]"]


@pytest.mark.parametrize(
    ("expression", "chosen"),
    [("level=3", ["shop-2"]), ("app='com.example.shop'", ["shop-1"])],
)
def test_rows_are_selected_by_field(shop, expression, chosen):
    shop.table(TABLE)
    result = shop.run(SHOP, "--collect-only", "-q", "-m", f"mobile_task({expression})")
    assert ids(result) == [f"test_shop[{name}]" for name in chosen]


def test_columns_fill_the_goal_and_are_attributes_of_the_row(shop):
    shop.table(TABLE.replace(" in shop {row}", ""))
    result = shop.run(SHOP)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["sought * for *shop.csv, line 2 (shop-1)"])
    assert [task["id"] for task in shop.report()] == [
        "tasks/shop/shop/shop[shop-1]",
        "tasks/shop/shop/shop[shop-2]",
    ]
    first = shop.recorded()[0]["task"]
    assert (first["apps"], first["golden_steps"], first["level"]) == (["com.example.shop"], 3, 1)
    assert first["tags"] == ["smoke", "paid"]


def test_the_row_of_a_task_that_asks_for_a_missing_column_is_named(shop):
    shop.table(TABLE.replace(" in shop {row}", ""))
    result = shop.run(SHOP.replace("row.word", "row.wrd"))
    result.stdout.fnmatch_lines(["row * *shop.csv, line 2 (shop-1)", "goal *"])
    told = "tasks/shop/shop.csv, line 2 (shop-1) has no column 'wrd'"
    assert told in shop.report()[0]["reason"]
    assert shop.report()[0]["fault"] == "task"


def test_epochs_and_environments_apply_to_every_row(shop):
    shop.table(TABLE)
    result = shop.run(SHOP, "--collect-only", "-q", "--mobile-epochs=2")
    assert ids(result) == [
        "test_shop[shop-1-epoch0]",
        "test_shop[shop-1-epoch1]",
        "test_shop[shop-2-epoch0]",
        "test_shop[shop-2-epoch1]",
    ]


def test_rows_can_be_skipped_and_parametrized_like_any_test(shop):
    shop.table(TABLE)
    body = "@pytest.mark.parametrize('hour', [7, 22])" + SHOP.replace("row)", "row, hour)", 1)
    result = shop.run(body, "--collect-only", "-q", "-k", "22")
    assert ids(result) == ["test_shop[shop-1-22]", "test_shop[shop-2-22]"]


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("3,1", "3,hard", "line 2 (shop-1): level 'hard' must be 1, 2 or 3"),
        ("shop-2", "shop-1", "line 3 (shop-1): this is also the id of *line 2 (shop-1)"),
    ],
)
@pytest.mark.parametrize("workers", ["-n0", pytest.param("-n1", marks=pytest.mark.slow)])
def test_an_invalid_cell_is_reported_with_its_place_before_a_device_starts(
    shop, right, wrong, message, workers
):
    shop.table(TABLE.replace(right, wrong))
    result = shop.run(SHOP, workers)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines([f"tasks/shop/shop.csv, {message}", "tasks/shop/test_shop.py:6"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_common_fields_of_rows_are_given_once(shop):
    table = "id,goal,level,key\nfirst,Press {key}.,1,home\nsecond,Press {key}.,2,back\n"
    (shop.path / "table.csv").write_text(table)
    body = """
pressed = []

def press(device, key):
    device.perform(Key(key))
    pressed.append(key)

@tasks(rows("../../table.csv"), kind="open-ended", prepare=press)
def test_key(episode, row):
    assert episode.goal == f"Press {row.key}."
    assert episode.case.task.kind == "open-ended"
    assert episode.case.task.level == {"first": 1, "second": 2}[row.id]

def test_after():
    assert pressed == ["home", "back"]
"""
    shop.run(body).assert_outcomes(passed=3)


@pytest.mark.parametrize(("tag", "selected"), [("smoke", ["shop-1", "[b]"]), ("smo", [])])
def test_tags_select_rows_and_single_tasks(shop, tag, selected):
    shop.table(TABLE)
    body = f"""{SHOP}
@pytest.mark.parametrize("letter", ["b"])
@task("Go {{letter}}.", tags=["smoke", "other"])
def test_one(episode, letter):
    assert False

def test_no_task():
    pass
"""
    found = ids(shop.run(body, "--collect-only", "-q", "-m", f"mobile_tag(name='{tag}')"))
    assert len(found) == len(selected)
    assert all(part in node for part, node in zip(selected, found, strict=True))


OFFICIAL = """
def official(folder):
    return {"shop-1": "Purchase {this}", "shop-2": None}

@tasks(rows("shop.csv", wording=official))
def test_shop(episode, row):
    assert (row.wording == "official") == (episode.answer == "Purchase {this}")
    assert (episode.answer == row.goal) == (row.wording == "official")
"""


def test_wording_of_goals_is_recorded(shop):
    shop.table(TABLE)
    (shop.path / "tasks" / "releases.toml").write_text('shop = ".."\n')
    result = shop.run(OFFICIAL)
    result.assert_outcomes(passed=2)
    words = ["official", "own"]
    assert [each["task"]["wording"] for each in shop.recorded()] == words
    (path,) = shop.path.glob("runs/*/run.json")
    assert json.loads(path.read_text())["run"]["wording"] == words
    episodes = [load(folder) for folder in sorted(shop.path.glob("runs/*/episodes/*"))]
    assert [each.case.task.wording for each in episodes] == words
    assert [each.goal for each in episodes] == ["Purchase {this}", "Buy pears, please"]


def test_a_missing_release_ends_the_run(shop):
    shop.table(TABLE)
    (shop.path / "tasks" / "releases.toml").write_text('\nshop = "gone"\n')
    result = shop.run(OFFICIAL)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(["tasks/releases.toml, line 2 (shop): there is no folder *gone*"])
    assert not (shop.path / "runs").exists()


def test_run_resumed_with_another_wording_is_warned_about(shop):
    shop.table(TABLE)
    assert shop.run(OFFICIAL, "-k", "shop-2").ret == 0
    (shop.path / "tasks" / "releases.toml").write_text('shop = ".."\n')
    result = shop.run(OFFICIAL, "--mobile-resume=runs")
    result.stdout.fnmatch_lines(["*reused results are from before this was changed: *wording*"])
