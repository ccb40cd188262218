"""The scripted model, used in process."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from pytest_mobileagent.llm.model import (
    Image,
    Message,
    ProviderBusyError,
    ProviderError,
    Request,
    RequestRefusedError,
    Usage,
)
from pytest_mobileagent.testing import Fault, ScriptedModel, ScriptedReply, ToolCall, When


def asked(*words: str, images: int = 0, stream: bool = False) -> Request:
    pictures = tuple(Image(b"\x89PNG") for _ in range(images))
    return Request((Message("user", (*words, *pictures)),), stream=stream)


def wrong(value: object) -> Any:
    return value


def test_plain_replies_are_used_in_order_and_requests_recorded():
    model = ScriptedModel(["one", "two"], model="gpt-4o")
    answers = [model.ask(asked("first")), model.ask(asked("second", images=1))]
    assert [answer.text for answer in answers] == ["one", "two"]
    assert answers[0].model == "gpt-4o"
    assert answers[0].usage == Usage()
    assert [request.text for request in model.requests] == ["first", "second"]
    assert len(model.requests[1].images) == 1


def test_exhausted_replies_are_an_error_with_the_request():
    model = ScriptedModel(["one"])
    model.ask(asked("first"))
    with pytest.raises(RequestRefusedError) as caught:
        model.ask(asked("and then?", images=2))
    assert str(caught.value) == (
        "the scripted model has no reply left: all 1 reply were used before this request, "
        "with 2 picture(s): 'and then?'"
    )
    assert len(model.requests) == 2


def test_first_matching_conditional_reply_takes_precedence():
    model = ScriptedModel(
        ["plain", When("red apple", ["a red apple", "again"]), When("apple", "an apple"), "last"]
    )
    words = ["What?", "apple", "a red apple", "red apple", "apple", "Well?"]
    said = [model.ask(asked(each)).text for each in words]
    assert said == ["plain", "an apple", "a red apple", "again", "an apple", "last"]
    with pytest.raises(RequestRefusedError, match="all 2 replies were used"):
        model.ask(asked("red apple"))


def test_function_reply_sees_the_request():
    model = ScriptedModel([When("", lambda request: f"{len(request.text)} letters")])
    assert [model.ask(asked(word)).text for word in ("a", "bcd")] == ["1 letters", "3 letters"]


def test_a_reply_may_have_tokens_tools_and_a_stop_reason():
    call = ToolCall("1", "tap", {"x": 3})
    told = ScriptedReply("so", [call], input_tokens=9, output_tokens=2, cached_tokens=4)
    model = ScriptedModel([told, ScriptedReply("no", stop="refusal")])
    answer = model.ask(asked("x", stream=True))
    assert (answer.tool_calls, answer.stop, answer.usage) == ((call,), "tools", Usage(9, 2, 4))
    assert answer.seconds_to_first is not None
    assert model.ask(asked("x")).stop == "refusal"


@pytest.mark.parametrize(
    ("fault", "error"),
    [("timeout", ProviderBusyError), ("quota", ProviderError), (400, RequestRefusedError)],
)
def test_fault_raises_a_client_error_once(fault, error):
    model = ScriptedModel([Fault(fault), "after all"])
    with pytest.raises(error) as caught:
        model.ask(asked("x"))
    assert type(caught.value) is error
    assert model.ask(asked("x")).text == "after all"
    assert len(model.requests) == 2


def test_slow_model_delays_the_next_reply():
    model = ScriptedModel([Fault("slow", after=0.02), ScriptedReply("so", seconds_to_first=0.01)])
    answer = model.ask(asked("x", stream=True))
    assert answer.text == "so"
    assert answer.seconds_to_first is not None
    assert answer.seconds_to_first >= 0.03
    assert len(model.requests) == 1


def test_fresh_copy_starts_again_independently():
    model = ScriptedModel(["one", When("x", ["ex"])])
    model.ask(asked("y"))
    model.ask(asked("x"))
    fresh = model.fresh()
    assert [fresh.ask(asked("y")).text, fresh.ask(asked("x")).text] == ["one", "ex"]
    assert len(model.requests) == len(fresh.requests) == 2


def test_threads_get_each_reply_once():
    model = ScriptedModel([str(number) for number in range(200)])
    said: list[str] = []
    threads = [
        threading.Thread(target=lambda: said.extend(model.ask(asked("x")).text for _ in range(50)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(said, key=int) == [str(number) for number in range(200)]


@pytest.mark.parametrize(
    ("replies", "problem"),
    [
        ("one", "needs a list of replies, not 'one'"),
        (["one", 3], "3 is not a reply: "),
        ([When("x", wrong(["a", None]))], "None is not a reply: "),
    ],
)
def test_an_invalid_reply_is_refused_at_once(replies, problem):
    with pytest.raises(TypeError, match=problem):
        ScriptedModel(replies)


def test_a_function_must_return_a_reply():
    with pytest.raises(TypeError, match="7 is not a reply: "):
        ScriptedModel([lambda request: wrong(7)]).ask(asked("x"))


def test_unknown_faults_and_stop_reasons_are_refused():
    with pytest.raises(ValueError, match="'broken' is not a fault: pass a status from 400"):
        Fault(wrong("broken"))
    with pytest.raises(ValueError, match="a reply cannot have stop= 'why': 'end', 'tools'"):
        ScriptedReply("x", stop=wrong("why"))


def test_a_file_of_json_lines_is_equivalent(tmp_path):
    file = tmp_path / "replies.jsonl"
    file.write_text(
        '# a solved task\n"tap 1 2"\n\n'
        '{"reply": "I would", "stop": "length", "input_tokens": 900}\n'
        '{"when": "Summarize", "reply": ["first", {"reply": "second", "output_tokens": 3}]}\n'
        '{"when": "Zusammenfassung – bitte", "reply": "gern"}\n'
        '{"fault": 429, "retry_after": 0}\n{"fault": "slow", "after": 0}\n'
        '{"tool_calls": [{"name": "tap", "arguments": {"x": 1}}]}\n'
    )
    model = ScriptedModel.load(file, model="m")
    assert model.replies == (
        "tap 1 2",
        ScriptedReply("I would", stop="length", input_tokens=900),
        When("Summarize", ["first", ScriptedReply("second", output_tokens=3)]),
        When("Zusammenfassung – bitte", "gern"),
        Fault(429, retry_after=0),
        Fault("slow", after=0),
        ScriptedReply("", [ToolCall("call_tap", "tap", {"x": 1})]),
    )
    assert model.model == "m"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("tap", "Expecting value: line 1 column 1"),
        ("3", "not a reply: 3; give a text,"),
        ('{"reply": 3}', 'not a reply: {"reply": 3}'),
        ('{"reply": "x", "stopp": "length"}', "not a reply: "),
        ('{"reply": "x", "stop": "long"}', "a reply cannot have stop= 'long'"),
        ('{"reply": "x", "input_tokens": "9"}', "'input_tokens' must be a number, not \"9\""),
        ('{"fault": 200}', "200 is not a fault: "),
        ('{"fault": "later"}', "'later' is not a fault: "),
        ('{"when": 3, "reply": "x"}', "'when' must be a string, not 3"),
        ('{"when": "a"}', "not a reply: {}"),
        ('{"when": "one", "reply": "x"}', "line 1 has the same `when`"),
        ('{"when": "a", "reply": ["x"], "stop": "length"}', "beside a list of replies"),
        ('{"reply": "", "tool_calls": [{"name": "x"}]}', 'not a tool call: {"name": "x"}'),
        ("[" * 200_000, "line 2: it is nested too deeply"),
    ],
)
def test_invalid_line_error_names_file_and_line(tmp_path, line, problem):
    file = tmp_path / "replies.jsonl"
    file.write_text(f'{{"when": "one", "reply": "two"}}\n{line}\n')
    with pytest.raises(ValueError, match=r"replies\.jsonl, line 2: ") as caught:
        ScriptedModel.load(file)
    assert problem in str(caught.value)


def test_a_request_without_a_matching_reply_is_reported():
    model = ScriptedModel([When("alarm", "tap"), When("timer", "tap")])
    with pytest.raises(RequestRefusedError, match="none of the texts that its replies wait for"):
        model.ask(Request((Message("user", ("Open Notes",)),)))
