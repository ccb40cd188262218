"""A plain endpoint of a model of one's own: words and pictures in, words out.

The list of models, which programs ask for before they begin: OpenAI's, Anthropic's, Google's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm.model import Image, Message, Request
from pytest_mobileagent.llm.scripted.apis.api import (
    Api,
    Asked,
    Direct,
    Incoming,
    Told,
    decoded,
    event,
    rest,
    total,
)
from pytest_mobileagent.llm.scripted.apis.openai_chat import openai_error

if TYPE_CHECKING:
    from collections.abc import Iterator


class Predict(Api):
    """`POST …/predict` of `{"prompt": …, "images": [base64, …]}`."""

    def read(self, incoming: Incoming) -> Asked | Direct | None:
        """Return what is asked; further fields are the request's `extra`."""
        if incoming.method != "POST" or not incoming.path.endswith("/predict"):
            return None
        body = incoming.body()
        if "prompt" not in body:
            return None
        images = tuple(Image(decoded(data)) for data in body.get("images", ()))
        message = Message("user", (str(body["prompt"]), *images))
        return Asked(Request((message,), extra=rest(body, {"prompt", "images"})), "", body)

    def whole(self, told: Told) -> Any:
        """Return the text, with the tokens if they are known."""
        given, _, output, _ = total(told)
        counts = {"input_tokens": given, "output_tokens": output} if given or output else {}
        return {"text": told.reply.text, **counts}

    def stream(self, told: Told) -> Iterator[bytes]:
        """Yield the same in one piece: these endpoints do not stream."""
        yield event(self.whole(told))

    def error(self, status: int, words: str, code: str) -> Any:  # noqa: ARG002 - it says no more
        """Return an error, as FastAPI puts it."""
        return {"detail": words}


class Names(Api):
    """`GET …/models` and `GET …/models/NAME`; any name is known."""

    def __init__(self, model: str) -> None:
        self._model = model

    def read(self, incoming: Incoming) -> Asked | Direct | None:
        """Return what is known of the models."""
        head, _, name = incoming.path.partition("/models")
        if incoming.method != "GET" or name.count("/") > 1 or "/models" not in incoming.path:
            return None
        known = _about(name.removeprefix("/") or self._model, google=head.endswith("beta"))
        if name.removeprefix("/"):
            return Direct(known)
        ids = {"first_id": self._model, "last_id": self._model, "has_more": False}
        whole = {"object": "list", "data": [known], **ids}
        return Direct({"models": [known]} if head.endswith("beta") else whole)

    def whole(self, told: Told) -> Any:
        """Return nothing: no model is asked here."""
        raise NotImplementedError

    def stream(self, told: Told) -> Iterator[bytes]:
        """Yield nothing: no model is asked here."""
        raise NotImplementedError

    def error(self, status: int, words: str, code: str) -> Any:
        """Return an error of OpenAI, for all paths that no API knows."""
        return openai_error(status, words, code)


def _about(name: str, *, google: bool) -> dict[str, Any]:
    if google:
        methods = ["generateContent", "streamGenerateContent"]
        return {"name": f"models/{name}", "supportedGenerationMethods": methods}
    openai = {"id": name, "object": "model", "created": 0, "owned_by": "scripted"}
    return {**openai, "type": "model", "display_name": name, "created_at": "1970-01-01T00:00:00Z"}
