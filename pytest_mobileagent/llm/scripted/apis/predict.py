"""The endpoints of small models: a plain one, or Gradio; and the list of models.

SPA-Bench serves Auto-UI, DigiRL, CogAgent and OdysseyAgent behind Gradio (ai-agents-2030/SPA-Bench,
framework/models/*/server.py). Their functions take text, a picture and optionally more text, and
return the reply and the numbers of input and output tokens. A client first uploads the picture,
then makes the call, and then reads the result as a stream of events; Gradio's own client joins a
queue instead. Gradio 3 had a single call that included the picture.

Programs ask OpenAI's, Anthropic's and Google's APIs for their lists of models before they begin.
"""

from __future__ import annotations

import re
from dataclasses import replace
from email import policy
from email.parser import BytesParser
from itertools import count
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm.model import Image, Message, Request
from pytest_mobileagent.llm.scripted import apis

if TYPE_CHECKING:
    from collections.abc import Iterator


class _FastApi(apis.Api):
    """Endpoints that are based on FastAPI, as Gradio is."""

    def error(self, status: int, words: str, code: str) -> Any:
        """Return an error in FastAPI's format."""
        return {"detail": words}


class Predict(_FastApi):
    """`POST …/predict` of `{"prompt": …, "images": [base64, …]}`."""

    def read(self, incoming: apis.Incoming) -> apis.ModelRequest | apis.Direct | None:
        """Return the request; further fields become its `extra`."""
        if incoming.method != "POST" or not incoming.path.endswith("/predict"):
            return None
        body = incoming.body()
        if "prompt" not in body:
            return None
        images = tuple(Image(apis.decoded(data)) for data in body.get("images", ()))
        message = Message("user", (str(body["prompt"]), *images))
        return apis.ModelRequest(
            Request((message,), extra=apis.rest(body, {"prompt", "images"})), "", body
        )

    def whole(self, outgoing: apis.Outgoing) -> Any:
        """Return the text, and the token counts if they are known."""
        given, _, output, _ = apis.total(outgoing)
        counts = {"input_tokens": given, "output_tokens": output} if given or output else {}
        return {"text": outgoing.reply.text, **counts}

    def stream(self, outgoing: apis.Outgoing) -> Iterator[bytes]:
        """Yield the whole answer in one piece, because these endpoints do not stream."""
        yield apis.event(self.whole(outgoing))


class Names(apis.Api):
    """`GET …/models` and `GET …/models/NAME`, for any name; errors are OpenAI's."""

    def __init__(self, model: str) -> None:
        self._model = model

    def read(self, incoming: apis.Incoming) -> apis.ModelRequest | apis.Direct | None:
        """Return the description of the model, or the list of models."""
        head, _, name = incoming.path.partition("/models")
        if incoming.method != "GET" or name.count("/") > 1 or "/models" not in incoming.path:
            return None
        known = _about(name.removeprefix("/") or self._model, google=head.endswith("beta"))
        if name.removeprefix("/"):
            return apis.Direct(known)
        ids = {"first_id": self._model, "last_id": self._model, "has_more": False}
        whole = {"object": "list", "data": [known], **ids}
        return apis.Direct({"models": [known]} if head.endswith("beta") else whole)


def _about(name: str, *, google: bool) -> dict[str, Any]:
    if google:
        methods = ["generateContent", "streamGenerateContent"]
        return {"name": f"models/{name}", "supportedGenerationMethods": methods}
    openai = {"id": name, "object": "model", "created": 0, "owned_by": "scripted"}
    return {**openai, "type": "model", "display_name": name, "created_at": "1970-01-01T00:00:00Z"}


_CALL = re.compile(r"(/gradio_api)?/call/predict(/(?P<event>[^/]+))?$")
_CONFIG = {
    "version": "5.49.1",
    "api_prefix": "/gradio_api",
    "protocol": "sse_v3",
    "connect_heartbeat": False,
    "components": [
        {"id": number, "type": kind, "api_info": {"type": "string"}}
        for number, kind in enumerate(["textbox", "image", *["textbox"] * 5])
    ],
    "dependencies": [
        {"id": 0, "api_name": "predict", "inputs": [0, 1, 2, 3], "outputs": [4, 5, 6]}
    ],
}


def _value(name: str, component: str = "Textbox", **more: Any) -> dict[str, Any]:
    """Return the description of a parameter or a result, for Gradio's own client."""
    kinds = {"type": {"type": "string"}, "python_type": {"type": "str", "description": ""}}
    return {"label": name, "component": component, **kinds, **more}


