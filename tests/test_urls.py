"""Tests of URLs: shown without the secrets in them, and reached by a proxy or past it."""

from __future__ import annotations

import base64

import pytest

from pytest_mobileagent.urls import (
    by_proxy,
    hide,
    is_loopback,
    passwords_in,
    proxy_of,
    redact_urls,
    sparing_loopback,
)


@pytest.mark.parametrize(
    ("text", "public"),
    [
        ("appium:http://hub:4444/wd/hub", "appium:http://hub:4444/wd/hub"),
        ("appium:https://me:SECRET@hub/wd/hub", "appium:https://hub/wd/hub"),
        ("https://me:SECRET/SECRET@hub/wd", "https://hub/wd"),
        ("https://me@SECRET:SECRET@hub/wd", "https://hub/wd"),
        ("https://me:SEC RET@hub/wd", "https://hub/wd"),
        ("https://me:SEC?RET#1@hub/wd", "https://hub/wd"),
        ("https://hub/wd?key=SECRET&x=SECRET", "https://hub/wd?key=…&x=…"),
        ("https://hub/wd?SECRET", "https://hub/wd?…"),
        ("https://hub/wd#token=SECRET", "https://hub/wd"),
        ("http://a:SECRET@x/ and http://b:SECRET@y/?k=SECRET.", "http://x/ and http://y/?k=…"),
        (
            "openai:a@http://me:SECRET@x/v1,openai:b@http://me:SECRET@y/v1",
            "openai:a@http://x/v1,openai:b@http://y/v1",
        ),
        ("openai:a@http://x:1/v1,openai:b@http://y", "openai:a@http://x:1/v1,openai:b@http://y"),
        ("http://x/?key=http://me:SECRET@y", "http://x/?key=…"),
        ("serial:emulator-5554,farm:5037/x", "serial:emulator-5554,farm:5037/x"),
        ("bob@example.com", "bob@example.com"),
    ],
)
def test_secrets_are_left_out(text, public):
    assert redact_urls(text) == public


def test_an_error_does_not_reveal_the_urls_secrets():
    url = "https://me:SE%2FCRET@hub/wd/hub?key=QUERY&BARE"
    said = hide("Max retries exceeded with url: /wd/hub/session?key=QUERY&BARE for me:SE/CRET", url)
    assert not {"SE%2FCRET", "SE/CRET", "QUERY", "BARE"} & set(said.replace("=", " ").split())
    assert "QUERY" not in said
    assert "SE/CRET" not in said
    assert said.startswith("Max retries exceeded with url: /wd/hub/session?key=…")
    basic = base64.b64encode(b"me:SE/CRET").decode()
    assert "SE/CRET" not in hide(f"bad header Basic {basic}", url)
    assert basic.rstrip("=") not in hide(f"bad header Basic {basic}", url)


def test_passwords_are_found_in_any_text():
    said = passwords_in(
        "http://me:one@hub/wd openai:a@https://you:t%20wo@x/v1 and me@home http://x/@y"
    )
    plain = {word for word in said if not word.endswith(("V", "v", "g", "28"))}
    assert {"one", "t%20wo", "t wo"} <= plain
    assert passwords_in("http://hub/wd and me:you@home") == []


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        *((host, True) for host in (
            "localhost", "LOCALHOST", "localhost.", "app.localhost", "127.0.0.1", "127.0.0.2",
            "127.1", "::1", "[::1]", "::ffff:127.0.0.1", "0.0.0.0", "[::]",
        )),
        *((host, False) for host in (
            "", "10.0.0.1", "[fe80::1]", "example.com", "localhost.example.com",
            "127.0.0.1.example.com", "\0", "ü..x",
        )),
    ],
)  # fmt: skip
def test_the_names_of_this_machine_are_known(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {}),
        ({"NO_PROXY": "a.org"}, {}),
        ({"https_proxy": ""}, {}),
        ({"https_proxy": "p:1"}, {"no_proxy": "", "NO_PROXY": ""}),
        ({"ALL_PROXY": "p:1", "NO_PROXY": "a.org"}, {"no_proxy": "a.org,", "NO_PROXY": "a.org,"}),
        (
            {"HTTP_PROXY": "p:1", "NO_PROXY": "a.org", "no_proxy": ".b.org, localhost"},
            {"no_proxy": ".b.org,localhost,127.0.0.1,::1|", "NO_PROXY": "a.org,"},
        ),
        ({"http_proxy": "p:1", "no_proxy": "*"}, {"no_proxy": "*|", "NO_PROXY": "*|"}),
    ],
)
def test_this_machine_is_added_to_the_hosts_without_a_proxy(
    given: dict[str, str], expected: dict[str, str]
) -> None:
    own = "127.0.0.1,localhost,::1"
    assert sparing_loopback(given) == {
        name: hosts.removesuffix("|") if hosts.endswith("|") else hosts + own
        for name, hosts in expected.items()
    }


NO_PROXY = "spared.org, port.org:443,10.0.0.0/8,fd00::/16,[fd01::7],*.star.org,,a:b:c,/,[::1]:8"


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("http://a.org/v1", "http://me:pw@p:1"),
        ("https://a.org", "socks5://q:2"),
        ("http://spared.org:80/v1", ""),
        ("http://a.spared.org", ""),
        ("https://port.org/v1", ""),
        ("https://port.org:8443/v1", "socks5://q:2"),
        ("http://10.1.2.3:8000/v1", ""),
        ("http://11.1.2.3:8000/v1", "http://me:pw@p:1"),
        ("http://[fd00::7]:8000/v1", ""),
        ("http://[fd01::7]:8000/v1", ""),
        ("http://[fd02::7]:8000/v1", "http://me:pw@p:1"),
        ("https://b.star.org", ""),
        ("https://star.org.example", "socks5://q:2"),
        ("http://me:pw@127.0.0.2:8000", ""),
        ("http://[::1", ""),
    ],
)
def test_the_proxy_of_a_url_is_the_one_that_the_environment_names(
    monkeypatch: pytest.MonkeyPatch, url: str, proxy: str
) -> None:
    for each in ("HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(each, raising=False)
    monkeypatch.setenv("http_proxy", "me:pw@p:1")
    monkeypatch.setenv("all_proxy", "socks5://q:2")
    monkeypatch.setenv("no_proxy", NO_PROXY)
    assert proxy_of(url) == proxy
    assert by_proxy(url).startswith(" (through the proxy ") is bool(proxy)
    assert "pw" not in by_proxy(url)
