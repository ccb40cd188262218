"""The keys that a program holds: words in the place of real ones, which only the recorder knows.

A program under test is not trusted with keys. In each variable that holds the key of a model's
provider it finds a word that is worth nothing outside the episode; on the way to a provider that
word is replaced by the key.
"""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING

import h11

from pytest_mobileagent.llm.providers import key_variables

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

# Providers that are none of `llm.providers`, but whose calls are recorded.
_MORE = {
    "AI21_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ARK_API_KEY", "AZURE_OPENAI_API_KEY",
    "CEREBRAS_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "COHERE_API_KEY", "CO_API_KEY",
    "FIREWORKS_API_KEY", "MOONSHOT_API_KEY", "NEBIUS_API_KEY", "NVIDIA_API_KEY",
    "PERPLEXITY_API_KEY", "SAMBANOVA_API_KEY", "SILICONFLOW_API_KEY", "STEPFUN_API_KEY",
}  # fmt: skip
# For programs that ask nobody before they have a key.
_USUAL = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY")
# How keys begin, by which some programs tell whose they are.
_BEGINNING = re.compile(r"sk-ant-[a-z]+\d+-|sk-or-v1-|sk-|gsk_|xai-|nvapi-|AIza")
_LEAST = 8  # characters of a key: a shorter one stands in other words


def model_keys() -> set[str]:
    """Return the names of all variables that may hold a key with which models are asked."""
    return key_variables() | _MORE


class LentKeys:
    """The words that a program gets instead of the keys of an environment.

    - `own`: the variables whose real keys it has all the same.
    - `always`: whether it gets words in the place of keys that are not there, too, as another model
      answers in the place of its own.
    """

    def __init__(
        self, environment: Mapping[str, str], own: Collection[str] = (), *, always: bool = False
    ) -> None:
        self._own = set(own)
        self._words: dict[str, str] = {}  # by key
        named: dict[str, str] = {}
        for name in sorted(model_keys() - self._own):
            if key := environment.get(name, "").strip():
                named[name] = self._words.setdefault(key, _word_for(key))
        if always:
            spare = _word_for("sk-")
            named |= {name: named.get(name, spare) for name in _USUAL if name not in self._own}
            self._words.setdefault("", spare)
        self._named = named

    @property
    def words(self) -> list[str]:
        """What stands for keys; no record has to hold it."""
        return list(self._words.values())

    @property
    def keys(self) -> list[str]:
        """The keys for which they stand."""
        return [key for key in self._words if key]

    def environment(self, base: Mapping[str, str]) -> dict[str, str]:
        """Return an environment without the keys, wherever they stand in it."""
        long = sorted((key for key in self.keys if len(key) >= _LEAST), key=len, reverse=True)
        lent = {}
        for name, value in base.items():
            if name not in self._own:
                for key in long:
                    value = value.replace(key, self._words[key])  # noqa: PLW2901
            lent[name] = value
        return lent | self._named

    def applied(
        self, request: h11.Request, target: str, instead: str = ""
    ) -> tuple[h11.Request, str]:
        """Return a request and its target with the keys for which its words stand.

        `instead` is the key of whoever answers in the place of the one who is asked, if it has one.
        """
        pairs = [(word, instead or key) for key, word in self._words.items() if instead or key]
        headers = [(name, _replaced(value, pairs)) for name, value in request.headers.raw_items()]
        target = _replaced(target.encode("latin-1"), pairs).decode("latin-1")
        changed = h11.Request(
            method=request.method,
            target=request.target,
            headers=headers,
            http_version=request.http_version,
        )
        return changed, target


def _word_for(key: str) -> str:
    found = _BEGINNING.match(key)
    return f"{found[0] if found else ''}mobileagent-{secrets.token_hex(16)}"


def _replaced(value: bytes, pairs: Iterable[tuple[str, str]]) -> bytes:
    for word, key in pairs:
        value = value.replace(word.encode(), key.encode())
    return value
