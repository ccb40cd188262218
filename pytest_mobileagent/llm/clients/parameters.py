"""Settings that a model refuses by name: it is asked again without them, and never with them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_mobileagent.llm.failures import RequestRefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

T = TypeVar("T")

# What may be left out: models that reason take no other temperature than their own, some take no
# `top_p` beside it, and some servers do not know `stream_options`.
_OPTIONAL = ("top_p", "temperature", "stream_options")
_UNKNOWN = re.compile(
    r"(not |un)(be )?support|unrecogni[sz]ed|unknown|extra|not (be )?(permitted|allowed)|unexpected"
    r"|cannot both|deprecated",
    re.IGNORECASE,
)


class Parameters:
    """The names of settings that a model takes; `names` are the other names of some."""

    def __init__(self, names: Mapping[str, str] | None = None) -> None:
        self._names = dict(names or {})
        self._renamed: frozenset[str] = frozenset()
        self._dropped: frozenset[str] = frozenset()

    def rename(self, name: str) -> None:
        """Use a setting's other name from now on."""
        self._renamed |= {name}

    def fit(self, body: dict[str, Any], send: Callable[[dict[str, Any]], T]) -> T:
        """Send a body without settings known to be refused; again if the model names more of them.

        Raises:
            RequestRefusedError: it is refused for another reason.
        """
        renamed, dropped = self._renamed, self._dropped
        while True:
            try:
                answer = send(self._fitted(body, renamed, dropped))
            except RequestRefusedError as error:
                words = str(error)
                sent = self._fitted(body, renamed, dropped)
                if not _UNKNOWN.search(words):
                    raise
                if name := self._misnamed(sent, words, renamed ^ self._renamed):
                    renamed ^= {name}
                elif name := next((n for n in _OPTIONAL if n in sent and _names(words, n)), ""):
                    dropped |= {name}
                else:
                    raise
            else:
                self._renamed, self._dropped = renamed, dropped
                return answer

    def _misnamed(self, sent: Mapping[str, Any], words: str, tried: frozenset[str]) -> str:
        """Return the setting whose other name should be tried, once; nothing if there is none."""
        for name, other in self._names.items():
            if name not in tried and any(
                each in sent and _names(words, each) for each in (name, other)
            ):
                return name
        return ""

    def _fitted(
        self, body: Mapping[str, Any], renamed: frozenset[str], dropped: frozenset[str]
    ) -> dict[str, Any]:
        kept = {name: value for name, value in body.items() if name not in dropped}
        return {self._names[n] if n in renamed else n: value for n, value in kept.items()}


def _names(words: str, name: str) -> bool:
    return re.search(rf"\b{name}\b", words) is not None
