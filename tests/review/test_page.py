"""Tests of the review page in a real browser, using the keyboard only."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont

from pytest_mobileagent import LongPress, Screen, Swipe, Tap, Type, testing
from pytest_mobileagent.verdict import VERDICTS, Verdict, append, effective, of_person, verdicts
from tests.flaws import flaws

pytestmark = pytest.mark.slow  # starts a browser

_PATIENCE = 60  # The page counts as broken if it has not changed after this many seconds.
HOSTILE = "<script>document.title='taken'</script>\"onerror=\"document.title='taken' \u202e txt"
ACTIONS = (Tap(270, 200), Swipe(270, 900, 270, 300), Type("tolstoy", at=(200, 330)),
           LongPress(100, 460))  # fmt: skip


def drawn(number: int) -> Screen:
    """Return a bookshop's screen with a screenshot."""
    picture = Image.new("RGB", (540, 1200), "white")
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(36)
    rows = ["War and Peace", "Middlemarch", f"page {number}"]
    for place, text in enumerate(rows):
        pen.rectangle((20, 140 + place * 130, 520, 250 + place * 130), outline="gray")
        pen.text((40, 170 + place * 130), text, fill="black", font=font)
    stream = io.BytesIO()
    picture.save(stream, "PNG")
    boxes = [f"[20,{140 + place * 130}][520,{250 + place * 130}]" for place in range(3)]
    nodes = [{"text": text, "bounds": box} for text, box in zip(rows, boxes, strict=True)]
    return Screen(testing.make_screen(*nodes).xml, stream.getvalue(), package="books")


class User:
    """A user who operates the page by keyboard."""

    def __init__(self, chrome: Any, page: Any) -> None:
        self.chrome, self.page = chrome, page
        chrome.execute_cdp_cmd("Network.clearBrowserCookies", {})
        chrome.get(page.server.url)
        chrome.execute_script("sessionStorage.clear()")

    def press(self, *keys: str) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        for key in keys:
            ActionChains(self.chrome, duration=0).send_keys(key).perform()

    def chord(self, held: str, key: str) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.chrome, duration=0).key_down(held).send_keys(key).key_up(held).perform()

    def ask(self, script: str) -> Any:
        return self.chrome.execute_script(f"return {script}")

    def sees(self, element: str, text: str) -> None:
        """Wait until an element shows a text."""
        from selenium.webdriver.support.ui import WebDriverWait

        place = f"document.querySelector({json.dumps(element)})"
        seen = f"{place}?.innerText.includes({json.dumps(text)})"
        message = f"{element} does not say {text!r}"
        WebDriverWait(self.chrome, _PATIENCE, 0.02).until(lambda _: self.ask(seen), message)


@pytest.fixture
def shop(run):
    """Return a run in which people must decide `a` and `b`, and a check decided `c`."""
    torn = [
        {"model": "gpt-4o", "passed": True, "reason": "A novel was opened", "details": {"k": 7}},
        {"model": "sonnet", "passed": False, "reason": HOSTILE, "details": {}},
    ]
    screens = [drawn(number) for number in range(5)]
    shown: dict[str, Any] = {"actions": ACTIONS, "screens": screens, "said": HOSTILE}
    judges = Verdict(None, "judges", "they disagree", {"judges": torn})
    run.add("a", "review", judges, goal=f"Read. {HOSTILE}", answer=HOSTILE, **shown)
    run.add("b", "review", goal="Read more.", **shown)
    run.add("c", "failed", Verdict(False, "check", HOSTILE, {"sought": HOSTILE}), **shown)
    run.end()
    return run


@pytest.fixture
def user(chrome, shop, serve):
    user = User(chrome, serve(shop.folder, who="ann"))
    user.sees("#goal", "Read. ")
    return user


def unclear(answer: str, *said: str, expected: str = "the number 6") -> Verdict:
    """Return a check's verdict on an unclear answer to a question."""
    texts = {"goal": f"How many? {HOSTILE}", "expected": expected, "answer": answer}
    found = {**texts, "said": list(said), "right": None}
    return Verdict(None, reason="the answer is unclear", evidence={"unclear": [found]})


def tasks(run: Any) -> dict[str, dict[str, Any]]:
    report = json.loads((run.folder / "report.json").read_text())
    return {task["id"]: task for task in report["tasks"]}


