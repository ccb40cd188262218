"""The scripted model over HTTP: the bodies of its responses in each API."""

from __future__ import annotations

import base64
import http.client
import json
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, Request, build_opener

import pytest

from pytest_mobileagent.testing import ScriptedModel, ScriptedReply, ToolCall
from tests.llm.scripted.asking import (
    ASKED,
    BASE64,
    CHAT,
    COUNTED,
    DATA_URL,
    GEMINI,
    MESSAGES,
    PNG,
    RESPONSES,
    TOOLS,
    answer,
    events,
    fetch,
)
from tests.refusals import refused


@pytest.mark.parametrize("path", ASKED)
def test_each_api_yields_the_same_request(path):
    model = ScriptedModel(["so"])
    answer(model, path)
    [request] = model.requests
    system, user = request.messages
    assert (system.role, system.text) == ("system", "Be short.")
    assert (user.role, user.text, user.images[0].data) == ("user", "What now?", PNG)
    assert (request.max_tokens, request.stream, request.extra) == (9, False, {})


def test_namespaced_tool_is_called_in_its_namespace():
    calls = [ToolCall("c1", "mcp__phone__tap", {}), ToolCall("c2", "look", {})]
    offered = [{"type": "namespace", "name": "mcp__phone", "description": "", "tools": []}]
    model = ScriptedModel([ScriptedReply("", calls)])
    first, second = answer(model, "/v1/responses", tools=offered)["output"]
    assert (first["namespace"], first["name"]) == ("mcp__phone", "tap")
    assert (second.get("namespace"), second["name"]) == (None, "look")


def test_instructions_may_appear_in_mid_conversation():
    model = ScriptedModel(["so"])
    roles = ["user", "assistant", "system"]
    said = [{"role": role, "content": role} for role in roles]
    answer(model, "/v1/messages", messages=said, system="")
    assert [message.role for message in model.requests[0].messages][-3:] == roles


def test_chat_stream_counts_tokens_only_on_request():
    plain = events(ScriptedModel([COUNTED]), CHAT)
    assert plain[-1] == "[DONE]"
    assert "".join(e["choices"][0]["delta"].get("content", "") for e in plain[:-1]) == "so be it"
    assert plain[-2]["choices"][0]["finish_reason"] == "stop"
    assert not any("usage" in chunk for chunk in plain[:-1])
    counted = events(ScriptedModel([COUNTED]), CHAT, stream_options={"include_usage": True})
    assert counted[-2]["choices"] == []
    assert counted[-2]["usage"]["completion_tokens"] == 7
    assert all(chunk["usage"] is None for chunk in counted[:-2])


def test_gemini_response_has_googles_format():
    body = answer(ScriptedModel([COUNTED]), GEMINI)
    [candidate] = body["candidates"]
    assert candidate["content"] == {"parts": [{"text": "so be it"}], "role": "model"}
    assert candidate["finishReason"] == "STOP"
    assert body["usageMetadata"] == {
        "promptTokenCount": 100,
        "candidatesTokenCount": 7,
        "totalTokenCount": 107,
        "cachedContentTokenCount": 40,
    }
    parts = answer(ScriptedModel([TOOLS]), GEMINI)["candidates"][0]["content"]["parts"]
    assert parts[1]["functionCall"] == {"id": "c1", "name": "tap", "args": {"x": 1, "y": 2}}


def test_gemini_streams_events_or_one_list():
    said = events(ScriptedModel([COUNTED]), GEMINI)
    assert all(chunk["usageMetadata"]["totalTokenCount"] == 107 for chunk in said)
    with ScriptedModel([COUNTED]).serve() as url:
        path = "/v1beta/models/m:streamGenerateContent"
        listed = json.loads(fetch(url + path, ASKED[GEMINI]))
    assert [[p["text"] for p in c["candidates"][0]["content"]["parts"]] for c in listed] == [
        [p["text"] for p in c["candidates"][0]["content"]["parts"]] for c in said
    ]
    texts = [c["candidates"][0]["content"]["parts"][0]["text"] for c in listed]
    assert "".join(texts) == "so be it"


def test_gemini_accepts_pictures_like_its_sdk_sends_them():
    picture = b"\xfb\xff\xfe"
    data = {"data": base64.urlsafe_b64encode(picture).decode(), "mimeType": "image/png"}
    model = ScriptedModel(["Milk"])
    answer(model, GEMINI, contents=[{"role": "user", "parts": [{"inlineData": data}]}])
    assert [image.data for image in model.requests[0].images] == [picture]


def test_gemini_function_calls_and_results_are_read():
    model = ScriptedModel(["so"])
    contents = [
        {"role": "model", "parts": [{"functionCall": {"name": "tap", "args": {"a_b": 1}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "tap", "response": {"ok": 1}}}]},
    ]
    declared = [{"name": "tap", "parameters": {"type": "object"}}]
    more = {"tools": [{"function_declarations": declared}, {"googleSearch": {}}]}
    answer(model, GEMINI, contents=contents, **more)
    [request] = model.requests
    assert request.messages[1].tool_calls == (ToolCall("tap", "tap", {"a_b": 1}),)
    assert (request.messages[2].answers, request.messages[2].text) == ("tap", '{"ok": 1}')
    assert [tool.name for tool in request.tools] == ["tap", "googleSearch"]


