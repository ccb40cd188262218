"""Reads providers' errors, and returns ours for them, by the table of refusals.

Bodies are read in the formats of OpenAI, Anthropic, Google, Alibaba and FastAPI.
"""

from __future__ import annotations

import json
import re
import time
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.store import shortened
from pytest_mobileagent.llm.model import ProviderBusyError
from pytest_mobileagent.llm.refusals import GENERAL, MEANS, STATUSES, TABLE, has_failed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.llm.model import ProviderError, RequestRefusedError
    from pytest_mobileagent.llm.refusals import Kind

_ROWS = [row for rows in TABLE.values() for row in rows]
_EXACT = [(row.code.casefold(), row.words, row.kind) for row in _ROWS if row.code and row.words]
_CODED = {row.code.casefold(): row.kind for row in _ROWS if row.code and not row.words}
_WORDED = [(row.words, row.kind) for row in _ROWS if row.words and not row.code]
# Gateways quote the whole error of another provider in the words of their own.
_WORDED += [
    (code, kind) for code, kind in _CODED.items() if kind == "money" and code.isidentifier()
]
_MOST_READ = 20_000  # characters of an error
_LONGEST = 500  # characters of an error that are told


def kind_of(status: int, body: Any) -> Kind:
    """Return what a provider's error means, by its status and body.

    The status is below 400 if the provider reports the error in an answer or within a stream.
    """
    codes = _codes(described(body))
    words = json.dumps(body, ensure_ascii=False, default=str)[:_MOST_READ].casefold()
    for code, part, kind in _EXACT:
        if code in codes and part in words:
            return kind
    for code in codes:
        while code and code not in _CODED:
            code = code.rpartition(".")[0]  # noqa: PLW2901 - to the longest known beginning
        # Gateways call any error a failure of an API, so that words and an exact status say more.
        if code and (_CODED[code] != "failure" or code.isdigit()):
            return _CODED[code]
    for part, kind in _WORDED:
        if part in words:
            return kind
    if status < 400:
        status = next((int(code) for code in codes if re.fullmatch("[45]..", code)), 500)
        if status == 500:
            return next((GENERAL[code] for code in codes if code in GENERAL), "failure")
    return STATUSES.get(status, "failure" if status >= 500 else "key")


def _codes(about: Mapping[str, Any]) -> list[str]:
    """Return the names that an error has, in lower case; numbers, which are ambiguous, are last."""
    details = about.get("details")
    places = [about, about.get("innererror"), *(details if isinstance(details, list) else ())]
    named = [
        str(place[name]).strip().casefold()
        for place in places
        if isinstance(place, dict)
        for name in ("code", "type", "status", "reason")
        if isinstance(place.get(name), str | int)
    ]
    return sorted(named, key=str.isdigit)


def refused(
    place: str, status: int, body: Any, headers: Mapping[str, str], key: str
) -> ProviderError | RequestRefusedError:
    """Return our error for a provider's error answer (see `kind_of`)."""
    about = described(body)
    words = scrubbed(str(about.get("message") or body or "it says no more"), key)
    kind = kind_of(status, body)
    said = f"answers {status}" if status >= 400 else f"reports an error ({kind})"
    return error_of(kind, f"{place} {said}: {words}", retry_after(headers, about))


def error_of(
    kind: Kind, problem: str, retry_after: float | None = None
) -> ProviderError | RequestRefusedError:
    """Return the error for a kind of refusal; `retry_after` is in seconds."""
    if MEANS[kind] is ProviderBusyError:
        return ProviderBusyError(problem, retry_after)
    return MEANS[kind](problem)


def scrubbed(text: str, key: str) -> str:
    """Return the text without the key, cut to a readable length."""
    return shortened(text.replace(key, "…") if key else text, _LONGEST)


def described(body: Any) -> dict[str, Any]:
    """Return the fields of an error body; its text is the field `message`."""
    if isinstance(body, list) and body:
        return described(body[0])
    if not isinstance(body, dict):
        return {}
    if isinstance(body.get("error"), dict):
        return described(body["error"])
    if isinstance(body.get("base_resp"), dict):  # MiniMax
        return described(body["base_resp"])
    return {**body, "message": next((body[name] for name in _SAYS if body.get(name)), None)}


_SAYS = ("message", "detail", "error", "msg", "status_msg", "error_msg", "errorMsg")
_ANSWERS = ("choices", "output", "candidates", "content", "text")


def failure_in(reply: Mapping[str, Any]) -> Any:
    """Return the error that a reply with a successful status reports; None if there is none.

    It is the reply's own error, that of its first choice, or a finish reason that means failure.
    """
    if reply.get("error") or "error" in (reply.get("object"), reply.get("type")):
        return reply
    says = described(reply)["message"]
    if isinstance(says, str) and says and not any(reply.get(name) for name in _ANSWERS):
        return reply  # without an answer, as within a stream of Alibaba
    if reply.get("status") in ("failed", "cancelled"):
        return {"message": f"the response is {reply['status']}"}
    own = reply.get("output")  # of Alibaba's own API
    within = own if isinstance(own, dict) else reply
    choices = within.get("choices") or within.get("candidates")
    first = next(iter(choices), None) if isinstance(choices, list) else None
    choice = first if isinstance(first, dict) else {}
    if choice.get("error"):
        return {"error": choice["error"]}
    reason = choice.get("finish_reason") or choice.get("finishReason") or reply.get("stop_reason")
    native = choice.get("native_finish_reason")
    if has_failed(reason, native):
        return {"message": f"its reply ended with {' and '.join(filter(None, (reason, native)))!r}"}
    return None


def retry_after(headers: Mapping[str, str], about: Mapping[str, Any]) -> float | None:
    """Return the seconds to wait before a retry, at least 0; None if the provider does not say."""
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
    return _told_in_body(about)


def _told_in_body(about: Mapping[str, Any]) -> float | None:
    details = about.get("details")
    for detail in details if isinstance(details, list) else ():  # Google's format
        if isinstance(detail, dict) and "retryDelay" in detail:
            return _number(str(detail["retryDelay"]).removesuffix("s"))
    told = _AGAIN.search(str(about.get("message")))  # Azure: "after 86400 seconds"; "in 7m12s"
    if told is None:
        return None
    hours, minutes, rest = (float(part or 0) for part in told.groups())
    return 3600 * hours + 60 * minutes + rest


_AGAIN = re.compile(
    r"\b(?:retry|again) (?:after|in) "
    r"(?:(\d{1,4})h)?(?:(\d{1,4})m)?(\d{1,9}(?:\.\d{1,9})?) ?s(?:ec|\b)",
    re.IGNORECASE,
)


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\s*\d{1,9}(\.\d{1,9})?\s*", text) else None
