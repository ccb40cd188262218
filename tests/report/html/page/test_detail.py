"""Tests in a real browser of an episode's details: messages, differences, raw data and panes."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytestmark = pytest.mark.slow  # starts a browser
DETAIL = "document.querySelector('#detail')"
SIZES = f"[{DETAIL}.offsetWidth, {DETAIL}.offsetHeight]"


@pytest.fixture
def reader(read: Any, invented: Any, pictures: Any) -> Any:
    """Return a reader at the fourth step of an episode."""
    episode = invented.episode("a.0", pictures)
    reader = read(invented.index([invented.row("clock/a", e="a.0")]), [episode])
    reader.go("#e=a.0&s=4")
    reader.sees("#step h2", "Step 4 of 6")
    return reader


def test_messages_are_shown_literally_with_their_pictures_in_place(reader: Any) -> None:
    reader.sees("#panel .call", "gpt-4o actor · 3,021 → 64 tokens · 1,024 cached · $0.0041 · 2.4 s")
    roles = ["system", "user", "reply", "calls a tool"]
    assert reader.texts("#panel .bubble .label") == roles
    reader.sees("#panel .system", "You are an agent that uses a phone.")  # of several calls
    parts = "[...document.querySelectorAll('#panel .asked > :not(.label)')].map((n) => n.tagName)"
    assert reader.ask(parts) == ["PRE", "SPAN", "PRE"]
    reader.sees("#tab-messages", "Messages3")


def test_prompt_is_compared_with_the_step_before_and_equal_passages_folded(reader: Any) -> None:
    reader.press("2")
    added, removed = (reader.texts(f"#panel .{each}") for each in ("added", "removed"))
    assert (added[0], removed[0]) == ("+ This is step 4.", "− This is step 3.")
    assert added[1].startswith("+ [picture ")
    reader.sees("#tab-difference", "Difference+2 −2")
    reader.press("\ue011")  # Home
    reader.sees("#panel", "No step before has a call in this role.")
    lines = "[...Array(20).keys()].map(String)"
    changed = f"{lines}.map((n) => n === '9' ? 'x' : n)"
    node = f"differenceNode(differenceOf({lines}, {changed}))"
    reader.ask(f"document.querySelector('#panel').replaceChildren({node})")
    assert reader.texts("#panel .difference > *") == [
        "6 equal lines", "  6", "  7", "  8", "− 9", "+ x", "  10", "  11", "  12", "7 equal lines",
    ]  # fmt: skip


def test_request_reply_tools_and_files_are_shown_as_recorded(reader: Any) -> None:
    reader.click("#tab-raw")
    request, reply = map(json.loads, reader.texts("#panel .raw"))
    assert request["prompt"][0]["content"] == ["You are an agent that uses a phone. " * 20]
    assert request["settings"]["tools"][0]["name"] == "tap"
    assert reply["tool_calls"] == [{"id": "1", "name": "tap", "arguments": {"x": 3}}]
    reader.chrome.find_element("css selector", "#panel [title='Copy: Reply']").click()
    reader.sees("#status", "Reply copied.")
    reader.sees("#tab-tools", "Tools2")
    reader.press("4")
    reader.sees("#panel .reply", "calls tap")
    reader.sees("#panel .tool", "tap Tap a point.")
    reader.press("9")
    assert reader.texts("#panel li") == ["calls.jsonl 4,711 bytes", "program/agent.html 12 bytes"]
    # Only files that a browser does not run are links.
    (link,) = reader.chrome.find_elements("css selector", "#panel li a")
    assert link.get_attribute("href").endswith("/episodes/a.0/calls.jsonl")


def test_tab_and_panes_are_remembered(reader: Any) -> None:
    reader.ask("document.querySelector('#tab-messages').focus()")
    reader.press("\ue014", "\ue014")  # right
    reader.until("document.activeElement.id === 'tab-raw'")
    reader.sees("#panel h3", "REQUEST")
    reader.sees("#place", "Step 4 / 6")
    reader.click("#tab-log")
    wide, _ = reader.ask(SIZES)
    reader.press("b")
    reader.until("document.querySelector('#episode').classList.contains('below')")
    assert reader.ask(SIZES)[0] > wide
    high = reader.ask(SIZES)[1]
    splitter = reader.chrome.find_element("css selector", "#split")
    reader.ask("document.querySelector('#split').focus()")
    reader.press("\ue013", "\ue013")  # up
    reader.until(f"{SIZES}[1] > {high + 40}")
    reader.sees("#place", "Step 4 / 6")  # The splitter handles the keys itself.
    _drag(reader, splitter, 60)
    reader.until(f"{SIZES}[1] < {high}")
    low = reader.ask(SIZES)[1]
    reader.go("#e=a.0&s=2")
    reader.sees("#step h2", "Step 2 of 6")
    assert reader.ask("document.querySelector('[role=tab][aria-selected=true]').id") == "tab-log"
    assert abs(reader.ask(SIZES)[1] - low) < 2


def _drag(reader: Any, element: Any, down: int) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    chain = ActionChains(reader.chrome, duration=0)
    chain.click_and_hold(element).move_by_offset(0, down).release().perform()