KEYED = {
    "OpenAI's": (CHAT, "Authorization", "Bearer {}"),
    "Anthropic's": (MESSAGES, "x-api-key", "{}"),
    "Azure's": (RESPONSES, "api-key", "{}"),
    "Gemini's": (GEMINI, "x-goog-api-key", "{}"),
}


@pytest.mark.parametrize(("path", "header", "value"), KEYED.values(), ids=KEYED)
def test_request_needs_the_servers_key(path, header, value):
    model = ScriptedModel(["so"])
    with model.serve() as url, ScriptedModel([]).serve() as other:
        data, place = json.dumps(ASKED[path]).encode(), f"{url.address}{path}"
        plain = build_opener(ProxyHandler({}))
        for given in ({}, {header: value.format("x")}, {header: value.format(other.key)}):
            with refused(401) as refusal:
                plain.open(Request(place, data, given))
            said = json.loads(refusal.body)
            assert said["error"]["message"] == "the key of this scripted model is missing or wrong"
        assert model.requests == []  # and no reply is used up
        with plain.open(Request(place, data, {header: value.format(url.key)})) as response:
            assert response.status == 200
    assert len(model.requests) == 1


def test_key_may_be_in_the_url():
    with ScriptedModel(["one", "two"]).serve() as url:
        assert url == f"{url.address}/{url.key}"
        assert fetch(f"{url}{CHAT}", ASKED[CHAT])
        assert fetch(f"{url.address}{GEMINI}?key={url.key}", ASKED[GEMINI])
        for wrong in (f"{url.address}/models", f"{url.address}/{url.key}x/models", url.address):
            with refused(401):
                fetch(wrong, method="GET")
        with refused(404) as refusal:
            fetch(f"{url}/nowhere", method="GET")
        assert url.key not in refusal.body.decode()


def test_plain_endpoint_predicts():
    model = ScriptedModel([COUNTED, "uncounted"])
    with model.serve() as url:
        asked = {"prompt": "What now?", "images": [BASE64], "beams": 4}
        said = json.loads(fetch(f"{url}/predict", asked))
        assert said == {"text": "so be it", "input_tokens": 100, "output_tokens": 7}
        assert json.loads(fetch(f"{url}/predict", asked)) == {"text": "uncounted"}
    assert model.requests[0].images[0].data == PNG
    assert model.requests[0].extra == {"beams": 4}


def test_gradio_is_called_before_its_result_is_fetched():
    model = ScriptedModel([COUNTED])
    with model.serve() as url:
        place = urlsplit(url)
        connection = http.client.HTTPConnection(place.hostname or "", place.port)
        form = (
            b'--b\r\nContent-Disposition: form-data; name="files"; filename="x.png"\r\n'
            b"Content-Type: image/png\r\n\r\n" + PNG + b"\r\n--b--\r\n"
        )
        kind = {"Content-Type": "multipart/form-data; boundary=b"}
        connection.request("POST", f"{place.path}/upload", form, kind)
        [path] = json.loads(connection.getresponse().read())
        picture = {"path": path, "meta": {"_type": "gradio.FileData"}}
        called = json.loads(
            fetch(f"{url}/call/predict", {"data": ["What now?", picture, "history"]})
        )
        result = fetch(f"{url}/call/predict/{called['event_id']}", method="GET")
        assert b'event: complete\ndata: ["so be it", 100, 7]\n\n' in result
        with refused(404):
            fetch(f"{url}/call/predict/{called['event_id']}", method="GET")
    [request] = model.requests
    assert (request.text, request.images[0].data) == ("What now?\nhistory", PNG)


def test_gradios_client_joins_a_queue():
    with ScriptedModel([COUNTED]).serve() as url:
        config = json.loads(fetch(f"{url}/config", method="GET"))
        info = json.loads(fetch(f"{url}{config['api_prefix']}/info", method="GET"))
        assert (config["protocol"], list(info["named_endpoints"])) == ("sse_v3", ["/predict"])
        queue = f"{url}{config['api_prefix']}/queue"
        asked = {"data": ["What now?", None], "fn_index": 0, "session_hash": "abc"}
        name = json.loads(fetch(f"{queue}/join", asked))["event_id"]
        lines = fetch(f"{queue}/data?session_hash=abc", method="GET").decode().split("\n\n")
        done, closed = (json.loads(line.removeprefix("data: ")) for line in lines[:2])
    assert (done["msg"], done["event_id"], done["success"]) == ("process_completed", name, True)
    assert done["output"]["data"] == ["so be it", 100, 7]
    assert closed["msg"] == "close_stream"


def test_gradio_3_uses_a_single_call():
    model = ScriptedModel([COUNTED])
    with model.serve() as url:
        body = json.loads(fetch(f"{url}/api/predict/", {"data": ["What now?", DATA_URL]}))
    assert body["data"] == ["so be it", 100, 7]
    assert model.requests[0].images[0].data == PNG


def test_any_model_name_is_served():
    with ScriptedModel([], model="m").serve() as url:
        assert json.loads(fetch(f"{url}/v1/models", method="GET"))["data"][0]["id"] == "m"
        assert json.loads(fetch(f"{url}/v1/models/other", method="GET"))["id"] == "other"
        names = json.loads(fetch(f"{url}/v1beta/models", method="GET"))["models"]
        assert names[0]["name"] == "models/m"
        with refused(404):
            fetch(f"{url}/v1/else", method="GET")
