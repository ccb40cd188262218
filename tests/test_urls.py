"""Tests that URLs are shown without the secrets in them."""

from __future__ import annotations

import base64

import pytest

from pytest_mobileagent.urls import hide, passwords_in, redact_urls


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


def test_an_error_does_not_reveal_headers_made_from_the_url():
    url = "https://me:SE%2FCRET@hub/wd/hub"
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
