"""Where the calls of a program go: to its own providers, or to a model that stands in for them."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.llm.providers import endpoint_of, key_of, provider_of
from pytest_mobileagent.program.http.upstream import Origin
from pytest_mobileagent.program.models.hosts import seller_of
from pytest_mobileagent.program.models.usage import Seller

if TYPE_CHECKING:
    from pytest_mobileagent.llm.reference import ModelReference
    from pytest_mobileagent.llm.scripted.server import ServedModel
    from pytest_mobileagent.program.models.apis import RecordedApi

# Where a scripted model and the providers' endpoints speak the APIs.
_SCRIPTED = {"chat": "/v1/chat/completions", "responses": "/v1/responses"}
_SCRIPTED |= {"anthropic": "/v1/messages"}
_ENDPOINTS = {
    ("chat", "chat"): "/chat/completions",
    ("chat", "completions"): "/completions",
    ("chat", "embeddings"): "/embeddings",
    ("responses", "responses"): "/responses",
    ("anthropic", "anthropic"): "/v1/messages",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a request goes: a server, the target there, and what the provider is called."""

    origin: Origin
    target: str
    provider: str

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]


class StandIn:
    """What answers in the place of all providers: a script, an endpoint for its API, or nothing.

    Raises:
        OSError, ValueError: the script cannot be read, or there is no endpoint.
    """

    def __init__(self, model: ModelReference | None) -> None:
        self._model = model
        self._served = None if model is None else _serve(model)

    @property
    def is_scripted(self) -> bool:
        """Whether a script answers, which needs no key."""
        return self._served is not None

    @property
    def key(self) -> str:
        """The key of the model that answers; empty if there is none, or it needs none."""
        with contextlib.suppress(ValueError):
            return "" if self._model is None else key_of(self._model)
        return ""

    def close(self) -> None:
        """Stop serving a script."""
        if self._served is not None:
            self._served.close()

    def seller(self, place: Place, name: str) -> Seller:
        """Return who sells a model of a name at a place."""
        if self._served is not None and self._model is not None:
            return Seller("scripted", self._model.name)
        if self._model is not None:
            provider = self._model.provider
            return Seller(provider, name or self._model.name, seller_of(provider))
        return Seller(place.provider, name or "unknown", seller_of(place.provider))

    def instead(self, api: RecordedApi | None, place: Place) -> Place:
        """Return where a request goes if another model answers it."""
        if self._model is None:
            return place
        query = place.target[len(place.path) :]
        if self._served is not None:
            path = _SCRIPTED.get(api.name, place.path) if api else place.path
            # The key is added here: the program has none, and no record of what it asked.
            target = f"/{self._served.key}{path}{query}"
            return Place(Origin.of(self._served), target, "scripted")
        end = _ENDPOINTS.get((provider_of(self._model).api, api.name if api else ""))
        if end is None:
            return place
        base = endpoint_of(self._model)
        origin = Origin.of(base)
        path = "/" + base.partition("://")[2].partition("/")[2]
        return Place(origin, path.rstrip("/") + end + query, self._model.provider)


def _serve(model: ModelReference) -> ServedModel | None:
    """Start to serve a script; of another model, look whether it has an endpoint."""
    if provider_of(model).api != "scripted":
        Origin.of(endpoint_of(model))
        return None
    from pytest_mobileagent.llm.scripted.model import ScriptedModel

    return ScriptedModel.load(Path(model.url or model.name)).serve()