_PARAMETERS = [
    _value(
        name,
        "Image" if number == 1 else "Textbox",
        parameter_name=name,
        parameter_has_default=number > 0,
        parameter_default=None,
    )
    for number, name in enumerate(("query", "image_or_path", "third", "fourth"))
]
_RETURNS = [_value(name) for name in ("output", "input_tokens", "output_tokens")]
_INFO = {
    "named_endpoints": {"/predict": {"parameters": _PARAMETERS, "returns": _RETURNS}},
    "unnamed_endpoints": {},
}
_OLD = re.compile(r"/(api|run)/predict/?$")


class Gradio(_FastApi):
    """`POST …/upload`, `POST …/call/predict`, `GET …/call/predict/EVENT`; `POST …/api/predict`.

    For Gradio's own client: `GET /config` and `…/info`, `POST …/queue/join`, `GET …/queue/data`.
    """

    def __init__(self) -> None:
        self._numbers = count(1)
        self._files: dict[str, Image] = {}
        self._called: dict[str, apis.ModelRequest] = {}

    def read(self, incoming: apis.Incoming) -> apis.ModelRequest | apis.Direct | None:
        """Return the request to the model, on the second HTTP request, which fetches the result."""
        known = {"/config": _CONFIG, "/gradio_api/info": _INFO}
        if incoming.method == "GET" and incoming.path in known:
            return apis.Direct(known[incoming.path])
        if incoming.method == "POST" and incoming.path.endswith("/upload"):
            return apis.Direct([self._store(image) for image in _uploaded(incoming)])
        if incoming.method == "POST" and _OLD.search(incoming.path):
            return self._asked(incoming.body()["data"], stream=False)
        return self._begun(incoming) if incoming.method == "POST" else self._ended(incoming)

    def whole(self, outgoing: apis.Outgoing) -> Any:
        """Return the function's result in the format of Gradio 3."""
        return {"data": _returned(outgoing), "is_generating": False, "duration": 0.1}

    def stream(self, outgoing: apis.Outgoing) -> Iterator[bytes]:
        """Yield the function's result in one event."""
        if queued := outgoing.asked.body["queued"]:
            ended = {"msg": "process_completed", "event_id": queued, "success": True}
            yield apis.event({**ended, "output": self.whole(outgoing)})
            yield apis.event({"msg": "close_stream", "event_id": None})
            return
        yield apis.event("null", "heartbeat")
        yield apis.event(_returned(outgoing), "complete")

    def _begun(self, incoming: apis.Incoming) -> apis.Direct | None:
        """Record a call, and return the id for fetching its result; None if this is no call."""
        queue = incoming.path.endswith("/queue/join")
        if not queue and not _CALL.search(incoming.path):
            return None
        body, name = incoming.body(), f"event{next(self._numbers)}"
        asked = self._asked(body["data"], stream=True)
        key = str(body["session_hash"]) if queue else name
        self._called[key] = replace(asked, body={"queued": name if queue else ""})
        return apis.Direct({"event_id": name})

    def _ended(self, incoming: apis.Incoming) -> apis.ModelRequest | None:
        if incoming.path.endswith("/queue/data"):
            return self._called.pop(incoming.query.get("session_hash", ""), None)
        path = _CALL.search(incoming.path)
        return self._called.pop(path["event"] or "", None) if path else None

    def _store(self, image: Image) -> str:
        path = f"/tmp/gradio/{next(self._numbers)}/image"  # noqa: S108 - no file is written
        self._files[path] = image
        return path

    def _asked(self, inputs: list[Any], *, stream: bool) -> apis.ModelRequest:
        content = tuple(self._input(value) for value in inputs if value is not None)
        return apis.ModelRequest(Request((Message("user", content),), stream=stream))

    def _input(self, value: Any) -> str | Image:
        if isinstance(value, dict):
            return self._files.get(value.get("path") or "") or apis.image_of(value["url"])
        return apis.image_of(value) if isinstance(value, str) else str(value)


def _uploaded(incoming: apis.Incoming) -> list[Image]:
    head = f"Content-Type: {incoming.content_type}\r\n\r\n".encode()
    form = BytesParser(policy=policy.HTTP).parsebytes(head + incoming.data)
    files: list[Any] = [part.get_payload(decode=True) for part in form.iter_parts()]
    return [Image(file) for file in files]


def _returned(outgoing: apis.Outgoing) -> list[Any]:
    return [outgoing.reply.text, outgoing.reply.input_tokens, outgoing.reply.output_tokens]
