"""Error responses of providers: which error each of them means, and when to retry."""

from __future__ import annotations

import time
from email.utils import formatdate
from typing import Any

import pytest

from pytest_mobileagent.llm.model import ProviderBusyError
from pytest_mobileagent.llm.provider_errors import refused, retry_after

OPENAI = {"error": {"message": "No.", "type": "t", "param": None, "code": "c"}}
GOOGLE = [{"error": {"code": 429, "message": "No.", "status": "RESOURCE_EXHAUSTED"}}]


def said(status: int, body: Any, key: str = "") -> Any:
    return refused("http://model", status, body, {}, key)


@pytest.mark.parametrize(
    "body",
    [
        OPENAI,
        OPENAI["error"],
        GOOGLE,
        {"type": "error", "error": {"type": "t", "message": "No."}},
        {"object": "error", "message": "No.", "code": 429},
        {"detail": "No."},
        {"error": "No."},
        "No.",
    ],
)
def test_error_messages_of_every_provider_are_found(body):
    assert str(said(429, body)) == "http://model answers 429: No."


@pytest.mark.parametrize("body", [None, {}, [], "", {"error": None}])
def test_a_body_without_a_message_is_reported(body):
    assert str(said(500, body)).startswith("http://model answers 500: ")


def test_a_key_is_never_repeated_and_long_messages_are_cut():
    words = str(said(401, {"message": "bad key sk-123 " + "x" * 9999}, "sk-123"))
    assert "sk-123" not in words
    assert len(words) < 600


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": formatdate(0, usegmt=True)}, 0.0),
    ],
)
def test_the_time_to_retry_is_read_in_every_form(headers, seconds):
    assert retry_after(headers, {}) == seconds


def test_retry_date_is_converted_to_seconds():
    seconds = retry_after({"retry-after": formatdate(time.time() + 60, usegmt=True)}, {})
    assert seconds is not None
    assert 50 < seconds <= 60


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("exceeded the rate limit. Please retry after 86400 seconds.", 86400.0),
        ("Please try again in 7m12.5s. Visit", 432.5),
        ("Please retry in 34.5s.", 34.5),
        ("Try again in 1h2m3s", 3723.0),
        ("Please try again in 120ms.", None),
        ("Please try again later, in 5 steps", None),
    ],
)
def test_the_time_to_retry_may_be_in_the_words(words, seconds):
    assert retry_after({}, {"message": words}) == seconds


def test_google_sends_the_time_to_retry_in_the_body():
    details = [{"@type": "…/Help"}, {"@type": "…/RetryInfo", "retryDelay": "34.5s"}]
    error = said(429, [{"error": {"message": "No.", "details": details}}])
    assert isinstance(error, ProviderBusyError)
    assert error.retry_after == 34.5
