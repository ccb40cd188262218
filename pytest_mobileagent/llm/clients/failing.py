"""What a provider says when it cannot answer, in our errors; no key ever stands in them."""

from __future__ import annotations

import re
import time
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.cutting import shortened
from pytest_mobileagent.llm.statuses import failure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.llm.failures import ProviderError, RequestRefusedError

_LONGEST = 500
# What providers call the errors that they send in the middle of a stream, after the status 200.
_STATUSES = {
    "authentication_error": 401,
    "billing_error": 402,
    "content_filter": 400,
    "context_length_exceeded": 400,
    "insufficient_quota": 429,
    "invalid_prompt": 400,
    "invalid_request_error": 400,
    "model_not_found": 404,
    "not_found_error": 404,
    "overloaded_error": 529,
    "permission_error": 403,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "request_too_large": 413,
    "timeout_error": 504,
}
# Faults of the account that come as the status 400: Anthropic's and Google's words for them.
_ACCOUNT = re.compile(r"credit balance is too low|api key not valid|api_key_invalid", re.IGNORECASE)


def scrubbed(text: str, key: str) -> str:
    """Return a text in which the key does not stand, and which is not too long to be read."""
    return shortened(text.replace(key, "…") if key else text, _LONGEST)


def refused(
    place: str, status: int, body: Any, headers: Mapping[str, str], key: str
) -> ProviderError | RequestRefusedError:
    """Return the error that an answer of a provider means: its status, body and headers.

    A status below 400 is that of a stream in which the provider reports an error.
    """
    about = described(body)
    code = str(about.get("code") or about.get("type") or "")
    if status < 400:
        status = _STATUSES.get(code) or (int(code) if re.fullmatch("[45]..", code) else 500)
    words = str(about.get("message") or body or "it says no more")
    problem = f"{place} answers {status}: {scrubbed(words, key)}"
    if status == 400 and _ACCOUNT.search(words):
        status = 402
    kind = str(about.get("type") or "")
    known = kind if kind == "insufficient_quota" else code
    return failure(status, problem, retry_after(headers, about), known)


def described(body: Any) -> dict[str, Any]:
    """Return what the body of an error says: OpenAI's, Anthropic's, Google's or FastAPI's."""
    if isinstance(body, list) and body:
        return described(body[0])
    if not isinstance(body, dict):
        return {}
    if isinstance(body.get("error"), dict):
        return described(body["error"])
    words = body.get("message") or body.get("detail") or body.get("error")
    return {**body, "message": words}


def retry_after(headers: Mapping[str, str], about: Mapping[str, Any]) -> float | None:
    """Return the seconds after which to ask again, if the provider says so; never below 0."""
    if (seconds := _number(headers.get("retry-after-ms", ""))) is not None:
        return seconds / 1000
    value = headers.get("retry-after", "")
    if (seconds := _number(value)) is not None:
        return seconds
    if value:
        try:
            return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
        except (ValueError, OverflowError):
            return None
    details = about.get("details")
    for detail in details if isinstance(details, list) else ():  # Google's
        if isinstance(detail, dict) and "retryDelay" in detail:
            return _number(str(detail["retryDelay"]).removesuffix("s"))
    return None


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\s*\d{1,9}(\.\d{1,9})?\s*", text) else None
