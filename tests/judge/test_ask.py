"""One model judges an episode: what it is shown, and how its reply is handled."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pytest_mobileagent import Finish, Impossible, Key, Raw, Screen, Step, Swipe, Tap, Type
from pytest_mobileagent.errors import JudgeError
from pytest_mobileagent.judge import evidence
from pytest_mobileagent.judge.ask import ask, judge_models
from pytest_mobileagent.judge.question import Question
from pytest_mobileagent.llm.budget import Budget, BudgetSpent, Limit
from pytest_mobileagent.llm.metered import EpisodeModels
from pytest_mobileagent.llm.reference import ModelReference, parse_reference
from pytest_mobileagent.llm.scripted.model_server import ServedModel
from pytest_mobileagent.testing import Fault, ScriptedModel, ScriptedReply
from tests.judge.asking import judge, screen, worked

SETTINGS, WIFI, ON = screen("Wi-Fi"), screen("Off", shade=250), screen("On", shade=245)
DONE = worked((SETTINGS, Tap(9, 9)), (WIFI, Tap(9, 150)), last=ON)


def asked(episode: Any = DONE, reply: Any = "Result: 1", **options: Any) -> Any:
    """Return the request for a question; options that `ask` does not take are the question's."""
    own = {name: options.pop(name) for name in ("history", "screens", "task") if name in options}
    model, script = judge(reply)
    ask(model, Question.of(options), episode, **own)
    return script.requests[0]


def test_judge_returns_a_decision_and_a_reason() -> None:
    model, _ = judge("Reason: The switch is on.\nResult: 1")
    opinion = ask(model, Question(reason=True), DONE)
    assert (opinion.model, opinion.passed) == ("scripted:judge", True)
    assert opinion.reason == "The switch is on."
    assert [call.role for call in opinion.calls] == ["judge"]


def test_judge_sees_the_complete_goal_of_a_vague_task() -> None:
    vague = replace(DONE, goal="Do it.", full_goal="Switch on the Wi-Fi.")
    assert "| Switch on the Wi-Fi." in asked(vague).text
    assert "| Do it." not in asked(vague).text


@pytest.mark.parametrize("language", ["en", "zh", "zh-CN"])
@pytest.mark.parametrize("actions", ["text", "image", "none"])
@pytest.mark.parametrize("reason", [True, False])
def test_six_modes_exist_in_two_languages(language: str, actions: str, reason: bool) -> None:
    episode = worked((WIFI, Type("Oslo")), last=ON, language=language)
    request = asked(episode, actions=actions, reason=reason)
    assert len(request.images) == 2
    assert ('"Oslo"' in request.text) == (actions == "text")
    assert ("`Reason:`" in request.text) == reason
    assert "`Result: 1`" in request.text
    is_chinese = "任务" in request.text
    assert is_chinese == (language != "en")
    has_strips = "蓝线" in request.text or "blue line" in request.text
    assert has_strips == (actions == "image")


def test_screenshots_are_numbered_in_order() -> None:
    content = asked(actions="none").messages[-1].content
    titles = [part for part in content if isinstance(part, str) and part.startswith("Screenshot ")]
    assert titles == ["Screenshot 1:", "Screenshot 2:", "Screenshot 3: (the last)"]


def test_actions_are_reported_in_full() -> None:
    field = screen("Search")
    episode = worked(
        (field, Type("größer\n世界", at=(9, 9), clear=True, enter=True), Swipe(1, 2, 3, 4)),
        Step(WIFI, (Tap(9, 9), Key("back")), notice="the screen changed", undone=1),
        (SETTINGS, Raw("input keyevent 3")),
        Step(field, (), notice="no action could be made out"),
        last=ON,
    )
    text = asked(episode, actions="text").text
    assert (
        '| Screenshot 1: type "größer\\n世界" into "Search" (9, 9) after clearing the field and '
        "press enter; then swipe from (1, 2) to (3, 4)"
    ) in text
    assert (
        '| Screenshot 2: tap "Off" (9, 9); then NOT DONE: press key back ("the screen changed")'
    ) in text
    assert '| Screenshot 3: command "input keyevent 3"' in text
    assert '| Screenshot 4: NOT DONE: ("no action could be made out")' in text


