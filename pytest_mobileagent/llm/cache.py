"""The cache of models' replies, by the content of the request.

Only whole replies are kept: no refusals, no errors, none that was cut off. Any number of processes
may use one folder.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.fileio import read_json, write_json
from pytest_mobileagent.llm.model import Answer, ToolCall, Usage, plain
from pytest_mobileagent.llm.providers import server_of
from pytest_mobileagent.plain import expect, to_line

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.llm.model import Image, Request
    from pytest_mobileagent.llm.reference import ModelReference

_WHOLE = {"end", "tools"}


class NotCachedError(HostError):
    """A run that only replays made a request for which no reply is kept."""


@dataclass(frozen=True, slots=True)
class ReplyCache:
    """A folder of replies; with `only_replays`, what is not there is an error."""

    folder: Path
    epoch: int = 0
    only_replays: bool = False

    def key(self, reference: ModelReference, request: Request, repeat: int) -> str:
        """Return the name of a reply, derived from model, server, request and epoch.

        The server is the endpoint, wherever it is configured, or a script's content (`server_of`).
        `repeat` counts equal requests of one episode from 0: their replies may differ.
        """
        server = server_of(reference)
        content = [reference.id, server, _plain(request), self.epoch, repeat]
        return hashlib.sha256(to_line(content).encode()).hexdigest()

    def find(self, key: str) -> Answer | None:
        """Return the reply that was kept; None if there is none.

        Raises:
            NotCachedError: there is none, and the model may not be asked.
        """
        try:
            return _answer(read_json(self._path(key)))
        except (OSError, ValueError, LookupError, TypeError):
            pass
        if self.only_replays:
            msg = (
                f"--mobile-cache=replay: no reply is kept for this request ({self._path(key)}): "
                "ask once with --mobile-cache=all; replies are kept for one server, so "
                "OPENAI_BASE_URL and its like, and scripted files, have to be as they were"
            )
            raise NotCachedError(msg)
        return None

    def keep(self, key: str, answer: Answer) -> None:
        """Keep a reply, if it is whole; a folder that cannot be written to keeps none."""
        if answer.stop not in _WHOLE or self.only_replays:
            return
        path = self._path(key)
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_json(path, asdict(answer), indent=None)

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"


def _answer(kept: Any) -> Answer:
    """Return the answer that was kept as plain data.

    Raises:
        ValueError, LookupError, TypeError: the data are not an answer.
    """
    fields = expect(kept, dict, "a reply")
    calls = tuple(ToolCall(**call) for call in fields["tool_calls"])
    answer = Answer(**fields | {"tool_calls": calls, "usage": Usage(**fields["usage"])})
    expect(answer.text, str, "the text of a reply")
    if answer.stop not in _WHOLE:
        raise ValueError(answer.stop)
    return answer


class Repeats:
    """Counts equal requests within one episode."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def count(self, reference: ModelReference, request: Request) -> int:
        """Return how often this request was made before."""
        content = to_line([str(reference), _plain(request)])
        digest = hashlib.sha256(content.encode()).hexdigest()
        self._counts[digest] += 1
        return self._counts[digest] - 1


def _plain(request: Request) -> dict[str, Any]:
    """Return a request as plain data, its pictures by their content."""
    settings = {name: v for name, v in request.settings.items() if name != "stream"}
    return settings | {"messages": [plain(message, _digest) for message in request.messages]}


def _digest(image: Image) -> dict[str, str]:
    return {"sha256": hashlib.sha256(image.data).hexdigest(), "detail": image.detail}
