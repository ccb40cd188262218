"""Tests of the review server: authorisation, responses, and that no request becomes a path."""

from __future__ import annotations

import json
import re
import socket
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Screen, Step
from pytest_mobileagent.action import Finish, Key, Type
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.report.html.trajectory import opinions, screens
from pytest_mobileagent.review.server import trajectory
from pytest_mobileagent.verdict import VERDICTS, Verdict, effective, of_person, verdicts, withdrawal

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent import Action


HOSTILE = """<script>alert(1)</script>"onerror='x' </style>{nonce} \u202e\x1b[31m"""
BODY = json.dumps({"episode": 0, "decision": "pass", "note": "", "who": ""}).encode()


@pytest.fixture
def page(run: Any, serve: Callable[..., Any]) -> Any:
    """Return the page of a run with one episode for review."""
    run.add("a", goal=HOSTILE, said=HOSTILE, answer=HOSTILE)
    run.end()
    return serve(run.folder)


def test_nothing_is_served_without_the_token(page):
    for path in ("/", "/queue", "/episode/0", "/screen/0/0", "/nowhere"):
        for token in ("wrong", "é", page.server.token[:-1]):
            status, headers, body = page.ask(path, token=token)
            assert (status, b"command printed" in body) == (403, True)
            assert "Set-Cookie" not in headers
        for given in ("", "?token=", f"?token={page.server.token}x"):
            assert page.ask(f"{path}{given}", Cookie="")[0] == 403


def test_the_address_opens_the_page_and_an_invitation_works_once(page):
    status, headers, body = page.ask(f"/?token={page.server.token}", Cookie="")
    assert status == 200
    assert "HttpOnly; SameSite=Strict" in headers["Set-Cookie"]
    assert page.ask("/queue", Cookie=headers["Set-Cookie"].partition(";")[0])[0] == 200
    assert page.server.token.encode() not in body
    assert page.server.server_address[0] == "127.0.0.1"
    assert page.server.url == f"http://127.0.0.1:{page.server.server_port}/?{page.server.url[-49:]}"
    path = page.server.invitation().partition("/?")[2]
    assert [page.ask(f"/?{path}", Cookie="")[0] for _ in range(2)] == [200, 403]


HOSTS = {"evil.example": 403, "evil.example:80": 403, "127.0.0.1.evil.example": 403, "": 403}
HOSTS |= {"localhost@evil": 403, "localhost:9000": 200, "127.0.0.1": 200}


def test_foreign_host_names_are_refused(page):
    for host, status in HOSTS.items():
        with socket.create_connection(("127.0.0.1", page.server.server_port)) as connection:
            cookie = f"Cookie: {page.server.cookie}={page.server.token}\r\n"
            connection.sendall(f"GET /queue HTTP/1.1\r\nHost: {host}\r\n{cookie}\r\n".encode())
            assert connection.recv(12) == f"HTTP/1.1 {status}".encode(), host


def test_only_the_page_itself_may_decide(page, run):
    for headers in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Content_Type": "text/plain"},
        {"Content_Length": "999999999"},
        {"Content_Length": "-1"},
        {"Cookie": ""},
        {"Host": "evil.example", "Origin": "http://evil.example"},
    ):
        assert page.ask("/verdict", BODY, **headers)[0] in {400, 403, 413, 415}, headers
    assert len(verdicts(run.folder / "episodes" / "a.0")) == 1


def test_unknown_numbers_are_not_found(page):
    for path in (
        "/screen/0/../../report.json",
        "/screen/0/%2e%2e",
        "/screen/../../../etc/passwd",
        "/episodes/a.0/episode.jsonl",
        "/run.json",
        "/episode/-1",
        "/episode/1",
        "/episode/99999999999999999999",
        "/screen/0/99",
        "/screen/1/0",
        "//etc/passwd",
        "/page.html",
    ):
        status, headers, body = page.ask(path)
        assert (status, headers["Content-Type"]) == (404, "application/json"), path
        assert "error" in json.loads(body)


def test_the_page_runs_only_its_own_script(page):
    _, headers, body = page.ask("/")
    _, others, again = page.ask("/")
    policy = headers["Content-Security-Policy"]
    (nonce,) = set(re.findall(r"nonce-([\w-]+)'", policy))
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert nonce not in others["Content-Security-Policy"]
    text = body.decode()
    assert text.count(f'nonce="{nonce}"') == text.count("<script") + text.count("<style") == 2
    assert "{nonce}" not in again.decode()
    assert not re.search(r"""\son\w+=|\sstyle=|innerHTML|insertAdjacentHTML|eval\(""", text)
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-store"


def test_hostile_texts_are_data_and_screens_are_pictures(page, run):
    told = page.get("/episode/0")
    assert (told["goal"], told["answer"], told["frames"][0]["said"]) == (HOSTILE,) * 3
    assert page.ask("/episode/0")[1]["Content-Type"] == "application/json"
    assert b"alert(1)" not in page.ask("/")[2]
    status, headers, body = page.ask("/screen/0/0?v=1")
    assert (status, headers["Content-Type"]) == (200, "image/png")
    assert body == run.make_screen("0").png


def test_an_invalid_decision_decides_nothing(page, run):
    before = (run.folder / "episodes" / "a.0" / VERDICTS).read_bytes()
    for body in (
        b"",
        b"[]",
        b"[" * 90_000,
        b"\xff",
        b'{"episode": 7, "decision": "pass"}',
        b'{"episode": [], "decision": "pass"}',
        b'{"episode": "../a.0", "decision": "pass"}',
        b'{"episode": 0, "decision": "maybe"}',
        b'{"episode": 0, "decision": {}}',
        b'{"episode": 0}',
        b'{"episode": 0, "decision": "note", "note": " "}',
        b'{"episode": 0, "decision": "undo"}',
    ):
        status, _, told = page.ask("/verdict", body)
        assert status in {400, 404}
        assert json.loads(told)["error"]
    assert (run.folder / "episodes" / "a.0" / VERDICTS).read_bytes() == before
    assert page.get("/queue")["left"] == 1


