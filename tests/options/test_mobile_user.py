"""--mobile-user: how the simulated user of a task answers, and variants with vague goals."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.__main__ import main
from pytest_mobileagent.testing import ScriptedReply

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.options.asking import Asking

AGENTS = """
from pytest_mobileagent import Agent, Ask, Finish, Phone

class Asker(Agent):
    def start(self, briefing):
        self.briefing, self.questions = briefing, ["Which colour?", "Which address?"]
        self.heard = []
    def step(self, observation):
        told = list(self.briefing.instructions[:1])
        self.heard += told if not self.heard else []
        self.heard += [observation.reply] if observation.reply else []
        return Ask(self.questions.pop(0)) if self.questions else Finish(" ".join(self.heard))

class Guesser(Agent):
    asks = False
    def step(self, observation):
        return Finish("red")

class Loop(Agent):
    def run(self, briefing, phone):
        return phone.act(Ask("Which colour?")).reply
"""
TASKS = """
from pytest_mobileagent import ask_user, answer, person, questions, task

@task(
    "Buy a green mug.",
    vague="Buy a mug.",
    user=questions([("Which colour?", "Green")]),
    solution=[ask_user("Which colour?", colour="Red"), answer("{colour}")],
)
def test_mug(episode):
    assert "Green" in episode.answer or episode.goal == "Buy a green mug."
"""


@pytest.fixture
def buying(asking: Asking) -> Asking:
    """A project with an agent that asks for the colour and the address of a mug."""
    asking.pytester.makepyfile(asking=AGENTS, test_codes=TASKS)
    return asking


def by_variant(project: Asking, field: str) -> dict[str, Any]:
    return {task["variant"]: task[field] for task in project.report()["tasks"]}


def test_only_the_vague_variant_has_a_user(buying: Asking) -> None:
    result = buying.run("-v", "--junitxml=junit.xml", agent="Asker")
    assert result.ret == 0
    lines = result.stdout.str()
    assert "test_mug[full] PASSED" in lines
    assert "test_mug[vague] PASSED" in lines
    junit = (buying.pytester.path / "junit.xml").read_text("utf-8")
    for variant in ("full", "vague"):
        assert by_variant(buying, "id")[variant] == f"codes/mug[{variant}]"
        assert f'name="test_mug[{variant}]"' in junit
        assert f'name="mobile_variant" value="{variant}"' in junit
    assert by_variant(buying, "user") == {"full": None, "vague": "asked"}
    assert by_variant(buying, "questions") == {"full": 2, "vague": 2}
    assert by_variant(buying, "answered") == {"full": 0, "vague": 1}
    assert by_variant(buying, "useful") == {"full": 0, "vague": 1}
    summary = buying.report()["summary"]
    assert {name: each["success_rate"] for name, each in summary["variants"].items()} == {
        "full": 1,
        "vague": 1,
    }
    assert [summary[name] for name in ("questions", "answered", "useful", "needless")] == [
        4,
        1,
        1,
        0,
    ]


@pytest.mark.parametrize(
    ("chosen", "names"),
    [
        (["-k", "full"], ["full"]),
        (["-k", "[vague"], ["vague"]),
        (["-m", "mobile_tag(name='vague')"], ["vague"]),
        (["-m", "mobile_tag(name='nothing')"], []),
        (["test_codes.py::test_mug[vague]"], ["vague"]),
        (["--mobile-epochs=2", "-k", "vague and epoch1"], ["vague-epoch1"]),
    ],
)
def test_variants_are_chosen_as_tests_are(
    buying: Asking, chosen: list[str], names: list[str]
) -> None:
    result = buying.run("--collect-only", "-q", *chosen, agent="Asker")
    found = [line for line in result.outlines if "::" in line]
    assert found == [f"test_codes.py::test_mug[{name}]" for name in names]


@pytest.mark.parametrize(
    ("mode", "heard"),
    [
        ("asked", "Green The user does not answer."),
        ("told", "The user adds: Which colour? Green Green The user does not answer."),
        ("silent", "The user does not answer. The user does not answer."),
    ],
)
def test_a_user_answers_tells_or_is_silent(buying: Asking, mode: str, heard: str) -> None:
    result = buying.run(f"--mobile-user={mode}", "-k", "[vague", agent="Asker")
    (task,) = buying.report()["tasks"]
    assert (task["answer"], task["user"]) == (heard, mode)
    assert task["success"] is (mode != "silent")
    assert result.ret == (mode == "silent")
    questions = list((buying.pytester.path / "runs").glob("*/questions.jsonl"))
    assert len(questions) == (mode != "silent")


def test_an_agent_with_a_loop_of_its_own_asks_too(buying: Asking) -> None:
    buying.run("-k", "[vague", agent="Loop")
    assert buying.report()["tasks"][0]["answer"] == "Green"


def test_that_an_agent_cannot_ask_is_pointed_out_once(buying: Asking) -> None:
    words = "1 task has a user who answers, and asking cannot ask: --mobile-user=told"
    for off in (True, False):
        assert buying.run(agent="Guesser", off=off).stdout.str().count(words) == 1
    assert "cannot ask" not in buying.run("--mobile-user=told", agent="Guesser").stdout.str()
    assert "cannot ask" not in buying.run("-k", "full", agent="Guesser").stdout.str()
    assert "cannot ask" not in buying.run(agent="Asker").stdout.str()


@pytest.mark.parametrize(
    ("agent", "option", "passes"),
    [
        ("oracle", "asked", {"full": True, "vague": True}),
        ("oracle", "silent", {"full": True, "vague": False}),
        ("truncated_oracle", "asked", {"full": True, "vague": False}),
    ],
)
def test_the_oracle_asks_and_guesses_without_an_answer(
    buying: Asking, agent: str, option: str, passes: dict[str, bool]
) -> None:
    buying.run(f"--mobile-user={option}", agent=agent)
    assert by_variant(buying, "success") == passes
    if agent == "oracle":
        assert by_variant(buying, "answer") == {
            "full": "Green",
            "vague": "Green" if option == "asked" else "Red",
        }
        assert by_variant(buying, "golden_steps") == {"full": None, "vague": 1}


def test_questions_without_an_answer_are_collected_once(buying: Asking) -> None:
    buying.pytester.makepyfile(
        asking=AGENTS.replace('"Which address?"', '"Where to?", "Where to?"')
    )
    buying.run(agent="Asker")
    (file,) = (buying.pytester.path / "runs").glob("*/questions.jsonl")
    (line,) = map(json.loads, file.read_text("utf-8").splitlines())
    assert (line["task"], line["question"], line["step"]) == ("codes/mug[vague]", "Where to?", 2)
    episode = file.parent / "episodes" / line["episode"]
    assert (episode / "episode.jsonl").is_file()
    assert line["screen"] == 1


def test_variants_pair_in_compare(buying: Asking, capsys: pytest.CaptureFixture[str]) -> None:
    for word in ("full", "[vague"):
        buying.run("--mobile-user=silent", "-k", word, agent="Asker")
    buying.run("--mobile-user=silent", agent="Asker")
    runs = sorted(
        (buying.pytester.path / "runs").glob("2*"), key=lambda run: run.stat().st_mtime_ns
    )
    each = [str(run) for run in runs]
    capsys.readouterr()
    for two in (each[:2], [each[2], each[2]]):
        assert main(["compare", *two, "--format=json"]) == 0
        comparison = json.loads(capsys.readouterr().out)["runs"][0]["comparison"]
        assert (comparison["tasks"], comparison["difference"]) == (1, -1.0)
        assert comparison["variants"] == ["full", "vague"]
        assert [task["id"] for task in comparison["lost"]] == ["codes/mug"]
    assert main(["compare", each[2], each[0]]) == 0
    assert "variants" not in capsys.readouterr().out


REWRITTEN = """
from pytest_mobileagent import rows, tasks

