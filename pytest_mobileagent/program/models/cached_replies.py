"""Cached replies: kept as they came over HTTP, and given again instead of asking (--mobile-cache).

`llm.metered.ReplyCache` is where they are kept, together with those of models asked in process.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from pytest_mobileagent.jsonable import expect, to_line

if TYPE_CHECKING:
    from pytest_mobileagent.llm.metered import ReplyCache


@dataclass(frozen=True, slots=True)
class CachedReply:
    """A whole reply as it came, uncompressed."""

    media_type: str
    text: str

    @classmethod
    def from_json(cls, data: Any) -> CachedReply:
        """Return the reply that was kept as plain data.

        Raises:
            LookupError, TypeError: the data are not one.
        """
        media_type, text = (expect(data[name], str, name) for name in ("media_type", "text"))
        return cls(media_type, text)


class CachedReplies:
    """The replies of one episode's calls, in a `cache`; without one, none is kept."""

    def __init__(self, cache: ReplyCache | None) -> None:
        self._cache = cache
        self._repeats = Counter[str]()

    @property
    def only(self) -> bool:
        """Whether only cached replies are given, so that no model is asked."""
        return self._cache is not None and self._cache.only_replays

    def key(self, model: str, server: str, api: str, query: str, body: bytes) -> str:
        """Return the name of the reply to a request; equal requests are counted.

        `query` is that of the URL, in which a key is left out.
        """
        if self._cache is None:
            return ""
        asked = [pair for pair in parse_qsl(query) if pair[0] != "key"]
        request = [api, asked, hashlib.sha256(body).hexdigest()]
        content = to_line([model, server, request])
        self._repeats[content] += 1
        return self._cache.key_of(model, server, request, self._repeats[content] - 1)

    def find(self, key: str) -> CachedReply | None:
        """Return the reply of a name; None if it is not cached.

        Raises:
            NotCachedError: it is not, and the model may not be asked.
        """
        return None if self._cache is None else self._cache.find_as(CachedReply.from_json, key)

    def keep(self, key: str, reply: CachedReply | None) -> None:
        """Keep a reply, if it is whole."""
        if self._cache is not None and reply is not None:
            self._cache.store(key, asdict(reply))
