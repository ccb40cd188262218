"""Plain prediction endpoints and Gradio: how they are told apart, and what they receive."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mobileagent.llm.clients.predict import Predict
from pytest_mobileagent.llm.model import Image, Message, ProviderBusyError, Request, Usage
from pytest_mobileagent.testing import Fault, ScriptedModel, ScriptedReply

from .conftest import Answering

PNG = Image(b"\x89PNG picture")
ASKED = Request((Message("user", ("What now?", PNG)),))


def client(*answers: Any, url: str = "http://127.0.0.1:1") -> tuple[Predict, Answering]:
    made = Predict("auto-ui", url, "key")
    return made, Answering(made, list(answers))


def test_plain_endpoint_gets_prompt_pictures_and_extra_fields():
    request = Request(ASKED.messages, extra={"history": ["tap"]})
    made, heard = client({"text": "so", "input_tokens": 9}, url="http://127.0.0.1:1/v2/ask")
    answer = made.ask(request)
    assert (answer.text, answer.usage) == ("so", Usage(9, None))
    images = ["iVBORyBwaWN0dXJl"]
    assert heard.bodies == [{"prompt": "What now?", "images": images, "history": ["tap"]}]
    assert heard.headers[0]["authorization"] == "Bearer key"


@pytest.mark.parametrize("config", [(404, {}), {"other": 1}, (200, "no JSON"), {}])
def test_url_without_path_is_a_plain_endpoint_unless_gradio_answers(config):
    made, heard = client(config, {"text": "so"}, {"text": "again"})
    assert [made.ask(ASKED).text, made.ask(ASKED).text] == ["so", "again"]
    assert heard.bodies[0] is None
    assert heard.bodies[1]["prompt"] == "What now?"
    assert len(heard.bodies) == 3


@pytest.mark.parametrize(
    ("version", "prefix", "name"),
    [("6.31.0", "/gradio_api", "chat_with_image"), ("5.49.1", "/gradio_api", "predict"),
     ("4.44.0", None, "predict")],
)  # fmt: skip
def test_each_gradio_version_is_called_its_own_way(version, prefix, name):
    functions = [{"api_name": False}, {"api_name": name}, {"api_name": "flag"}]
    config = {"version": version, "api_prefix": prefix, "dependencies": functions}
    result = 'event: heartbeat\ndata: null\n\nevent: complete\ndata: ["so\\n\\nbe it", 9, 2]\n\n'
    made, heard = client(config, ["/tmp/x.png"], {"event_id": "e1"}, result)
    answer = made.ask(Request(ASKED.messages, extra={"inputs": ["history"]}))
    assert (answer.text, answer.usage) == ("so\n\nbe it", Usage(9, 2))
    picture = {"path": "/tmp/x.png", "meta": {"_type": "gradio.FileData"}}
    assert heard.bodies[2] == {"data": ["What now?", picture, "history"]}
    begun = prefix or ""
    assert heard.paths == [
        "/config",
        f"{begun}/upload",
        f"{begun}/call/{name}",
        f"{begun}/call/{name}/e1",
    ]


def test_gradio_3_gets_the_picture_inside_the_call():
    config = {"version": "3.50.2", "dependencies": [{"api_name": "predict"}]}
    made, heard = client(config, {"data": ["so", None, None]})
    assert made.ask(ASKED).usage == Usage()
    assert heard.bodies[1] == {"data": ["What now?", "data:image/png;base64,iVBORyBwaWN0dXJl"]}


@pytest.mark.parametrize(
    ("result", "problem"),
    [
        ('event: error\ndata: "no memory"\n\n', "its function failed: .*no memory"),
        ("event: heartbeat\ndata: null\n\n", "ended before the reply was complete"),
        ("event: complete\ndata: [\n\n", "cannot be read"),
    ],
)
def test_failed_gradio_call_is_an_error(result, problem):
    config = {"version": "5.0.0", "dependencies": [{"api_name": "predict"}]}
    made, _ = client(config, ["/tmp/x.png"], {"event_id": "e1"}, result)
    with pytest.raises(ProviderBusyError, match=problem):
        made.ask(ASKED)


def test_scripted_model_can_be_served_as_gradio(connect):
    reply = ScriptedReply("so", input_tokens=9, output_tokens=2)
    model = ScriptedModel([reply, Fault(503), "again"])
    with model.serve() as url:
        made = connect.at(Predict, url.address, key=url.key)
        assert made.ask(ASKED).usage == Usage(9, 2)
        with pytest.raises(ProviderBusyError, match="503"):
            made.ask(ASKED)
        assert made.ask(ASKED).text == "again"
    assert model.requests[0].images[0].data == PNG.data


@pytest.mark.parametrize("answer", [{"text": 3}, {}, [], "x"])
def test_an_invalid_answer_is_refused(answer):
    made, _ = client(answer, url="http://127.0.0.1:1/predict")
    with pytest.raises(ProviderBusyError):
        made.ask(ASKED)
