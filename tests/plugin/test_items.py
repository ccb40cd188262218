"""Test functions that are tasks: the decorators, tables of tasks, drawn values, ids and markers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import load

if TYPE_CHECKING:
    from collections.abc import Callable

CONFTEST = """
import pytest
from pytest_mobileagent import Agent, Ask, Finish
from pytest_mobileagent.testing import FakeLease, FakePhone, make_screen

class Asks(Agent):
    def start(self, briefing):
        self.goal = briefing.goal
    def step(self, observation):
        return Ask("Which size?") if observation.reply is None else Finish(observation.reply)

class Repeats(Agent):
    def start(self, briefing):
        self.goal = briefing.goal
    def step(self, observation):
        return Finish(self.goal)

@pytest.fixture(scope="session")
def mobile_lease():
    return FakeLease(FakePhone([make_screen("home")]))

@pytest.fixture(scope="session")
def agent(pytestconfig):
    return Asks if pytestconfig.getini("mobile_agent") == "asks" else Repeats
"""
HEAD = """
import pytest
from pytest_mobileagent import Key, rows, task, tasks

"""
TABLE = """id,goal,app,golden_steps,level,tags,word
shop-1,Buy {word} in shop {row},com.example.shop,3,1,smoke;paid,apples
shop-2,"Buy {word}, please",,,3,,pears
"""
SHOP = """
@tasks(rows("shop.csv"))
def test_shop(episode, row):
    assert episode.answers(f"Buy {row.word}, please")
"""


@pytest.fixture
def run(pytester: pytest.Pytester) -> Callable[..., pytest.RunResult]:
    """Run the tests of tasks/shop, on a phone in memory and by an agent that repeats its goal."""

    def run(body: str, *arguments: str, agent: str = "repeats") -> pytest.RunResult:
        pytester.makeconftest(CONFTEST)
        folder = pytester.path / "tasks" / "shop"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "test_shop.py").write_text(HEAD + body)
        process = "--mobile-agent-process=off"
        quiet = ("-p", "no:cacheprovider", "--import-mode=importlib", process)
        # From elsewhere than --agent: the fixture gives the class, so no agent has this name.
        pytester.makeini(f"[pytest]\nmobile_agent = {agent}")
        return pytester.runpytest_inprocess("tasks", *quiet, *arguments)

    return run


@pytest.fixture
def table(pytester: pytest.Pytester) -> Callable[[str, str], None]:
    """Write a table beside the tests."""

    def table(content: str, name: str = "shop.csv") -> None:
        folder = pytester.path / "tasks" / "shop"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)

    return table


def ids(result: pytest.RunResult) -> list[str]:
    return [line.rpartition("::")[2] for line in result.outlines if "::" in line]


def report(pytester: pytest.Pytester) -> list[dict[str, Any]]:
    *_, path = sorted(pytester.path.glob("runs/*/report.json"))
    return json.loads(path.read_text())["tasks"]


def recorded(pytester: pytest.Pytester) -> list[dict[str, Any]]:
    *_, path = sorted(pytester.path.glob("runs/*/run.json"))
    return json.loads(path.read_text())["tasks"]


def test_every_row_is_a_test_with_the_id_of_its_row(run, table):
    table(TABLE)
    result = run(SHOP, "--collect-only", "-q")
    assert ids(result) == ["test_shop[shop-1]", "test_shop[shop-2]"]


def test_rows_without_an_id_are_numbered(run, table):
    table('{"goal": "Go."}\n\n{"goal": "Go on."}\n', "shop.jsonl")
    body = SHOP.replace("csv", "jsonl")
    assert ids(run(body, "--collect-only", "-q")) == ["test_shop[1]", "test_shop[2]"]


@pytest.mark.parametrize(
    ("expression", "chosen"),
    [("level=3", ["shop-2"]), ("level=1", ["shop-1"]), ("app='com.example.shop'", ["shop-1"])],
)
def test_rows_are_chosen_by_their_fields(run, table, expression, chosen):
    table(TABLE)
    result = run(SHOP, "--collect-only", "-q", "-m", f"mobile_task({expression})")
    assert ids(result) == [f"test_shop[{name}]" for name in chosen]


def test_columns_fill_the_goal_and_are_attributes_of_the_row(run, table, pytester):
    table(TABLE.replace(" in shop {row}", ""))
    run(SHOP).assert_outcomes(passed=1, failed=1)
    assert [task["id"] for task in report(pytester)] == [
        "tasks/shop/shop/shop[shop-1]",
        "tasks/shop/shop/shop[shop-2]",
    ]
    first = recorded(pytester)[0]["task"]
    assert (first["apps"], first["golden_steps"], first["level"]) == (["com.example.shop"], 3, 1)
    assert first["tags"] == ["smoke", "paid"]


def test_epochs_and_environments_are_for_every_row(run, table):
    table(TABLE)
    result = run(SHOP, "--collect-only", "-q", "--mobile-epochs=2")
    assert ids(result) == [
        "test_shop[shop-1-epoch0]",
        "test_shop[shop-1-epoch1]",
        "test_shop[shop-2-epoch0]",
        "test_shop[shop-2-epoch1]",
    ]


def test_rows_may_be_skipped_and_parametrized_as_any_test(run, table):
    table(TABLE)
    body = "@pytest.mark.parametrize('hour', [7, 22])" + SHOP.replace("row)", "row, hour)", 1)
    result = run(body, "--collect-only", "-q", "-k", "22")
    assert ids(result) == ["test_shop[shop-1-22]", "test_shop[shop-2-22]"]


WRONG_CELLS = {
    "level": ("3,1", "3,hard", "line 2 (shop-1): level 'hard' has to be 1, 2 or 3"),
    "level range": ("3,1", "3,7", "line 2 (shop-1): level=7 is none of 1, 2, 3"),
    "steps": ("3,1", "some,1", "line 2 (shop-1): golden_steps 'some' has to be a whole number *"),
    "goal": ('"Buy {word}, please"', " ", "line 3 (shop-2): a task needs a goal: *column `goal`"),
    "twice": ("shop-2", "shop-1", "line 3 (shop-1): this id is also that of *line 2 (shop-1)"),
    "more": (",apples", ",apples,5", "line 2: has 1 more cells than the first line has names"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG_CELLS)
def test_a_wrong_cell_is_told_with_its_place_and_no_device_starts(run, table, what):
    right, wrong, message = WRONG_CELLS[what]
    table(TABLE.replace(right, wrong))
    result = run(SHOP, *(["-n", "1"] if what == "twice" else []))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines([f"tasks/shop/shop.csv, {message}", "tasks/shop/test_shop.py:6"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_row_has_no_column_that_the_table_lacks(run, table, pytester):
    table(TABLE.replace(" in shop {row}", ""))
    run(SHOP.replace("row.word", "row.wrd"))
    told = "tasks/shop/shop.csv, line 2 (shop-1) has no column 'wrd'"
    assert told in report(pytester)[0]["reason"]
    assert report(pytester)[0]["fault"] == "task"


@pytest.mark.parametrize(
    ("decorator", "message"),
    [
        (
            "@task('Go.', kind='operatoin')",
            "kind='operatoin' is none of *did you mean 'operation'?",
        ),
        ("@task('Go.', level=4)", "level=4 is none of 1, 2, 3"),
        ("@task('  ')", "a task needs a goal in words, not '  '"),
        ("@task('Go.', needs=['wifi'])", "needs=*'wifi' is none of events, web, *"),
        ("@pytest.mark.mobile_task('Go.', lvel=1)", "*lvel*"),
    ],
)
def test_a_wrong_field_is_told_where_the_task_stands(run, decorator, message):
    result = run(f"{decorator}\ndef test_go(episode): pass")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines([message])


def test_a_keyword_that_no_task_has_is_pythons_own_error(run):
    result = run("@task('Go.', lvel=1)\ndef test_go(episode): pass")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*TypeError: task() got an unexpected keyword argument 'lvel'*"])


DRAWS = """
def any_time(random):
    return {"hour": random.randrange(24), "minute": random.choice([0, 15, 30, 45])}

