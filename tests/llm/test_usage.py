"""Token counts in replies of every API: what is billed as output, what is cached, what is odd."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mobileagent.llm.model import Usage
from pytest_mobileagent.llm.replies import checked, usage_in


def chat(given: Any, output: Any, total: Any = None, **details: Any) -> dict[str, Any]:
    counts = {"prompt_tokens": given, "completion_tokens": output, "total_tokens": total}
    return {"usage": {**counts, **{name: value for name, value in details.items() if value}}}


def reasoning(tokens: int) -> dict[str, Any]:
    return {"completion_tokens_details": {"reasoning_tokens": tokens, "audio_tokens": 0}}


def cached(tokens: int) -> dict[str, Any]:
    return {"prompt_tokens_details": {"cached_tokens": tokens, "audio_tokens": 0}}


def gemini(**counts: int) -> dict[str, Any]:
    return {"usageMetadata": counts}


COUNTED: list[tuple[dict[str, Any], Usage]] = [
    (chat(1000, 10, 1010), Usage(1000, 10)),
    (chat(1000, 10), Usage(1000, 10)),
    # OpenAI counts reasoning within the completion; xAI and Gemini beside it.
    (chat(1000, 2010, 3010, **reasoning(2000), **cached(400)), Usage(1000, 2010, 400)),
    (chat(1000, 10, 3010, **reasoning(2000)), Usage(1000, 2010)),
    (chat(1000, 10, 3010), Usage(1000, 2010)),
    (chat(1000, 10, **reasoning(2000)), Usage(1000, 2010)),
    (chat(9, 1, 103), Usage(9, 94)),
    (chat(1000, None, 1010), Usage(1000, 10)),
    (chat(1000, 0, 1000), Usage(1000, 0)),
    # Cached tokens in the places of DeepSeek and Moonshot; Moonshot's usage in a choice.
    (chat(1000, 10, 1010, prompt_cache_hit_tokens=400), Usage(1000, 10, 400)),
    (chat(1000, 10, 1010, cached_tokens=400), Usage(1000, 10, 400)),
    ({"choices": [{"index": 0, **chat(1000, 10)}], "usage": None}, Usage(1000, 10)),
    ({"x_groq": {"id": "req_1", **chat(1000, 10)}}, Usage(1000, 10)),
    # Gateways repeat Anthropic's names beside OpenAI's.
    (chat(1000, 10, 1010, cache_read_input_tokens=400, input_tokens=600), Usage(1000, 10, 400)),
    # Responses.
    ({"usage": {"input_tokens": 1000, "output_tokens": 2010, "total_tokens": 3010,
                "input_tokens_details": {"cached_tokens": 400},
                "output_tokens_details": {"reasoning_tokens": 2000}}}, Usage(1000, 2010, 400)),
    # Anthropic counts its cache beside the input.
    ({"usage": {"input_tokens": 50, "cache_read_input_tokens": 900,
                "cache_creation_input_tokens": 50, "output_tokens": 10}}, Usage(1000, 10, 900)),
    ({"usage": {"input_tokens": 0, "cache_creation_input_tokens": None,
                "cache_read_input_tokens": 1000, "output_tokens": 1}}, Usage(1000, 1, 1000)),
    # Gemini counts thoughts and the results of tools beside the rest.
    (gemini(promptTokenCount=1000, candidatesTokenCount=10, thoughtsTokenCount=2000,
            totalTokenCount=3010, cachedContentTokenCount=400), Usage(1000, 2010, 400)),
    (gemini(promptTokenCount=900, toolUsePromptTokenCount=100, candidatesTokenCount=10,
            totalTokenCount=1010), Usage(1000, 10)),
    (gemini(promptTokenCount=1000, totalTokenCount=1000), Usage(1000, 0)),
    # Ollama's and Alibaba's own APIs.
    ({"done": True, "prompt_eval_count": 1000, "eval_count": 10}, Usage(1000, 10)),
    ({"output": {}, "usage": {"input_tokens": 1000, "output_tokens": 10, "image_tokens": 900,
                              "total_tokens": 1010}}, Usage(1000, 10)),
]  # fmt: skip


def test_output_is_what_is_billed_and_nothing_counts_twice() -> None:
    wrong = [(reply, found) for reply, usage in COUNTED if (found := usage_in(reply)) != usage]
    assert wrong == []


UNKNOWN: list[dict[str, Any]] = [
    {}, {"usage": None}, {"usage": "much"}, {"usage": [1]}, {"usage": {}}, {"choices": []},
    chat(None, None), chat(0, 0, 0), chat(-1, 2), chat("5", 2), chat(5, "2"), chat(5.5, 2),
    chat(True, 2), chat(10**400, 2), chat(float("nan"), 2), chat(5, -1), chat(5, 2, "7"),
    chat(1000, 10, 500), chat(1000, 10, 0), chat(1000, 10, -1), chat(1000, None, 999),
    chat(1000, 10, 1010, **cached(1001)), chat(1000, 10, 1010, **cached(-1)),
    chat(1000, 10, 1010, **reasoning(11)), chat(1000, 10, 1010, cached_tokens="400"),
    chat(1000, 10, 1010, prompt_tokens_details={"audio_tokens": 1001}),
    gemini(promptTokenCount=5, candidatesTokenCount=5, totalTokenCount=9),
    {"usage": {"input_tokens": 5, "output_tokens": 2, "total_tokens": 6}},
]  # fmt: skip


def test_counts_that_are_missing_or_contradict_each_other_are_unknown() -> None:
    assert [reply for reply in UNKNOWN if usage_in(reply) != Usage()] == []


def test_known_counts_remain_where_the_rest_is_missing() -> None:
    assert usage_in(chat(5, None)) == Usage(5, None)
    assert usage_in(chat(None, 7)) == usage_in(chat(0, 7)) == Usage(None, 7)


@pytest.mark.parametrize("usage", [Usage(5, -1), Usage(5, 2, 6), Usage(5, 2, -1), Usage(2**60, 1)])
def test_counts_that_an_agent_reports_are_checked(usage: Usage) -> None:
    assert checked(usage) == Usage()
    assert checked(Usage(5, None, 5)) == Usage(5, None, 5)
