"""The model calls of an episode: calls.jsonl, one line per call, with pictures by reference.

    {"call": {…a ModelCall…}, "settings": {"temperature": 0, …},
     "prompt": [{"role": "user", "content": ["words", {"picture": "9b6f….png"}]}],
     "reply": {"text": "…", "stop": "end", "tool_calls": []}, "error": ""}

An attempt that will be retried leaves a line with "error" and "busy_since", by the monotonic clock
of this machine. While a provider is being asked, a file `calls.asking` says so to other processes.

Pictures are in the run's screen store. A line is written as soon as its call has ended, by the
process that made the call, so nothing is lost when the agent's process is killed.
"""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.calls import ModelCall
from pytest_mobileagent.episode.redaction import redacted
from pytest_mobileagent.fileio import append_line, new_lines, parse_json, read_bytes, writing
from pytest_mobileagent.jsonable import expect, to_line, to_wire

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

STREAM = "calls.jsonl"


class ExchangeLog:
    """Appends calls to an episode's calls.jsonl, or to a file of another `name` beside it.

    They are also added to the list `calls`, if it is given: failed ones too, which may cost money.
    """

    def __init__(
        self, episode: Path, name: str = STREAM, calls: list[ModelCall] | None = None
    ) -> None:
        self._path = episode / name
        self._calls = calls
        self._asking, self._lock = 0, threading.Lock()

    def __reduce__(self) -> tuple[object, ...]:  # to record from the agent's process, too
        return ExchangeLog, (self._path.parent, self._path.name)

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """Show to readers, until the context ends, that a provider is being asked."""
        self._show_asking(1)
        try:
            yield
        finally:
            self._show_asking(-1)

    def _show_asking(self, change: int) -> None:
        with self._lock, contextlib.suppress(OSError):
            before, self._asking = self._asking, self._asking + change
            if not before:
                _asking(self._path).touch()
            elif not self._asking:
                _asking(self._path).unlink(missing_ok=True)

    def next_line(self) -> int:
        """Return the number of the line that the next call will be written to, from 1."""
        try:
            written = read_bytes(self._path)
        except OSError:
            return 1
        rest = written.rpartition(b"\n")[2]  # an incomplete line, which remains a separate one
        return written.count(b"\n") + (2 if rest else 1)

    def add(self, exchange: Mapping[str, Any]) -> None:
        """Write a call with its prompt and its reply.

        Raises:
            HostError: if the file cannot be written.
        """
        if self._calls is not None and exchange["call"] is not None:
            self._calls.append(ModelCall.from_json(exchange["call"]))
        with writing(self._path):
            append_line(self._path, to_line(redacted(to_wire(exchange))))


class CallReader:
    """Reads the calls added to an episode's calls.jsonl since the last reading.

    `busy_since` is the time, by the monotonic clock, at which the agent began to call a provider
    that has not answered yet; None if the last line is an answer.
    """

    def __init__(self, episode: Path) -> None:
        self._path = episode / STREAM
        self._read = 0
        self.busy_since: float | None = None

    @property
    def asking(self) -> int | None:
        """What identifies the call that a provider has not answered yet; None if there is none."""
        try:
            return _asking(self._path).stat().st_mtime_ns
        except OSError:
            return None

    def close(self) -> None:
        """Remove the sign of a call whose process was killed."""
        with contextlib.suppress(OSError):
            _asking(self._path).unlink(missing_ok=True)

    def new(self) -> tuple[ModelCall, ...]:
        """Return the calls of complete lines that have not been read yet."""
        try:
            lines, self._read = new_lines(self._path, self._read)
        except OSError:
            return ()
        calls = []
        for line in lines:
            call, self.busy_since = _content(line)
            calls += [] if call is None else [call]
        return tuple(calls)


def _asking(calls: Path) -> Path:
    return calls.with_suffix(".asking")


def first_prompt(episode: Path) -> str:
    """Return the text of the first prompt of an episode, or "" if none is recorded."""
    for exchange in _exchanges(episode):
        with contextlib.suppress(ValueError, LookupError, TypeError, AttributeError):
            messages = expect(exchange["prompt"], list, "prompt")
            if words := "\n".join(_words(message["content"]) for message in messages):
                return words
    return ""


def settings_sent(episode: Path) -> list[dict[str, Any]]:
    """Return the settings with which models were called in an episode, each once."""
    found: list[dict[str, Any]] = []
    for exchange in _exchanges(episode):
        settings = exchange.get("settings")
        if isinstance(settings, dict) and settings not in found:
            found.append(settings)
    return found


def _exchanges(episode: Path) -> Iterator[dict[str, Any]]:
    try:
        lines, _ = new_lines(episode / STREAM, 0)
    except OSError:
        return
    for line in lines:
        with contextlib.suppress(ValueError):
            if isinstance(exchange := parse_json(line), dict):
                yield exchange


def _words(content: Any) -> str:
    parts = content if isinstance(content, list) else [content]
    return "\n".join(part for part in parts if isinstance(part, str))


def _content(line: bytes) -> tuple[ModelCall | None, float | None]:
    """Return the call in a line, and the time since which it has been attempted; None if absent."""
    try:
        content = parse_json(line)
        since, call = content.get("busy_since"), content["call"]
        since = None if since is None else float(expect(since, float, "busy_since"))
        return None if call is None else ModelCall.from_json(call), since
    except (ValueError, LookupError, TypeError, AttributeError):
        return None, None
