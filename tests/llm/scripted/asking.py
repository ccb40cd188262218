"""Requests to a served model in the format of each API, over plain HTTP."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.request import ProxyHandler, Request, build_opener

from pytest_mobileagent.testing import ScriptedModel, ScriptedReply, ToolCall

PNG = b"\x89PNG picture"
BASE64 = base64.b64encode(PNG).decode()
DATA_URL = f"data:image/png;base64,{BASE64}"
COUNTED = ScriptedReply("so be it", input_tokens=100, output_tokens=7, cached_tokens=40)
TOOLS = ScriptedReply("I tap", [ToolCall("c1", "tap", {"x": 1, "y": 2})], input_tokens=5)

ASKED: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {
        "model": "m",
        "max_tokens": 9,
        "messages": [
            {"role": "system", "content": "Be short."},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "What now?"},
                    {"type": "image_url", "image_url": {"url": DATA_URL, "detail": "low"}},
                ],
            },
        ],
    },
    "/v1/responses": {
        "model": "m",
        "max_output_tokens": 9,
        "instructions": "Be short.",
        "input": [
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "What now?"},
                    {"type": "input_image", "image_url": DATA_URL, "detail": "low"},
                ],
            }
        ],
    },
    "/v1/messages": {
        "model": "m",
        "max_tokens": 9,
        "system": "Be short.",
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "What now?"},
                    {
                        "type": "image",
                        "source": {"type": "base64", "media_type": "image/png", "data": BASE64},
                    },
                ],
            }
        ],
    },
    "/v1beta/models/m:generateContent": {
        "system_instruction": {"parts": [{"text": "Be short."}]},
        "generationConfig": {"maxOutputTokens": 9},
        "contents": [
            {
                "role": "user",
                "parts": [
                    {"text": "What now?"},
                    {"inline_data": {"mime_type": "image/png", "data": BASE64}},
                ],
            }
        ],
    },
}
STREAMED = {
    "/v1/chat/completions": "/v1/chat/completions",
    "/v1/responses": "/v1/responses",
    "/v1/messages": "/v1/messages",
    "/v1beta/models/m:generateContent": "/v1beta/models/m:streamGenerateContent?alt=sse",
}
CHAT, RESPONSES, MESSAGES, GEMINI = ASKED


def fetch(url: str, body: Any = None, method: str = "POST") -> bytes:
    data = None if body is None else json.dumps(body).encode()
    request = Request(url, data, {"Content-Type": "application/json"}, method=method)
    with build_opener(ProxyHandler({})).open(request) as response:
        return bytes(response.read())


def answer(model: ScriptedModel, path: str, **more: Any) -> Any:
    with model.serve() as url:
        return json.loads(fetch(url + path, {**ASKED[path], **more}))


def events(model: ScriptedModel, path: str, **more: Any) -> list[Any]:
    stream = {} if path == GEMINI else {"stream": True}
    with model.serve() as url:
        text = fetch(url + STREAMED[path], {**ASKED[path], **stream, **more}).decode()
    data = [line.removeprefix("data: ") for line in text.split("\n") if line.startswith("data: ")]
    return [each if each == "[DONE]" else json.loads(each) for each in data]