def test_episodes_are_decided_by_keyboard(user, shop):
    user.press("n", "it opened p f u", "\ue00c", "p")
    user.sees("#goal", "Read more.")
    user.sees("#status", "Passed: a")
    user.press("f")
    user.sees("#left", "0 left · 2 decided")
    user.press("u")
    user.sees("#left", "1 left · 1 decided")
    user.sees("#opinions", "ann took back the verdict before")
    user.press("u")
    user.sees("#goal", "Read. ")
    user.sees("#left", "2 left · 0 decided")
    user.press("f")
    user.sees("#status", "Failed: a")
    kept = verdicts(shop.folder / "episodes" / "a.0")
    assert [verdict.passed for verdict in kept] == [None, True, None, False]
    assert [verdict.reason for verdict in kept] == ["they disagree", "it opened p f u", "", ""]
    assert {verdict.evidence.get("who") for verdict in kept[1:]} == {"ann"}
    user.page.rewriter.close()
    outcomes = {name: task["outcome"] for name, task in tasks(shop).items()}
    assert outcomes == {"a": "failed", "b": "review", "c": "failed"}


def test_unclear_answers_are_decided_by_a_key_each_and_without_screenshots(chrome, shop, serve):
    for number in range(3):
        verdict = unclear(f"6 or 1{number} or 16 {HOSTILE}", "6", expected=HOSTILE)
        shop.add(f"u{number}", "review", verdict, answer="6 or 7")
    shop.end()
    user = User(chrome, serve(shop.folder, who="ann"))
    user.sees("#unclear-left", "3 of 3 left")
    current = "#answers [aria-current]"
    user.sees(f"{current} .asked-for", f"How many? {HOSTILE}")
    user.sees(f"{current} b", HOSTILE)
    user.sees(f"{current} .given", f"6 or 10 or 16 {HOSTILE}")
    marked = f"[...document.querySelectorAll('{current} mark')].map(m => m.innerText)"
    assert user.ask(marked) == ["6"]
    user.press("p")
    user.sees(current, "or 11 or")
    user.press("n", "no number", "\ue00c", "f")
    user.sees(current, "or 12 or")
    user.press("k", "u")
    user.sees("#unclear-left", "2 of 3 left")
    user.sees(current, "or 11 or")
    fetched = "performance.getEntriesByType('resource').map(e => new URL(e.name).pathname)"
    assert {path for path in user.ask(fetched) if path != "/queue"} == {"/verdict"}
    user.press("t")
    user.sees("#step", "Step 3 of 3")
    user.press("t")
    user.sees(current, "or 11 or")
    user.press("f")
    user.sees(current, "or 12 or")
    user.press("p")
    user.sees("#goal", "Read. ")
    user.sees("#left", "2 left · 3 decided")
    user.page.rewriter.close()
    outcomes = {name: task["outcome"] for name, task in tasks(shop).items()}
    assert [outcomes[f"u{number}"] for number in range(3)] == ["passed", "failed", "passed"]
    assert user.ask("document.title") == "2 left · Review"


def test_notes_are_kept_alone_and_names_can_be_given(user, shop):
    user.ask("document.querySelector('#who').focus()")
    user.press("bob", "\ue00c", "n", "unclear")
    user.chord("\ue009", "\ue007")  # Ctrl and Enter
    user.sees("#status", "The note is saved.")
    user.sees("#opinions", "bob noted")
    user.sees("#left", "2 left")
    (_, note) = verdicts(shop.folder / "episodes" / "a.0")
    assert (note.passed, note.reason, note.evidence["who"]) == (None, "unclear", "bob")


def test_steps_and_episodes_are_walked_through(user):
    user.sees("#step", "Step 5 of 5")  # The last screen decides most verdicts.
    assert flaws(user.chrome) == []
    user.press("\ue011")  # Home
    user.sees("#step", "Step 1 of 5")
    user.sees("#step", 'tap "War and Peace"')
    user.press("j")
    user.sees("#step", "swipe (270, 900) to (270, 300)")
    user.press("\ue014", "\ue014")  # right
    user.sees("#step", "Step 4 of 5")
    user.press("j", "j", "j")
    user.sees("#step", "finish")
    user.press("k", "\ue012")
    user.sees("#step", "Step 3 of 5")
    user.press("\ue011")
    user.sees("#step", "Step 1 of 5")
    user.press("\ue015")  # down
    user.sees("#goal", "Read more.")
    user.press("\ue013")
    user.sees("#goal", "Read. ")
    user.press("?")
    user.sees("dialog[open]", "undo your last")
    user.press("p", "\ue00c")
    user.sees("#left", "2 left")
    assert user.ask("document.querySelector('dialog[open]')") is None