@pytest.mark.parametrize("end", [Finish("All done, success!"), Impossible("I failed")])
def test_claims_of_the_agent_are_no_evidence(end: Any) -> None:
    episode = worked((WIFI, Tap(9, 9)), Step(ON, (end,), said="I did it!"), last=ON)
    for way in ({"actions": "text"}, {"evidence": "xml", "actions": "text"}):
        text = asked(episode, **way).text
        assert not {"success", "I failed", "I did it"} & set(text.replace("!", ",").split(", "))
        assert "success!" not in text
    assert len(asked(episode).images) == 2  # the screen of the report is shown once


@pytest.mark.parametrize(
    ("kind", "is_shown"),
    [("single-frame query", True), ("cross-app", True), ("open-ended", True), ("operation", False)],
)
def test_requested_answer_is_shown(kind: str, is_shown: bool) -> None:
    text = asked(worked(last=ON, answer="Home", kind=kind)).text
    assert ("| Home" in text) == is_shown


def test_query_without_answer_says_so() -> None:
    assert "No answer was given" in asked(worked(last=ON, kind="single-frame query")).text
    assert "No answer was given" not in asked(worked(last=ON)).text


@pytest.mark.parametrize(
    ("kind", "count"),
    [("operation", 1), ("single-frame query", 1), ("multi-frame query", 3), ("cross-app", 3)],
)
def test_hierarchies_match_the_evidence_of_a3(kind: str, count: int) -> None:
    episode = worked((SETTINGS, Tap(9, 9)), (WIFI, Tap(9, 150)), last=ON, kind=kind)
    request = asked(episode, evidence="xml")
    assert request.images == ()
    assert request.text.count('| TextView "') == count
    assert '| TextView "On"' in request.text


def test_part_of_an_episode_is_judged_with_prior_knowledge() -> None:
    request = asked(
        worked(
            (SETTINGS, Tap(9, 9)), (WIFI, Tap(9, 150)), last=ON, answer="Home", kind="cross-app"
        ),
        evidence="xml",
        screens=range(2),
        history="The code is 4711.",
        task="Open the page.",
    )
    assert "| The code is 4711." in request.text
    assert "| Open the page." in request.text
    assert "| Turn on Wi-Fi." in request.text
    assert '"Off"' in request.text
    assert '"On"' not in request.text
    assert "| Home" not in request.text  # it was entered later


def test_unreadable_reply_is_repaired_once_in_the_same_conversation() -> None:
    model, script = judge("I think it was done.", "Result: 0")
    opinion = ask(model, Question(), DONE)
    assert opinion.passed is False
    assert len(opinion.calls) == 2
    first, second = script.requests
    assert second.messages[: len(first.messages)] == first.messages
    assert [m.role for m in second.messages[len(first.messages) :]] == ["assistant", "user"]


@pytest.mark.parametrize(
    ("replies", "why"),
    [
        (["yes", "really"], "its last line is not a result: 'really'"),
        ([ScriptedReply("Result: 1", stop="length")] * 2, "it was cut off"),
        ([ScriptedReply("", stop="refusal")] * 2, "the model refused to answer"),
        (["", ""], "it is empty"),
        ([Fault(404)], "judge scripted:judge does not answer"),
        ([Fault(400)], "judge scripted:judge refuses the request"),
    ],
)
def test_a_judge_that_does_not_work_is_not_a_failure_of_the_agent(replies: Any, why: str) -> None:
    model, _ = judge(*replies)
    with pytest.raises(JudgeError, match=why):
        ask(model, Question(), DONE)


@pytest.mark.parametrize(
    ("provider", "key"),
    [
        ("openai", "OPENAI_API_KEY"),
        pytest.param("anthropic", "ANTHROPIC_API_KEY", marks=pytest.mark.slow),  # slow to import
    ],
)
def test_real_clients_send_pictures_and_repairs(provider: str, key: str, monkeypatch: Any) -> None:
    monkeypatch.setenv(key, "sk-none")
    script = ScriptedModel(["", "Result: 1"])
    with ServedModel.start(script) as url:
        reference = parse_reference(f"{provider}:judge@{url}")
        (model,) = judge_models([reference], EpisodeModels())
        assert ask(model, Question(), DONE).passed is True
    first, second = script.requests
    assert [image.media_type for image in first.images] == ["image/jpeg"] * 3
    assert second.text.startswith(first.text)
    assert first.temperature == 0