@task("Set an alarm for {hour}:{minute:02}.", parameters=any_time)
def test_alarm(episode, hour, minute):
    assert episode.answer == f"Set an alarm for {hour}:{minute:02}."
"""


def test_drawn_values_fill_the_goal_and_stay_out_of_ids(run, pytester):
    run(DRAWS).assert_outcomes(passed=1)
    (task,) = recorded(pytester)
    assert task["nodeid"] == "tasks/shop/test_shop.py::test_alarm"
    assert set(task["parameters"]) == {"hour", "minute"}


def test_values_are_drawn_for_each_epoch(run, pytester):
    run(DRAWS, "--mobile-epochs=4").assert_outcomes(passed=4)
    tasks = recorded(pytester)
    assert [task["nodeid"].rpartition("::")[2] for task in tasks] == [
        f"test_alarm[epoch{number}]" for number in range(4)
    ]
    assert len({str(task["parameters"]) for task in tasks}) > 1


def test_drawn_values_go_with_fixed_ones(run):
    body = "@pytest.mark.parametrize('day', ['Monday', 'Sunday'])" + DRAWS.partition("}\n")[2]
    body = DRAWS.partition("}\n")[0] + "}\n" + body.replace("minute)", "minute, day)", 1)
    result = run(body, "--collect-only", "-q", "--mobile-epochs=2")
    assert ids(result) == [
        f"test_alarm[{day}-epoch{epoch}]" for day in ("Monday", "Sunday") for epoch in (0, 1)
    ]


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        ("lambda random: 1 / 0", "its parameters= raised ZeroDivisionError: division by zero"),
        ("lambda random: {str(random.random()): 1}", "its parameters= returns other names in *"),
    ],
)
def test_what_cannot_be_drawn_is_a_broken_task(run, draw, message):
    result = run(
        f"@task('Go.', parameters={draw})\ndef test_go(episode): pass", "--mobile-epochs=2"
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines([message])


def test_a_task_prepares_the_device_and_cleans_up(run):
    body = """
done = []

