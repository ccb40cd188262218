"""The cache of a program's model replies, which are replayed instead of calling (--mobile-cache).

Replies are stored as received over HTTP, in the `llm.metered.ReplyCache` that also stores those of
models called in process.
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
    """A complete reply as received, uncompressed."""

    media_type: str
    text: str

    @classmethod
    def from_json(cls, data: Any) -> CachedReply:
        """Return the reply that was stored as JSON data.

        Raises:
            LookupError, TypeError: if the data is not a reply.
        """
        media_type, text = (expect(data[name], str, name) for name in ("media_type", "text"))
        return cls(media_type, text)


class CachedReplies:
    """The cached replies of one episode's calls; without a `cache`, no reply is stored."""

    def __init__(self, cache: ReplyCache | None) -> None:
        self._cache = cache
        self._repeats = Counter[str]()

    @property
    def only(self) -> bool:
        """Whether only cached replies are used, so that no model is called."""
        return self._cache is not None and self._cache.only_replays

    def key(self, model: str, server: str, api: str, query: str, body: bytes) -> str:
        """Return the cache key of the reply to a request; equal requests are counted.

        `query` is the query of the URL; an API key in it is ignored.
        """
        if self._cache is None:
            return ""
        asked = [pair for pair in parse_qsl(query) if pair[0] != "key"]
        request = [api, asked, hashlib.sha256(body).hexdigest()]
        content = to_line([model, server, request])
        self._repeats[content] += 1
        return self._cache.key_of(model, server, request, self._repeats[content] - 1)

    def find(self, key: str) -> CachedReply | None:
        """Return the reply of a cache key; None if it is not cached.

        Raises:
            NotCachedError: if it is not cached, and the model may not be called.
        """
        return None if self._cache is None else self._cache.find_as(CachedReply.from_json, key)

    def store(self, key: str, reply: CachedReply | None) -> None:
        """Store a reply; None, for an incomplete reply, is ignored."""
        if self._cache is not None and reply is not None:
            self._cache.store(key, asdict(reply))
