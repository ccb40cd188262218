"""The port through which an agent's own SDKs call models; programs use the same kind of port.

It serves agents that call `briefing.endpoint`, which are driven by the harness and need no recorded
adb. Before the first call the port is only a listening socket.
"""

from __future__ import annotations

import secrets
import select
import socket
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Self

from pytest_mobileagent.errors import AgentError, HostError

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.llm.metered import EpisodeModels
    from pytest_mobileagent.llm.reference import ModelReference
    from pytest_mobileagent.llm.scripted import ScriptedModel
    from pytest_mobileagent.program.models import RecordedModels
    from pytest_mobileagent.program.port import LocalPort

_HOST = "127.0.0.1"
_NAME = "endpoint"  # the name at the port


class EndpointPort:
    """The port of one episode, as a context manager (see `run.runner.ModelPort`).

    - `models`: prices, budget and cache of the run. `model`: answers in place of all providers.
    - `folder`: the episode's folder. `pictures`: the run's folder of screens.
    """

    def __init__(
        self,
        models: EpisodeModels,
        model: ModelReference | ScriptedModel | None,
        folder: Path,
        pictures: Path,
    ) -> None:
        self.over = ""
        self._given = models, model, folder, pictures
        self._token = secrets.token_urlsafe(18)
        self._models: RecordedModels | None = None
        self._port: LocalPort | None = None
        self._failure: HostError | None = None

    def __enter__(self) -> Self:
        self._stack = ExitStack()
        self._socket = self._stack.enter_context(socket.create_server((_HOST, 0)))
        self.url = f"http://{_HOST}:{self._socket.getsockname()[1]}/{self._token}/{_NAME}"
        self._wakes, self._woken = (self._stack.enter_context(s) for s in socket.socketpair())
        self._thread = threading.Thread(target=self._wait, name="endpoint", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._wakes.close()
        self._thread.join()
        self._stack.close()

    def check(self) -> None:
        """Check that calls can be recorded, and that models answer them.

        Raises:
            HostError: if calls cannot be recorded.
            ProviderError: if no model has answered for a long time, or if waiting is no use.
        """
        if self._failure is not None:
            raise self._failure
        if self._models is not None:
            self._models.check(has_acted=True)

    def blame_provider(self, what: str) -> None:
        """Raise an error for `what` if the provider of the last call was at fault.

        Raises:
            ProviderError: if the provider was at fault.
        """
        if self._models is not None:
            self._models.blame_provider(what)

    @property
    def secrets(self) -> list[str]:
        """The tokens and keys that no record may contain."""
        return [self._token, *(() if self._models is None else self._models.secrets)]

    def _wait(self) -> None:
        """Wait until the port is used for the first time, or closed."""
        ready, _, _ = select.select([self._socket, self._woken], [], [])
        if self._woken in ready:
            return
        try:
            self._open()
        except (HostError, OSError) as error:
            why = f"the port for models cannot be opened: {error}"
            self._failure = error if isinstance(error, HostError) else HostError(why)
            self._socket.close()  # so that waiting clients fail at once

    def _open(self) -> None:
        """Load the recorder of calls, and start it."""
        from pytest_mobileagent.program.models import RecordedModels
        from pytest_mobileagent.program.port import LocalPort
        from pytest_mobileagent.program.track import LoopThread

        models, model, folder, pictures = self._given
        loop = self._stack.enter_context(LoopThread())
        self._models = RecordedModels(
            models,
            folder,
            pictures,
            _Unwatched(),
            model=model,
            cache=models.cache,
            is_proxy=False,
            on_budget=self._note_budget,
        )
        self._port = LocalPort(self._models, self._socket, self._token)
        self._port.answer(_NAME, self._lend)
        self._stack.callback(lambda: loop.run(self._port.close()))  # type: ignore[union-attr]
        loop.run(self._port.start())

    def _note_budget(self, why: str) -> None:
        self.over = self.over or why

    async def _lend(self, message: dict[str, Any]) -> dict[str, str]:
        """Return the endpoint of the provider that a message names.

        Raises:
            AgentError: if the provider is unknown, or has no key.
        """
        assert self._models is not None
        assert self._port is not None
        name = str(message.get("provider", ""))
        try:
            token = self._models.lend_key(name)
        except ValueError as error:
            raise AgentError(str(error)) from None
        suffix = self._models.routes[name].suffix
        return {"base_url": self._port.url(name) + suffix, "token": token}


class _Unwatched:
    """A watcher that permits all calls; an agent's steps follow from its decisions instead."""

    async def call_begins(self) -> str:
        """Permit the call."""
        return ""

    def call_ended(self, words: str) -> None:
        """Do nothing: the session reads what was recorded."""