@task("Go.", prepare=lambda device: device.perform(Key("home")),
      clean_up=lambda device: done.append(len(device.actions)))
def test_go(episode):
    assert episode.steps == () or episode.step_count == 0

def test_after():
    assert done == [1]
"""
    run(body).assert_outcomes(passed=2)


def test_what_the_rows_of_a_table_have_in_common_is_given_once(run, pytester):
    table = "id,goal,level,key\nfirst,Press {key}.,1,home\nsecond,Press {key}.,2,back\n"
    (pytester.path / "table.csv").write_text(table)
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
    run(body).assert_outcomes(passed=3)


def test_a_mistake_in_what_rows_have_in_common_is_found_at_collection(run):
    body = """
@tasks([], kind="fun")
def test_key(episode, row):
    pass
"""
    result = run(body)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(["*kind='fun' is none of operation*"])


@pytest.mark.parametrize(
    ("user", "reply"),
    [
        ("'Large.'", "Large."),
        ("{'size': 'Small.'}", "Small."),
        ("None", "The user does not answer."),
    ],
)
def test_the_user_of_a_task_answers(run, user, reply):
    body = f"""
@task("Buy shoes.", user={user})
def test_buy(episode):
    assert episode.answer == {reply!r}
"""
    run(body, agent="asks").assert_outcomes(passed=1)


def test_a_task_that_needs_events_is_skipped_where_there_are_none(run, pytester):
    body = """
@task("Go.", needs=["events"])
def test_go(episode):
    assert False
"""
    conftest = CONFTEST.replace(
        'FakePhone([make_screen("home")])', 'FakePhone([make_screen("home")], info=DEAF)'
    )
    deaf = """
from pytest_mobileagent import DeviceInfo
DEAF = DeviceInfo("fake", "Fake", "15", 35, (1080, 2400), 420, listener=False)
"""
    pytester.makepyfile(deaf_conftest=conftest)
    (pytester.path / "tasks").mkdir()
    (pytester.path / "tasks" / "conftest.py").write_text(deaf + conftest)
    run(body).assert_outcomes(skipped=1)
    assert "events" in report(pytester)[0]["reason"]
    assert report(pytester)[0]["skipped_for"] == "listener"


def test_a_suite_is_the_folder_unless_the_task_names_one(run, pytester):
    body = """
@task("Go.")
def test_one(episode): pass

@task("Go.", suite="errands")
def test_two(episode): pass
"""
    run(body).assert_outcomes(passed=2)
    assert [task["suite"] for task in report(pytester)] == ["shop", "errands"]


@pytest.mark.parametrize(
    ("tag", "selected"), [("smoke", ["shop-1", "[b]"]), ("paid", ["shop-1"]), ("smo", [])]
)
def test_tags_select_rows_and_single_tasks(run, table, tag, selected):
    table(TABLE)
    body = f"""{SHOP}
@pytest.mark.parametrize("letter", ["b"])
@task("Go {{letter}}.", tags=["smoke", "other"])
def test_one(episode, letter):
    assert False

def test_no_task():
    pass
"""
    found = ids(run(body, "--collect-only", "-q", "-m", f"mobile_tag(name='{tag}')"))
    assert len(found) == len(selected)
    assert all(part in node for part, node in zip(selected, found, strict=True))


OFFICIAL = """
def official(folder):
    return {"shop-1": "Purchase {this}", "shop-2": None}

@tasks(rows("shop.csv", wording=official))
def test_shop(episode, row):
    assert (row.wording == "official") == episode.answers("Purchase {this}")
    assert episode.answers(row.goal) == (row.wording == "official")
"""


def test_the_wording_of_goals_is_recorded(run, table, pytester):
    table(TABLE)
    (pytester.path / "tasks" / "releases.toml").write_text('shop = ".."\n')
    result = run(OFFICIAL)
    result.assert_outcomes(passed=2)
    words = ["official", "own"]
    assert [each["task"]["wording"] for each in recorded(pytester)] == words
    (path,) = pytester.path.glob("runs/*/run.json")
    assert json.loads(path.read_text())["run"]["wording"] == words
    episodes = [load(folder) for folder in sorted(pytester.path.glob("runs/*/episodes/*"))]
    assert [each.case.task.wording for each in episodes] == words
    assert [each.goal for each in episodes] == ["Purchase {this}", "Buy pears, please"]


def test_a_release_that_is_not_there_ends_the_run(run, table, pytester):
    table(TABLE)
    (pytester.path / "tasks" / "releases.toml").write_text('\nshop = "gone"\n')
    result = run(OFFICIAL)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(["tasks/releases.toml, line 2 (shop): there is no folder *gone*"])
    assert not (pytester.path / "runs").exists()


def test_a_run_that_is_resumed_with_another_wording_says_so(run, table, pytester):
    table(TABLE)
    assert run(OFFICIAL, "-k", "shop-2").ret == 0
    (pytester.path / "tasks" / "releases.toml").write_text('shop = ".."\n')
    result = run(OFFICIAL, "--mobile-resume=runs")
    result.stdout.fnmatch_lines(["*reused results are from before this was changed: *wording*"])
