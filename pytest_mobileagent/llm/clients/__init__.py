"""The clients of real providers: one module for each API, based on the official SDKs.

This one has the limits of every reply: its time, its size, and the server that it may come from.
"""

from __future__ import annotations

import re
from time import monotonic

from pytest_mobileagent.llm.model import ProviderBusyError, ProviderError
from pytest_mobileagent.urls import redact_urls

REQUEST_SECONDS = 300.0  # the longest that a provider may say nothing
_WHOLE = 2.0  # times as long: the longest that a whole reply may take
WHOLE_REPLY_SECONDS = REQUEST_SECONDS * _WHOLE
LARGEST_REPLY = 16 * 2**20  # bytes, uncompressed
# Lines that keep a connection alive: white space, comments, and pings (Anthropic).
_SILENCE = re.compile(
    rb'\s*(?::.*|event:\s*ping|data:\s*(?:\{\s*(?:\}|"type"\s*:\s*"ping".*))?|(?:id|retry):.*)?\s*'
)
_LINE_END = re.compile(rb"[\r\n]+")
Server = tuple[str, str, int | None]  # scheme, host and port
_BEGINNING = 64  # bytes of an incomplete line after which it is something that is said


class ReplyWatch:
    """Watches one reply from the moment when its request is sent.

    The provider may say nothing for at most `seconds`, where keep-alives are nothing, and the whole
    reply may take twice as long. Exceeding a limit is the provider's fault: stalling may pass with
    a retry, too large a reply does not. `place` is the provider's redacted URL, for the messages.
    """

    def __init__(self, place: str, seconds: float = REQUEST_SECONDS) -> None:
        self._place, self._seconds = place, seconds
        self._began = self._spoke = monotonic()
        self._size = 0
        self._line = b""

    @property
    def left(self) -> float:
        """The seconds until the next limit, at least 0."""
        ends = min(self._spoke + self._seconds, self._began + self._seconds * _WHOLE)
        return max(0.0, ends - monotonic())

    def check(self) -> None:
        """Check the time.

        Raises:
            ProviderBusyError: if the provider has been silent, or the reply has taken, too long.
        """
        if self.left == 0.0:
            raise self.stalled()

    def stalled(self) -> ProviderBusyError:
        """Return the error of a reply that exceeds a limit of time."""
        whole = self._seconds * _WHOLE
        why = f"the reply is not complete after {whole:g} s"
        if self._spoke + self._seconds < self._began + whole:
            why = f"the provider has said nothing for {self._seconds:g} s"
        return ProviderBusyError(f"{self._place}: no answer came in time: {why}")

    def received(self, data: bytes) -> None:
        """Count a piece of the reply, uncompressed.

        Raises:
            ProviderError: if the reply is too large.
        """
        self._size += len(data)
        if self._size > LARGEST_REPLY:
            most = LARGEST_REPLY // 2**20
            raise ProviderError(f"{self._place}: the reply is larger than {most} MiB, uncompressed")
        *lines, rest = _LINE_END.split(self._line + data)
        self._line = rest[: _BEGINNING + 1]
        lines += [rest] if len(rest) > _BEGINNING else []
        if not all(map(_SILENCE.fullmatch, lines)):
            self._spoke = monotonic()


def check_redirect(here: Server, there: Server) -> None:
    """Check that a redirect stays on its server; it may change from http to https.

    Raises:
        ProviderError: if it leads to another server, which must get neither prompt nor key.
    """
    if there == here or (*here, *there) == ("http", here[1], 80, "https", here[1], 443):
        return
    asked, target = (redact_urls("{}://{}:{}".format(*server)) for server in (here, there))
    msg = f"{asked} redirects to another server, {target}, which gets no prompts and no keys"
    raise ProviderError(f"{msg}. If the provider has moved, name its new endpoint")
