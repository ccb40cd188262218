"""Tests of the page's shell, which surrounds its data."""

from __future__ import annotations

import base64
import hashlib
import re
from importlib.resources import files
from typing import get_args, get_type_hints

from pytest_mobileagent.report.html import page
from pytest_mobileagent.report.html.page import shell


def test_policy_allows_only_own_script_and_style() -> None:
    text = b"".join(shell("a run")).decode()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', text)
    assert policy.startswith("default-src &#39;none&#39;; ")
    assert "unsafe" not in policy
    assert "connect-src" not in policy
    for tag in ("script", "style"):
        (own,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(own.encode()).digest()).decode()
        assert f"{tag}-src &#39;sha256-{digest}&#39;" in policy


def test_only_a_live_page_may_connect_to_its_server_and_titles_are_escaped() -> None:
    assert "connect-src &#39;self&#39;" in b"".join(shell("a run", live=True)).decode()
    before, _ = shell("</title><script>alert(1)</script>")
    assert b"<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title>" in before


def text_of(name: str) -> str:
    return files(page).joinpath(name).read_text("utf-8")


def test_every_script_of_the_page_is_included() -> None:
    kinds = get_args(get_type_hints(shell)["kind"])
    assert "graph" in kinds
    text = b"".join(part for kind in kinds for part in shell("a", kind=kind)).decode()
    names = [each.name for each in files(page).iterdir() if each.name.endswith((".js", ".css"))]
    assert len(names) > 20
    assert [name for name in names if text_of(name) not in text] == []


def test_no_script_creates_elements_from_markup() -> None:
    scripts = [each.name for each in files(page).iterdir() if each.name.endswith(".js")]
    unsafe = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|new Function"
        r"|createContextualFragment|srcdoc|https?://(?!www\.w3\.org/2000/svg)"
    )
    found = [name for name in scripts if unsafe.search(text_of(name))]
    assert found == []