def test_screens_are_shown_with_what_was_done_on_them(user):
    loaded = "[...document.images].every((i) => i.complete && i.naturalWidth === 540)"
    user.chrome.execute_async_script(
        "const done = arguments[0]; Promise.all([...document.images].map((i) => i.decode()))"
        ".then(() => done())"
    )
    assert user.ask(loaded)
    assert user.ask("document.querySelectorAll('#strip img').length") == 5
    view = "document.querySelector('#screen svg')"
    user.press("\ue011")  # Home
    assert user.ask(f"{view}.getAttribute('viewBox')") == "0 0 540 1200"
    assert user.ask(f"{view}.querySelector('circle').getAttribute('cx')") == "270"
    user.press("j")
    assert user.ask(f"{view}.querySelector('path').getAttribute('d')").startswith("M 270 900 L 270")
    picture, marks = (
        user.ask(f"document.querySelector('#screen {each}').getBoundingClientRect().toJSON()")
        for each in ("img", "svg")
    )
    assert {n: round(v) for n, v in marks.items()} == {n: round(v) for n, v in picture.items()}


def test_judges_stand_side_by_side_and_hostile_texts_are_texts(user):
    cards = user.ask(
        "[...document.querySelectorAll('.side-by-side .card')].map((c) => c.innerText)"
    )
    assert [card.split("\n")[:2] for card in cards] == [["gpt-4o", "done"], ["sonnet", "not done"]]
    assert HOSTILE in cards[1]
    user.sees("#goal", HOSTILE)
    user.press("\ue011")  # Home
    user.sees("#step", HOSTILE)
    assert user.ask("document.title") == "2 left · Review"
    assert user.ask("document.scripts.length") == 1
    assert user.ask("location.href").endswith("/")
    injected = "const s = document.createElement('script'); s.text = \"document.title='taken'\";"
    user.chrome.execute_script(f"{injected} document.body.append(s)")
    assert user.ask("document.title") == "2 left · Review"
    (told,) = user.chrome.get_log("browser")
    assert "Content Security Policy" in told["message"]


def test_an_error_is_shown_and_the_note_is_still_there(user, shop):
    path = shop.folder / "episodes" / "a.0" / VERDICTS
    kept = path.read_bytes()
    path.unlink()
    path.mkdir()
    user.press("n", "a long thought", "\ue00c", "p")
    user.sees("#problem", "Not saved: cannot write to")
    assert user.ask("document.querySelector('#note').value") == "a long thought"
    path.rmdir()
    path.write_bytes(kept)
    user.press("p")
    user.sees("#goal", "Read more.")
    assert user.ask("document.querySelector('#problem').hidden")
    stands = effective(verdicts(path.parent))
    assert stands is not None
    assert stands.reason == "a long thought"
    user.chrome.get_log("browser")


def test_a_damaged_episode_is_reported_and_only_others_decide_it(user, shop):
    folder = shop.folder / "episodes" / "b.0"
    (folder / "episode.jsonl").write_text("{")
    user.press("\ue015")
    user.sees("#damaged", "This episode cannot be shown")
    assert user.ask("document.querySelector('#pass').disabled")
    user.press("p")
    assert len(verdicts(folder)) == 1
    append(folder, of_person(True, HOSTILE))
    user.sees("#left", "1 left · 1 decided")
    user.sees("#row-1", HOSTILE)


def test_the_page_says_that_the_server_ended_until_it_returns(user):
    network: dict[str, Any] = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    for offline in (True, False):
        user.chrome.execute_cdp_cmd("Network.enable", {})
        given = network | {"offline": offline}
        user.chrome.execute_cdp_cmd("Network.emulateNetworkConditions", given)
        if offline:
            user.sees("#problem", "The review has ended")
            user.press("p")
            user.sees("#problem", "Not saved: the review has ended")
    user.press("p")
    user.sees("#left", "1 left")
    user.sees("#problem[hidden]", "")
    user.chrome.get_log("browser")


def test_thousands_of_episodes_take_few_rows(chrome, run, serve):
    run.add("a")
    (entry,) = run.results.values()
    for number in range(2_000):
        run.results[f"n{number:05}"] = replace(entry, id=f"n{number:05}", episode=f"e/{number}")
    run.end()
    user = User(chrome, serve(run.folder))
    user.sees("#left", "2001 left")
    user.sees("#name", "n00000")
    assert user.ask("document.querySelectorAll('.row').length") < 60
    user.ask("document.querySelector('#list').scrollTo(0, 1e9)")
    user.sees("#rows", "n01999")
    user.press("o")
    user.sees("#name", "n00001")


def test_colours_follow_the_system_and_every_control_has_a_name(user):
    colours = set()
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        user.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        colours.add(user.ask("getComputedStyle(document.body).backgroundColor"))
    assert len(colours) == 2
    tree = user.chrome.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    controls = [n for n in tree if n["role"]["value"] in {"button", "textbox", "image", "option"}]
    assert len(controls) > 10
    assert [n for n in controls if not n["ignored"] and not n["name"]["value"]] == []
