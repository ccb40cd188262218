"""Reads the tokens that a reply reports, in the format of any API.

Output tokens are those that are billed. OpenAI's count of the completion includes reasoning; xAI's
and Gemini's endpoint for OpenAI's clients leave it out, so there it is the rest of the total.
Anthropic counts tokens that are read from or written to its cache beside the other input
(docs.anthropic.com, "Tracking cache performance"); all others count cached tokens as input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm.model import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_MOST = 2**53  # the largest count that a record can represent (see ModelCall)
# The names of the counts that make up the input, and the output, and of the total.
_FORMATS = (
    (("prompt_tokens",), ("completion_tokens",), "total_tokens"),
    (
        ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"),
        ("output_tokens",),
        "total_tokens",
    ),
    (
        ("promptTokenCount", "toolUsePromptTokenCount"),
        ("candidatesTokenCount", "thoughtsTokenCount"),
        "totalTokenCount",
    ),
    (("prompt_eval_count",), ("eval_count",), ""),  # Ollama
)
# cached_tokens: OpenAI, and Moonshot in another place. prompt_cache_hit_tokens: DeepSeek.
_CACHED = (
    "cached_tokens",
    "prompt_cache_hit_tokens",
    "cache_read_input_tokens",
    "cachedContentTokenCount",
)


def usage_in(reply: Mapping[str, Any]) -> Usage:
    """Return the tokens that a reply reports; None for counts that it does not report.

    If they contradict each other, none counts: a total below its parts, a part above its whole, or
    what is no count of tokens at all.
    """
    try:
        return _read(_reported(reply))
    except ValueError:
        return Usage()


def checked(usage: Usage) -> Usage:
    """Return a usage if its counts fit together; otherwise, return one without counts."""
    try:
        given, _, cached = map(_count, (usage.input, usage.output, usage.cached))
    except ValueError:
        return Usage()
    return Usage() if given is not None and (cached or 0) > given else usage


def _reported(reply: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a reply that has counts: at its end, in a choice (Moonshot), or itself."""
    choices = reply.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    for place in (reply, reply.get("x_groq"), choice):
        for name in ("usage", "usageMetadata"):
            if isinstance(place, dict) and isinstance(found := place.get(name), dict) and found:
                return found
    return dict(reply) if "prompt_eval_count" in reply else {}


def _read(counts: dict[str, Any]) -> Usage:
    """Return the usage in counts.

    Raises:
        ValueError: if the counts contradict each other.
    """
    given = output = total = None
    for asked, answered, whole in _FORMATS:
        if any(counts.get(name) is not None for name in (*asked, *answered)):
            given, output = _sum(counts, asked), _sum(counts, answered)
            total = _count(counts.get(whole))
            break
    if not given:  # every request has input tokens
        return Usage(None, output or None)
    sent = _details(counts, "prompt_tokens_details", "input_tokens_details")
    received = _details(counts, "completion_tokens_details", "output_tokens_details")
    cached = next((n for n in map(_count, map(sent.get, _CACHED)) if n is not None), None)
    reasoning = _count(received.get("reasoning_tokens")) or 0
    if total is not None:
        if total < given + (output or 0):
            raise ValueError(counts)
        output = total - given
    elif output is not None and reasoning > output:
        output += reasoning
    parts = ((cached, given), (_count(sent.get("audio_tokens")), given), (reasoning, output))
    if any((part or 0) > all_of_it for part, all_of_it in parts if all_of_it is not None):
        raise ValueError(counts)
    return Usage(given, output, cached)


def _details(counts: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return the counts, with those of the first of several tables of details that exists."""
    tables = (counts[name] for name in names if isinstance(counts.get(name), dict))
    return {**counts, **next(tables, {})}


def _sum(counts: Mapping[str, Any], names: Iterable[str]) -> int | None:
    known = [n for name in names if (n := _count(counts.get(name))) is not None]
    return sum(known) if known else None


def _count(value: Any) -> int | None:
    """Return a number of tokens; None if there is none.

    Raises:
        ValueError: if the value is not a number of tokens.
    """
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST:
        return value
    raise ValueError(value)