GOALS = {"pen": {"official": "Buy a pen.", "noisy": "Er, a pen?"}, "cup": "Buy a cup."}
ROWS = rows("things.csv", wording=lambda _: GOALS)

@tasks(ROWS, user="Green.")
def test_things(episode, row, mobile_variant):
    assert episode.case.task.variant == mobile_variant == row.goal_variant
    assert episode.goal == "Buy a pen."
"""


def test_rewrites_of_a_release_are_variants(
    asking: Asking, capsys: pytest.CaptureFixture[str]
) -> None:
    path = asking.pytester.path
    asking.pytester.makepyfile(asking=AGENTS, test_codes=REWRITTEN)
    (path / "things.csv").write_text("id,goal\npen,Ours.\ncup,Ours too.\n", "utf-8")
    (path / "releases.toml").write_text(f'{path.name} = "."', "utf-8")
    asking.run(agent="Guesser").assert_outcomes(passed=1, failed=2)
    assert {task["id"]: task["success"] for task in asking.report()["tasks"]} == {
        "codes/things[pen-official]": True,
        "codes/things[pen-noisy]": False,
        "codes/things[cup]": False,
    }
    assert {*asking.report()["summary"]["variants"]} == {"official", "noisy"}
    (run,) = (path / "runs").glob("2*")
    capsys.readouterr()
    assert main(["compare", str(run), str(run), "--format=json"]) == 0
    comparison = json.loads(capsys.readouterr().out)["runs"][0]["comparison"]
    assert comparison["variants"] == ["official", "noisy"]
    assert [task["id"] for task in comparison["lost"]] == ["codes/things[pen]"]
    asking.run(f"--mobile-resume={run}", "-k", "noisy", agent="Guesser").assert_outcomes(failed=1)
    assert len(list((run / "episodes").iterdir())) == 3


def test_variants_are_scored_again_and_resumed(buying: Asking) -> None:
    buying.run(agent="Asker")
    (run,) = (buying.pytester.path / "runs").glob("2*")
    again = buying.pytester.runpytest_inprocess(f"--mobile-rescore={run}")
    again.assert_outcomes(passed=2)
    assert by_variant(buying, "answered") == {"full": 0, "vague": 1}
    resumed = buying.run(f"--mobile-resume={run}", agent="Asker")
    resumed.assert_outcomes(passed=2)
    assert len(list((run / "episodes").iterdir())) == 2


def test_rows_may_be_vague_and_have_users_of_their_own(buying: Asking) -> None:
    lines = [
        {"id": "mug", "goal": "Buy a green mug.", "vague": "Buy a mug.",
         "user": [{"question": "Which colour?", "answer": "Green", "step": 1}]},
        {"id": "cap", "goal": "Buy a cap.", "user": "Red"},
    ]  # fmt: skip
    (buying.pytester.path / "table.jsonl").write_text("\n".join(map(json.dumps, lines)))
    buying.pytester.makepyfile(
        test_codes="""
        from pytest_mobileagent import rows, tasks

        @tasks(rows("table.jsonl"))
        def test_buy(episode, row):
            assert episode.answer
        """
    )
    buying.run(agent="Loop")
    found = {task["id"]: (task["variant"], task["answer"]) for task in buying.report()["tasks"]}
    assert found == {
        "codes/buy[mug-full]": ("full", "The user does not answer."),
        "codes/buy[mug-vague]": ("vague", "Green"),
        "codes/buy[cap]": (None, "Red"),
    }


REPLY = ScriptedReply("FACT: 1\nANSWER: Green", input_tokens=1000, output_tokens=100)
PERSON = TASKS.replace('questions([("Which colour?", "Green")])', 'person("Green.", ["Green"])')


def test_a_person_is_played_by_a_model_priced_by_itself_and_cached_like_judges(
    buying: Asking, served: Callable[..., str]
) -> None:
    buying.pytester.makepyfile(test_codes=PERSON)
    buying.pytester.makeini("[pytest]\n")
    model = served(REPLY)
    own = [f"--mobile-model=user={model}", "-omobile_prices=prices.toml", "-k", "[vague"]
    for cost in (0.2, 0.0):
        assert buying.run(*own, agent="Loop").ret == 0
        (task,) = buying.report()["tasks"]
        assert (task["answer"], task["cost_usd"], task["calls"]) == ("Green", None, 0)
        for roles in (task["roles"], buying.report()["summary"]["roles"]):
            assert roles["user"]["cost_usd"] == pytest.approx(cost)


@pytest.mark.parametrize(
    ("tasks", "words"),
    [
        (TASKS.replace(', "Green")', ",)"), "pair 1 has no answer to 'Which colour?'"),
        (TASKS.replace(', "Green")', ', " ")'), "pair 1 has no answer to 'Which colour?'"),
        (TASKS.replace("Buy a mug.", " buy a GREEN mug. "), "is the goal itself: leave out a"),
        (TASKS.replace("questions([", "person([").replace("])", "])"), "needs the whole goal"),
        (TASKS.replace('("Which colour?", "Green")', '{"question": "a", "answer": "b", "step": 0}'),
         "step=0 must be a whole number from 1"),
        (TASKS.replace(")]),", ')], file="answers.jsonl"),'), "there is no file answers.jsonl"),
    ],
)  # fmt: skip
def test_an_invalid_user_ends_the_run_before_a_device_starts(
    buying: Asking, tasks: str, words: str
) -> None:
    assert tasks != TASKS
    buying.pytester.makepyfile(test_codes=tasks)
    result = buying.run(agent="Asker")
    assert result.ret == 4
    assert not (buying.pytester.path / "devices.txt").exists()
    assert result.stdout.str().count("\nERROR ") == 1
    assert words in result.stdout.str()


def test_a_person_needs_a_model_only_if_questions_are_asked(buying: Asking) -> None:
    buying.pytester.makepyfile(test_codes=PERSON)
    said = buying.refused(agent="Asker")
    assert said.startswith("the user of test_codes.py::test_mug[vague] is played by a model: ")
    assert "--mobile-model=user=PROVIDER:NAME" in said
    unpriced = "--mobile-model=user=openai:own@http://x"
    assert "no price is known" in buying.refused(unpriced, agent="Asker")
    assert buying.run("--mobile-user=silent", agent="Loop").ret == 1
    assert buying.run("--mobile-user=told", agent="Asker").ret == 0
    assert buying.run("-k", "full", agent="Loop").ret == 0


def test_answers_of_people_come_from_a_file(buying: Asking) -> None:
    path: Path = buying.pytester.path / "answers.jsonl"
    lines = [
        {"task": "codes/mug[vague]", "question": "Which address?", "answer": "1 {Main} Street"},
        {"task": "codes/other", "question": "Which address?", "answer": "Nowhere"},
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    with_file = TASKS.replace(")]),", ')], file="answers.jsonl"),')
    buying.pytester.makepyfile(test_codes=with_file)
    buying.run("-k", "[vague", agent="Asker")
    assert buying.report()["tasks"][0]["answer"] == "Green 1 {Main} Street"
    path.write_text('{"question": "a"}\n')
    result = buying.run(agent="Asker")
    assert result.ret == 4
    assert "answers.jsonl, line 1 has no answer to 'a'" in result.stdout.str()
