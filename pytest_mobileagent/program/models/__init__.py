"""Serves a program's model calls: they are passed on unchanged to the providers, and recorded."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import ssl
import time
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import parse_qs

import trustme

from pytest_mobileagent.episode.exchanges import ExchangeLog
from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.fileio import writing
from pytest_mobileagent.llm.model import ProviderError
from pytest_mobileagent.llm.providers import PROVIDERS
from pytest_mobileagent.llm.streams import json_object
from pytest_mobileagent.program import model_routes
from pytest_mobileagent.program.connections import Origin, header, trusted
from pytest_mobileagent.program.models.exchange import Destination, Exchange, StandIn, pass_through
from pytest_mobileagent.program.models.recording import CachedReplies, Recording, Sent, SharedState
from pytest_mobileagent.program.models.requests import (
    WithoutUsage,
    api_of,
    decoded,
    model_of,
    with_usage,
)
from pytest_mobileagent.urls import LOOPBACK, redact_urls

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    import h11

    from pytest_mobileagent.llm.known_replies import ReplyCache
    from pytest_mobileagent.llm.metered import EpisodeModels
    from pytest_mobileagent.llm.reference import ModelReference
    from pytest_mobileagent.llm.scripted import ScriptedModel
    from pytest_mobileagent.program.commands import CallWatcher
    from pytest_mobileagent.program.connections import ServerConnection
    from pytest_mobileagent.program.model_routes import Seller
    from pytest_mobileagent.program.models.recording import CachedReply
    from pytest_mobileagent.program.models.requests import RecordedApi


_LONGEST_OUTAGE = 600.0  # seconds during which a program may keep calling
_LONGEST_LASTING = 30.0  # the same, if waiting is no use: it may ask another provider
_KEY_HEADERS = ("x-api-key", "api-key", "x-goog-api-key")


class RecordedModels:
    """All of a program's model calls in one episode, for a `LocalPort` to serve.

    - `models`: the run's prices and budget. `folder`: the episode's. `pictures`: the screens'.
    - `watcher` is notified of each call, `on_budget` when a budget is exhausted.
    - `network`: "open", or "models" if the proxy only leads to models. `hosts`: more model hosts.
    - `roles`: the role of each model whose name matches a pattern.
    - `include_usage`: whether to request token counts in streams if the program does not.
    - `model`: answers in place of all providers: a script, or an endpoint for its API.
    - `keys`: the program's stand-ins for keys; by default, for all keys. `cache`: stores replies.
    - `is_proxy`: whether requests to providers' own hosts arrive, too; if not, all have routes.

    `failure` is why calls can no longer be recorded: they are refused from then on. `secrets` are
    the keys that the program has used so far.

    Raises HostError if a variable sets an endpoint that is not a URL.
    """

    def __init__(
        self,
        models: EpisodeModels,
        folder: Path,
        pictures: Path,
        watcher: CallWatcher,
        *,
        network: Literal["open", "models"] = "open",
        hosts: Collection[str] = (),
        roles: Mapping[str, str] | None = None,
        include_usage: bool = True,
        model: ModelReference | ScriptedModel | None = None,
        keys: model_routes.LentKeys | None = None,
        cache: ReplyCache | None = None,
        is_proxy: bool = True,
        on_budget: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.network = network
        self.environment: dict[str, str] = {}
        self.openai_base_url = self.openai_chat_url = self.anthropic_base_url = ""
        self.failure: HostError | None = None
        log, store = ExchangeLog(folder), ScreenStore(pictures)
        self.shared = SharedState(models.prices, models.account(), log, store, dict(roles or {}))
        self._watcher, self._on_budget = watcher, on_budget
        self._include_usage, self._model = include_usage, model
        self._cached, self._is_proxy = CachedReplies(cache), is_proxy
        self.routes = model_routes.routes(every=not is_proxy)
        # A program may address the user's endpoint directly.
        places = ((Origin.of(each.base).host, each.provider) for each in self.routes.values())
        named = {host: provider for host, provider in places if host not in LOOPBACK}
        self._named = {Origin.of(each.base) for each in self.routes.values()}
        self._hosts = named | {host.lower(): host.lower() for host in hosts}
        self._bundle = folder / "program" / "certificates.pem"
        self._stand_in = StandIn(None)
        self._keys = keys or model_routes.LentKeys(os.environ, always=model is not None)
        self.secrets: set[str] = {*self._keys.stand_ins, *self._keys.keys}
        self._without_usage: set[Origin] = set()  # servers that refuse requests for token counts

    async def start(self, url: Callable[[str], str], proxy: str) -> None:
        """Prepare to serve: `url` returns the port's URL for a name, `proxy` is its URL as a proxy.

        Raises:
            HostError: if the file cannot be written, or the model has no script or endpoint.
        """
        try:
            self._stand_in = StandIn(self._model)
        except (OSError, ValueError) as error:
            raise HostError(f"--mobile-model={self._model}: {error}") from error
        if not self._is_proxy:
            return
        with writing(self._bundle):
            await asyncio.to_thread(self._write_bundle)
        self.environment = model_routes.environment(self.routes, url, proxy, self._bundle)
        self.environment |= self._keys.environment({})
        self.openai_base_url = self.environment["OPENAI_BASE_URL"]
        self.openai_chat_url = f"{self.openai_base_url}/chat/completions"
        self.anthropic_base_url = self.environment["ANTHROPIC_BASE_URL"]

    def _write_bundle(self) -> None:
        self._bundle.parent.mkdir(parents=True, exist_ok=True)
        self._bundle.write_bytes(bundle())
        model_routes.provider_at("example.com")  # loads slow libraries before a program waits

    async def close(self) -> None:
        """Remove everything except the record."""
        with contextlib.suppress(OSError):
            self._bundle.unlink(missing_ok=True)
        await asyncio.to_thread(self._stand_in.close)

    def check(self, *, has_acted: bool = False) -> None:
        """Check that calls can still be recorded, and that models answer them.

        `has_acted` is whether the agent has acted since its last call, so asks no other model now.

        Raises:
            HostError: if recording has failed, for example because the disk is full.
            ProviderError: if no model has answered for a long time, or if waiting is no use.
        """
        if self.failure is not None:
            raise self.failure
        if (outage := self.shared.outage) is None:
            return
        longest = _LONGEST_LASTING if outage.lasts else _LONGEST_OUTAGE
        if (outage.lasts and has_acted) or time.monotonic() - outage.since > longest:
            self.blame_provider("no model answers")

    def blame_provider(self, what: str) -> None:
        """Raise an error for `what` if the provider of the last call was at fault.

        Raises:
            ProviderError: if the last call had no answer.
        """
        if self.shared.outage is not None:
            raise ProviderError(f"{what}; {self.shared.outage.why}")

    def lend_key(self, name: str) -> str:
        """Return the stand-in for the key of the provider at a route.

        Raises:
            ValueError: if the route does not exist, or its provider needs a key and has none.
        """
        route = model_routes.route_of(name, self.routes)
        if not (self._stand_in.is_given or self._cached.only):
            model_routes.key_at(route)
        provider = PROVIDERS.get(route.provider)
        stand_in = self._keys.stand_in_for(provider.key if provider is not None else ())
        self.secrets.add(stand_in)
        return stand_in

    def is_provider(self, host: str) -> bool:
        """Return whether a host is a model provider, so that TLS connections to it end here."""
        return bool(self._provider(host))

    def _provider(self, host: str) -> str:
        return model_routes.provider_at(host) or self._hosts.get(host.lower(), "")

    async def serve_route(
        self, connection: ServerConnection, request: h11.Request, name: str, rest: str
    ) -> None:
        """Answer a request to one of the routes; `rest` is the target after the route's name."""
        route = self.routes[name]
        url = route.target(rest)
        origin = Origin.of(url)
        target = url[len(url.split("/", 3)[0]) + 2 :].partition("/")[2]
        provider = model_routes.provider_at(origin.host) or route.provider
        await self._serve(connection, request, Destination(origin, f"/{target}", provider))

    async def serve_host(
        self, connection: ServerConnection, request: h11.Request, origin: Origin, target: str
    ) -> None:
        """Answer a request that was addressed to a provider's host."""
        place = Destination(origin, target, self._provider(origin.host))
        await self._serve(connection, request, place)

    async def _serve(
        self, connection: ServerConnection, request: h11.Request, place: Destination
    ) -> None:
        data = await connection.body()
        api = api_of(request.method.decode(), place.path)
        if header(request, "upgrade").lower() == "websocket":
            # Tokens in a WebSocket cannot be counted; clients may fall back to another transport.
            await connection.respond(426, {"Upgrade": "HTTP/1.1"}, b"")
            return
        if api is None:
            request, to = self._with_keys(request, place, self._stand_in.instead(None, place))
            await pass_through(connection, request, to.origin, to.target, data)
            return
        body = decoded(data, header(request, "content-encoding").lower())
        sent = Sent(place.path, body, json_object(body) or {}, self._secrets(request, place))
        seller = self._stand_in.seller(place, model_of(place.path, sent.body))
        key, cached, over = self._key(seller, place, api, sent), None, ""
        try:
            cached = self._cached.find(key)
            if cached is None:
                over = await asyncio.to_thread(self.shared.spending.over)
        except HostError as error:
            self.failure = self.failure or error
        if self.failure is not None:
            await _refuse(connection, api, 403, str(self.failure))
        elif cached is not None:
            self.secrets.update(sent.secrets)
            await self._replay(connection, Recording(self.shared, api, seller, sent), cached)
        elif why := over or self._unlimited(seller):
            self._on_budget(why)
            await _refuse(connection, api, 429, why)
        elif why := await self._watcher.call_begins():
            await _refuse(connection, api, 403, why)
        else:
            self.secrets.update(sent.secrets)
            recording = Recording(self.shared, api, seller, sent)
            try:
                await self._record(connection, request, recording, place, data)
            finally:  # clients may disconnect as soon as the reply is complete
                self._cached.store(key, recording.cached)

    def _key(self, seller: Seller, place: Destination, api: RecordedApi, sent: Sent) -> str:
        """Return the cache key of the reply to a request."""
        to = self._stand_in.instead(api, place)
        server = self._stand_in.server or redact_urls(f"{to.origin.url}{to.path}")
        query = place.target.partition("?")[2]
        return self._cached.key(seller.id, server, api.name, query, sent.data)

    async def _replay(
        self, connection: ServerConnection, recording: Recording, cached: CachedReply
    ) -> None:
        """Answer a request with the cached reply."""
        try:
            await asyncio.to_thread(recording.replay, cached)
        except HostError as error:
            self.failure = error
            raise ConnectionResetError(str(error)) from error
        text = cached.text.encode()
        if "event-stream" in cached.media_type and self._with_usage(recording):
            text = WithoutUsage().pass_on(text, is_last=True)
        await connection.respond(200, {"Content-Type": cached.media_type}, text)

    def _with_usage(self, recording: Recording) -> bytes | None:
        """Return a body that requests token counts, too; None if they need not be requested."""
        if not self._include_usage or recording.api.name != "chat":
            return None
        return with_usage(recording.request.body, recording.request.data)

    def _with_keys(
        self, request: h11.Request, place: Destination, to: Destination
    ) -> tuple[h11.Request, Destination]:
        """Return a request and its destination `to`, with the stand-ins replaced by real keys.

        Keys are sent unencrypted only to servers that the user has named.
        """
        instead = ""
        if to is not place:
            if self._stand_in.is_scripted:
                return request, to
            instead = self._stand_in.key
        elif not self._may_have_keys(to.origin):
            return request, to
        request, target = self._keys.applied(request, to.target, instead)
        return request, replace(to, target=target)

    def _may_have_keys(self, origin: Origin) -> bool:
        return origin.scheme == "https" or origin.host in self._hosts or origin in self._named

    def _secrets(self, request: h11.Request, place: Destination) -> tuple[str, ...]:
        """Return the keys that a request carries, and those that have stand-ins."""
        given = [header(request, name) for name in _KEY_HEADERS]
        given += [header(request, "authorization").rpartition(" ")[2]]
        given += parse_qs(place.target.partition("?")[2]).get("key", [])
        return (*filter(None, given), *self._keys.keys)

    def _unlimited(self, seller: Seller) -> str:
        """Return why a budget in US dollars cannot limit a call; empty if it can, or is not set."""
        limit = self.shared.spending.budget.cost
        is_limited = limit.run is not None or limit.task is not None
        if is_limited and not model_routes.is_priced(self.shared.prices, seller):
            return f"{seller.id}: {model_routes.UNLIMITED}"
        return ""

    async def _record(
        self,
        connection: ServerConnection,
        request: h11.Request,
        recording: Recording,
        place: Destination,
        data: bytes,
    ) -> None:
        request, to = self._with_keys(request, place, self._stand_in.instead(recording.api, place))
        may_ask = recording.request.data is data and to.origin not in self._without_usage
        with_usage = self._with_usage(recording) if may_ask else None
        counts, ended = (with_usage, self._without_usage), self._watcher.call_ended
        try:
            await Exchange(
                connection, request, recording, to.origin, to.target, data, *counts, ended
            ).run()
        except HostError as error:
            self.failure = error
            raise ConnectionResetError(str(error)) from error


async def _refuse(connection: ServerConnection, api: RecordedApi, status: int, why: str) -> None:
    body = json.dumps(api.api.error(status, why, "")).encode()
    headers = {"Content-Type": "application/json", "x-should-retry": "false"}
    await connection.respond(status, headers, body)


@cache
def _authority() -> trustme.CA:
    return trustme.CA(organization_name="pytest-mobileagent", organization_unit_name="one run")


@cache
def context_for(host: str) -> ssl.SSLContext:
    """Return the TLS context of a server that answers in place of a host."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["http/1.1"])
    _authority().issue_cert(host).configure_cert(context)
    return context


def bundle() -> bytes:
    """Return the certificates that a program must trust: those trusted here, and our authority's.

    Raises:
        OSError: if a file cannot be read.
    """
    files = [Path(file).read_bytes() for file in trusted()]
    return b"\n".join([*files, _authority().cert_pem.bytes()])
