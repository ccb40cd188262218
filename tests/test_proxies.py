"""Tests of which proxies are used, and that this machine is reached past them."""

from __future__ import annotations

import pytest

from pytest_mobileagent.urls import by_proxy, is_loopback, proxy_of, sparing_loopback


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
