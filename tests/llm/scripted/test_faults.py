"""Scripted faults of a served model, and requests that it refuses."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from pytest_mobileagent.testing import Fault, ScriptedModel, When
from tests.llm.scripted.asking import (
    ASKED,
    CHAT,
    GEMINI,
    MESSAGES,
    RESPONSES,
    answer,
    events,
    fetch,
)


@pytest.mark.parametrize("path", ASKED)
@pytest.mark.parametrize("status", [400, 429, 529])
def test_error_has_the_format_of_the_api_and_retry_after(path, status):
    with ScriptedModel([Fault(status, retry_after=2)]).serve() as url:
        with pytest.raises(HTTPError) as caught:
            fetch(url + path, ASKED[path])
        with caught.value as error:
            assert (error.code, error.headers["retry-after"]) == (status, "2")
            body = json.loads(error.read())
    assert body["error"]["message"] == Fault(status).words
    names = {MESSAGES: ("type", "rate_limit_error"), GEMINI: ("status", "RESOURCE_EXHAUSTED")}
    field, word = names.get(path, ("code", "rate_limit_exceeded"))
    assert (body["error"][field] == word) == (status == 429)


@pytest.mark.parametrize("path", ASKED)
@pytest.mark.parametrize("read", [answer, events])
def test_reply_can_be_truncated(path, read):
    with pytest.raises(http.client.IncompleteRead) as caught:
        read(ScriptedModel([Fault("cut", after=2)]), path)
    assert caught.value.partial


def test_request_after_an_unanswered_one_is_answered():
    with ScriptedModel([Fault("timeout"), "here"]).serve() as url:
        place = urlsplit(url)
        silent = http.client.HTTPConnection(place.hostname or "", place.port, timeout=0.05)
        silent.request("POST", place.path + CHAT, json.dumps(ASKED[CHAT]))
        with pytest.raises(TimeoutError):
            silent.getresponse()
        silent.close()
        body = json.loads(fetch(url + CHAT, ASKED[CHAT]))
        assert body["choices"][0]["message"]["content"] == "here"


@pytest.mark.parametrize("read", [answer, events])
def test_slow_model_delays_its_answer(read):
    started = time.monotonic()
    read(ScriptedModel([Fault("slow", after=0.03), "so"]), CHAT)
    assert time.monotonic() - started >= 0.03


def test_a_closed_server_releases_waiting_clients_and_leaves_nothing():
    asked = threading.Event()

    def wait_for_ever(_: object) -> Fault:
        asked.set()
        return Fault("timeout")

    url = ScriptedModel([wait_for_ever]).serve()
    ended = []

    def ask() -> None:
        with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
            fetch(url + CHAT, ASKED[CHAT])
        ended.append(True)

    waiting = threading.Thread(target=ask)
    waiting.start()
    assert asked.wait(5)
    url.close()
    waiting.join(5)
    assert ended
    url.close()
    assert not [each for each in threading.enumerate() if each.name == "scripted model"]
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((urlsplit(url).hostname, urlsplit(url).port))


@pytest.mark.parametrize(
    ("path", "body", "problem"),
    [
        (CHAT, {"model": "m"}, "KeyError: 'messages'"),
        (CHAT, {"model": "m", "messages": [{"role": "robot"}]}, "no message has the role 'robot'"),
        (CHAT, [], "the body must be a JSON object"),
        (CHAT, {"messages": []}, "KeyError: 'model'"),
        (MESSAGES, {"model": "m", "messages": []}, "KeyError: 'max_tokens'"),
        (RESPONSES, {"model": "m", "input": 3}, "TypeError"),
        (GEMINI, {"contents": [{"parts": [{"inlineData": {"data": "-"}}]}]}, "not in base64"),
    ],
)
def test_unreadable_body_is_refused(path, body, problem):
    with ScriptedModel(["so"]).serve() as url:
        with pytest.raises(HTTPError) as caught:
            fetch(url + path, body)
        with caught.value as error:
            assert error.code == 400
            assert problem in json.loads(error.read())["error"]["message"]


def test_deeply_nested_body_is_refused():
    with ScriptedModel(["so"]).serve() as url:
        asked = Request(url + CHAT, b"[" * 100_000, {"Content-Type": "application/json"})
        with pytest.raises(HTTPError) as caught:
            urlopen(asked, timeout=10)
        with caught.value as error:
            assert error.code == 400
            assert "nested too deeply" in json.loads(error.read())["error"]["message"]


def test_served_model_without_replies_says_so():
    def fail(_: object) -> str:
        raise LookupError("nothing")

    with ScriptedModel([When("", fail)]).serve() as url, pytest.raises(HTTPError) as caught:
        fetch(url + CHAT, ASKED[CHAT])
    with caught.value as error:
        assert json.loads(error.read())["error"]["message"] == "LookupError: nothing"
    with ScriptedModel([]).serve() as url, pytest.raises(HTTPError) as caught:
        fetch(url + CHAT, ASKED[CHAT])
    with caught.value as error:
        assert "no reply left" in json.loads(error.read())["error"]["message"]
