"""A plain endpoint of a model of one's own: words and pictures in, words out."""

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