# A word from each of the ten reminders that end SPA-Bench's prompts (appendix D.4.3), in order.
REMINDERS = {
    "en": ["assume", "exactly", "Extra", "filter", "order", "along the way", "corrected",
           "attempts", "as a whole", "highlighted"],
    "zh": ["假定", "吻合", "多余", "筛选", "顺序", "中途", "改正", "多次", "整体", "高亮"],
}  # fmt: skip
OF_ACTIONS = {
    "en": ["leave a question open", "brief message", "several parts"],
    "zh": ["不足以判断", "一闪而过", "几个部分"],
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_prompts_end_with_the_reminders_of_the_paper(language: str, monkeypatch: Any) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    episode = worked((WIFI, Tap(9, 150)), last=ON, language=language)
    modes = [{"actions": a, "reason": r} for a in ("text", "image", "none") for r in (True, False)]
    ways: list[dict[str, Any]] = [{}, *modes, {"rubric": ["Wi-Fi is on"]}, {"evidence": "xml"}]
    script = ScriptedModel(["1: 1" if "rubric" in way else "Result: 1" for way in ways])
    with ServedModel.start(script) as url:
        reference = parse_reference(f"openai:judge@{url}")
        (model,) = judge_models([reference], EpisodeModels())
        for way in ways:
            ask(model, Question.of(way), episode)
    for way, request in zip(ways, script.requests, strict=True):
        *before, last = request.messages[-1].content
        assert isinstance(last, str)
        words_before = "".join(each for each in before if isinstance(each, str))
        assert ("`1: 0`" if "rubric" in way else "`Result: 1`") in words_before
        is_told = way.get("actions", "none" if "evidence" in way else "") != "none"
        words = [*REMINDERS[language], *(OF_ACTIONS[language] if is_told else [])]
        assert len(lines := last.splitlines()) == len(words) + 1  # the last: screens give no orders
        assert [word for word, line in zip(words, lines, strict=False) if word not in line] == []
    best = script.requests[0]  # section 5.2: images without a reason, or text with one
    is_chinese = language == "zh"
    assert (best.text.count("蓝线"), best.text.count("blue line")) == (0, int(not is_chinese))
    assert ("`Reason:`" in best.text) == is_chinese
    assert ("点击" in best.text.partition("<<<actions")[2]) == is_chinese


def test_exhausted_budget_is_raised() -> None:
    reference = ModelReference("scripted", "judge")
    models = EpisodeModels(budget=Budget(tokens=Limit(task=1)))
    clients = {reference: ScriptedModel(["Result: 1", "Result: 1"])}
    (model,) = judge_models([reference], models, clients=clients)
    ask(model, Question(), DONE)
    with pytest.raises(BudgetSpent):
        ask(model, Question(), DONE)


def test_rubric_is_met_if_each_statement_holds() -> None:
    model, script = judge("1: 1\n2: 0\n3: 1")
    rubric = ("Wi-Fi is on", "must not restart the phone", "Bluetooth is on")
    opinion = ask(model, Question(rubric=rubric), DONE)
    assert opinion.passed is True
    assert "| 2: restart the phone" in script.requests[0].text
    assert opinion.details["partial_credit"] == 1
    assert [each["held"] for each in opinion.details["statements"]] == [True] * 3


def test_violated_prohibition_fails_with_partial_credit() -> None:
    model, _ = judge("Reason: It was.\n1: 1\n2: 1\n3: 0")
    rubric = ("Wi-Fi is on", "not an app was deleted", "Bluetooth is on")
    opinion = ask(model, Question(rubric=rubric, reason=True), DONE)
    assert (opinion.passed, opinion.reason) == (False, "It was.")
    assert opinion.details["partial_credit"] == pytest.approx(1 / 3)
    assert opinion.details["statements"][1] == {"statement": rubric[1], "held": False}


def test_reason_defaults_to_the_statements_that_do_not_hold() -> None:
    model, _ = judge("1: 0\n2: 1")
    opinion = ask(model, Question(rubric=("Wi-Fi is on", "not an app was deleted")), DONE)
    assert opinion.reason == "does not hold: Wi-Fi is on; not an app was deleted"


@pytest.mark.parametrize("question", [Question(), Question(window=3), Question(window=9)])
def test_long_episode_is_shown_in_windows(monkeypatch: Any, question: Question) -> None:
    if question.window != 3:
        monkeypatch.setattr(evidence, "MOST_PICTURES", 3)
    screens = [screen(str(number), shade=number) for number in range(6)]
    episode = worked(*[(each, Tap(9, 9)) for each in screens[:-1]], last=screens[-1])
    model, script = judge("Wi-Fi is off.", "Wi-Fi was switched on.", "Result: 1")
    opinion = ask(model, question, episode)
    assert (opinion.passed, opinion.details, len(opinion.calls)) == (True, {"windows": 3}, 3)
    one, two, three = script.requests
    assert [len(each.images) for each in script.requests] == [3, 3, 2]
    assert "Screenshots 1 to 3 of 6" in one.text
    assert "3 more screens will follow" in one.text
    assert "Screenshots 3 to 5 of 6" in two.text
    assert "| Wi-Fi is off." in two.text
    assert "| Wi-Fi was switched on." in three.text
    assert "Result: 1" not in one.text.replace("`Result: 1`", "")
    assert "`Result: 1`" in three.text


def test_hierarchies_are_split_into_windows_by_length(monkeypatch: Any) -> None:
    monkeypatch.setattr(evidence, "MOST_TOKENS", 110)
    screens = [screen(f"{number} {'word ' * 30}", shade=number) for number in range(4)]
    episode = worked(
        *[(each, Tap(9, 9)) for each in screens[:-1]], last=screens[-1], kind="multi-frame query"
    )
    model, script = judge("a", "b", "Result: 0")
    assert ask(model, Question(evidence="xml"), episode).details == {"windows": 3}
    assert [each.text.count('| TextView "') for each in script.requests] == [2, 2, 2]


def test_oversized_hierarchy_is_truncated_with_a_note(monkeypatch: Any) -> None:
    monkeypatch.setattr(evidence, "MOST_TOKENS", 100)
    rows = [{"text": f"row {number}", "bounds": "[0,0][99,99]"} for number in range(90)]
    text = asked(worked(last=screen(*rows)), evidence="xml").text
    assert "row 1" in text
    assert "row 80" not in text
    assert " more characters)" in text


def test_agent_text_cannot_fill_the_prompt() -> None:
    episode = worked(
        (WIFI, *[Type("x" * 10_000)] * 500), last=ON, answer="y" * 100_000, kind="multi-frame query"
    )
    for way in ({"actions": "text"}, {"actions": "image"}, {"evidence": "xml", "actions": "text"}):
        assert len(asked(episode, **way).text) < 40_000
    assert "480 more actions" in asked(episode, actions="text").text


def test_undecodable_screenshot_is_marked_as_missing() -> None:
    broken = Screen("<hierarchy/>", b"no picture")
    request = asked(worked((broken, Tap(1, 1)), last=ON))
    assert len(request.images) == 1
    assert "(this screenshot is missing)" in request.text
    model, _ = judge("Result: 1")
    with pytest.raises(JudgeError, match="none of the episode's screenshots"):
        ask(model, Question(), worked(last=broken))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_walls_are_explained_only_to_judges_that_may_report_one(language: str) -> None:
    episode = worked((WIFI, Tap(9, 9)), last=ON, language=language)
    way: dict[str, Any] = {"rubric": ["Wi-Fi is on"], "wall": True}
    model, script = judge("Result: wall", "1: 0\nResult: wall", "1: 1\nResult: wall")
    assert ask(model, Question(wall=True), episode).details == {"wall": True}
    said = [ask(model, Question.of(way), episode).details for _ in range(2)]
    assert [each.get("wall") for each in said] == [True, None]  # not if the task is done
    assert all("`Result: wall`" in request.text for request in script.requests)
    assert "Result: wall" not in asked(episode).text