def test_other_methods_and_protocols_are_refused_and_do_not_end_the_server(page):
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE", "HEAD", "<script>"):
        status, _, body = page.ask("/queue", method=method)
        assert (status, b"<" in body) == (501, False)
    for junk in (b"\0\xff\r\n\r\n", b"GET /queue HTTP/9.9\r\n\r\n", b"GET " + b"a" * 70_000):
        with socket.create_connection(("127.0.0.1", page.server.server_port)) as connection:
            connection.sendall(junk)
    assert page.get("/queue")["left"] == 1


def test_a_verdict_is_kept_with_who_and_why_and_a_known_queue_is_not_sent_again(page, run):
    _, headers, _ = page.ask("/queue")
    status, _, body = page.ask("/queue", If_None_Match=headers["ETag"])
    assert (status, body) == (304, b"")
    told = page.decide(0, "pass", " it opened \u2028 a novel ", who=" bob ")
    assert page.ask("/queue", If_None_Match=headers["ETag"])[0] == 200
    assert [each["scorer"] for each in told["opinions"]] == ["check", "person"]
    stands = effective(verdicts(run.folder / "episodes" / "a.0"))
    assert stands is not None
    assert (stands.passed, stands.evidence["who"]) == (True, "bob")
    assert stands.reason == "it opened \u2028 a novel"
    assert stands.extra["when"]
    queue = page.get("/queue")
    assert (queue["left"], queue["items"]) == (0, [[0, "a", "review", True, "bob"]])


SCREEN = (100, 200)  # in pixels
MARKS: dict[str, tuple[Action, tuple[Any, ...] | None]] = {
    "tap": (Tap(3, 4), ("tap", (3, 4), None)),
    "long press": (LongPress(3, 4), ("longpress", (3, 4), None)),
    "double tap": (DoubleTap(3, 4), ("doubletap", (3, 4), None)),
    "swipe": (Swipe(1, 2, 3, 4), ("swipe", (1, 2), (3, 4))),
    "typing into a field": (Type("a", at=(3, 4)), ("type", (3, 4), None)),
    "typing": (Type("a"), None),
    "a scroll's finger": (Scroll("up"), ("scroll", (50, 150), (50, 50))),
    "a scroll somewhere": (Scroll("right", at=(40, 80)), ("scroll", (15, 80), (65, 80))),
    "a scroll of a newer version": (Scroll("round"), None),  # type: ignore[arg-type]
    "a scroll at no place": (Scroll("up", at=(1, 2, 3)), None),  # type: ignore[arg-type]
    "a key": (Key("back"), None),
    "no numbers": (Tap("<b>", None), None),  # type: ignore[arg-type]
    "not finite": (Tap(float("nan"), float("inf")), None),  # type: ignore[arg-type]
    "huge": (Tap(10**400, 1), None),
}


@pytest.mark.parametrize(("action", "mark"), MARKS.values(), ids=MARKS)
def test_marks_are_where_the_finger_was(make_episode, action, mark):
    (frame, _) = trajectory(make_episode(action))["frames"]
    found = [(each["kind"], each["at"], each["to"]) for each in frame["marks"]]
    assert found == ([mark] if mark else [])
    assert frame["size"] == SCREEN


def test_failed_actions_are_marked_and_an_invalid_screenshot_has_no_size(make_episode, make_screen):
    step = Step(make_screen("0"), (Tap(1, 1), Tap(2, 2)), notice="off the screen", undone=1)
    (frame, _) = trajectory(make_episode(Tap(1, 1), steps=(step,)))["frames"]
    assert [mark["done"] for mark in frame["marks"]] == [True, False]
    assert frame["notice"] == "off the screen"
    broken = Screen("<hier", b"\x89PNG")
    told = trajectory(make_episode(Tap(1, 1), screens=(broken, broken)))
    assert told["frames"][0]["size"] is None


def test_the_screen_of_a_report_is_shown_once(make_episode, make_screen):
    first, last = make_screen("0"), make_screen("1")
    episode = make_episode(Tap(1, 1), Finish("3"), screens=(first, last, last))
    assert screens(episode) == (first, last)
    told = trajectory(episode)
    assert [frame["title"] for frame in told["frames"]] == ["Step 1", "Step 2"]
    assert told["answer"] == "3"
    assert len(trajectory(make_episode(Tap(1, 1)))["frames"]) == 2


def test_verdicts_with_their_authors_and_the_effective_one():
    judges = [{"model": "m", "passed": True, "reason": "r", "details": {}, "mood": 1}, "junk"]
    said = opinions(
        [
            Verdict(None, "judges", "torn", {"judges": judges, "coarse": {"found": 3}}),
            Verdict(None, "judges", evidence={"judges": "junk"}),
            of_person(True, "ann", "fine"),
            withdrawal("bob"),
        ]
    )
    assert said[0]["judges"] == [{"model": "m", "passed": True, "reason": "r", "details": {}}]
    assert said[0]["evidence"] == {"coarse": {"found": 3}}
    assert said[1]["judges"] == []
    assert [each["stands"] for each in said] == [False, False, True, False]
    assert [each["withdrawn"] for each in said] == [False, False, False, True]
