"""Fixtures for pages in a browser: invented runs with all outcomes, and hostile texts."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image, ImageDraw, ImageFont

from pytest_mobileagent.report.html.episode import words_of
from pytest_mobileagent.report.html.page import shell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path


HOSTILE = (
    "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
    "<!--<style>*{display:none}</style> ${alert(1)} {{ 7 * 7 }} \u202etxt.exe\u202c \x00\x1b[31m "
    "javascript:alert(1) '\"`\\ \ud83d"
)
SIZE = (540, 1200)
ROWS = ("Alarm", "Clock", "Timer", "Stopwatch")


def packed(name: str, content: Any) -> bytes:
    """Return a block of data as it is embedded in a page."""
    data = content if isinstance(content, bytes) else gzip.compress(json.dumps(content).encode())
    text = base64.b64encode(data).decode()
    return f'<script type="application/octet-stream;base64" id="{name}">{text}</script>\n'.encode()


def screenshot(title: str, rows: Sequence[str], colour: str = "#f7f2fa") -> bytes:
    """Return a picture of a list."""
    picture = Image.new("RGB", SIZE, colour)
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(34)
    pen.rectangle((0, 0, SIZE[0], 110), fill="#4f378b")
    pen.text((28, 38), title, fill="white", font=font)
    for place, text in enumerate(rows):
        top = 140 + place * 130
        pen.rounded_rectangle((20, top, 520, top + 110), 18, fill="#e8def8")
        pen.text((44, top + 34), text, fill="#1d1b20", font=font)
    stream = io.BytesIO()
    picture.save(stream, "PNG")
    return stream.getvalue()


def tree(rows: Sequence[str]) -> list[Any]:
    """Return the elements of that picture."""
    children = [
        ["android.widget.TextView", text, f"com.clock:id/row{place}", "",
         [20, 140 + place * 130, 520, 250 + place * 130], "clickable", []]
        for place, text in enumerate(rows)
    ]  # fmt: skip
    bar = ["android.widget.Toolbar", "", "com.clock:id/bar", "Clock", [0, 0, 540, 110], "", []]
    body = ["android.widget.ListView", "", "", "", [0, 110, 540, 1200], "scrollable", children]
    return ["android.widget.FrameLayout", "", "", "", [0, 0, 540, 1200], "", [bar, body]]


def row(name: str, outcome: str = "passed", **fields: Any) -> dict[str, Any]:
    """Return an entry of the index."""
    success = {"passed": True, "failed": False}.get(outcome)
    app = name.split("/", maxsplit=1)[0]
    return {
        "id": name, "nodeid": f"tasks/{app}/test_{app}.py::test_{name.rsplit('/', maxsplit=1)[-1]}",
        "suite": app, "app": f"com.android.{app}", "kind": "single", "level": 1, "language": "en",
        "tags": [], "epoch": None, "environment": None, "outcome": outcome, "success": success,
        "fault": "agent" if outcome == "failed" else None, "termination": "self-reported",
        "steps": 6, "golden_steps": 4, "step_ratio": 1.5 if success else None,
        "first_success_step": 6 if success else None, "seconds": 31.5, "cost_usd": 0.0123,
        "judge_cost_usd": None, "input_tokens": 18_000, "output_tokens": 420,
        "partial_credit": None, "reason": "" if success else "the alarm is set for 7:00",
        "sought": "", "closest": "", "infrastructure": [], "e": None, "device": "emulator-5554",
        "began": 0.0, "worker": None, "crashes": 0, "error": "",
        "cause": None if success else "self-reported: Alarm(…)", **fields,
    }  # fmt: skip


def totals(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the totals of some rows that the page shows."""
    decided = [each for each in rows if each["success"] is not None]
    won = sum(each["success"] for each in decided)
    outcomes = [each["outcome"] for each in rows]
    ratios = [each["step_ratio"] for each in rows if each["step_ratio"]]
    return {
        "tasks": len(rows), "decided": len(decided), "successes": won,
        "success_rate": won / len(decided) if decided else None,
        "errors": outcomes.count("error"), "review": outcomes.count("review"),
        "skipped": outcomes.count("skipped"), "not_run": outcomes.count("not run"),
        "cost_usd": sum(each["cost_usd"] or 0 for each in rows),
        "input_tokens": sum(each["input_tokens"] or 0 for each in rows),
        "output_tokens": sum(each["output_tokens"] or 0 for each in rows),
        "seconds": sum(each["seconds"] or 0 for each in rows), "seconds_per_step": 4.2,
        "mean_step_ratio": sum(ratios) / len(ratios) if ratios else None,
        "unpriced_calls": 0, "roles": {"judge": {"cost_usd": 0.04}},
    }  # fmt: skip


def index(rows: Sequence[dict[str, Any]], **fields: Any) -> dict[str, Any]:
    """Return the page's data about a run."""
    groups = {"apps": "app", "levels": "level", "suites": "suite"}
    by = {
        name: {
            str(value): totals([each for each in rows if each[field] == value])
            for value in sorted({each[field] for each in rows})
        }
        for name, field in groups.items()
    }
    return {
        "version": 1, "live": False, "notice": None, "gate": None, "comparison": None,
        "run": {"id": "2026-11-22T09-30-00-appagent-4f1c", "agent": "appagent",
                "started": "2026-11-22T09:30:00+00:00", "ended": "2026-11-22T09:41:00+00:00",
                "device": "virtual", "virtual": True, "models": {"actor": "openai:gpt-4o"},
                "judges": ["gpt-4o"], "command": ["pytest", "tasks", "--agent=appagent"],
                "options": {"--mobile-epochs": "1"}, "fingerprints": {"tasks": "4f1c"},
                "versions": {"pytest-mobileagent": "2.0"}},
        "summary": {**totals(rows), **by}, "tasks": list(rows), **fields,
    }  # fmt: skip


@pytest.fixture
def pictures(tmp_path: Path) -> Callable[..., str]:
    """Return a function that stores a screen beside the page and returns its path."""

    def add(title: str, rows: Sequence[str] = ROWS, colour: str = "#f7f2fa") -> str:
        content = screenshot(title, rows, colour)
        path = tmp_path / "screens" / f"{hashlib.sha256(content).hexdigest()[:32]}.png"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        return f"screens/{path.name}"

    return add


def action(kind: str, text: str, at: Any = None, to: Any = None, *, done: bool = True) -> Any:
    """Return an action on a screen."""
    return {"text": text, "kind": kind, "at": at, "to": to, "done": done}


STEPS = [
    [action("tap", 'tap "Alarm"', [270, 195])],
    [action("swipe", "swipe (270, 900) to (270, 300)", [270, 900], [270, 300])],
    [action("tap", 'tap "Clock"', [270, 325]), action("type", 'type "07:00"', [270, 455])],
    [action("longpress", 'longpress "Timer"', [270, 455])],
    [action("tap", "tap (530, 1190)", [530, 1190], done=False)],
    [action("finish", 'finish "The alarm is set."')],
]


def episode(
    name: str, picture: Callable[..., str], steps: Sequence[Any] = STEPS, **fields: Any
) -> dict[str, Any]:
    """Return the complete data of an episode."""
    screens = [picture(f"Clock {place}", ROWS[: 2 + place % 3]) for place in range(len(steps) + 1)]
    frames = [
        frame(place, actions, screens, said=f"Step {place + 1}: I look for the alarm.")
        for place, actions in enumerate(steps)
    ]
    frames[-1]["after"] = None
    return {
        "e": name, "goal": "Set an alarm for 8:00 on workdays, and name it Work.",
        "agent": "appagent", "device": "Pixel 6, Android 14 (emulator-5554)", "size": [*SIZE],
        "ending": "self-reported after 6 steps (golden steps 4)", "termination": "self-reported",
        "error": "", "answer": "The alarm is set.", "seed": 7, "parameters": {"hour": 8},
        "reset": {"kind": "snapshot", "snapshot": "boot", "cleared": [], "reason": ""},
        "golden_steps": 4, "step_limit": 12, "attempts": [], "frames": frames, "missing": [],
        "texts": ["You are an agent that uses a phone. " * 20], "judging": [],
        "files": [["calls.jsonl", 4711], ["program/agent.html", 12]], "folder": f"episodes/{name}",
        "opinions": [
            {"scorer": "judges", "passed": None, "reason": "they disagree", "when": None,
             "who": None, "withdrawn": False, "stands": False, "evidence": {},
             "judges": [
                 {"model": "gpt-4o", "passed": True, "reason": "An alarm exists.", "details": {}},
                 {"model": "sonnet", "passed": False, "reason": "It rings at 7:00.", "details": {}},
             ]},
            {"scorer": "check", "passed": False, "reason": "no alarm at 8:00", "when": None,
             "who": None, "withdrawn": False, "stands": True, "judges": [],
             "evidence": {"sought": "Alarm(8, 0)", "closest": "Alarm(7, 0)"}},
        ],
        "subgoals": [{"name": "an alarm exists", "weight": 1, "held": True, "first_step": 3},
                     {"name": "it rings at 8:00", "weight": 1, "held": False, "first_step": None}],
        "held": [False] * (len(steps) + 1), **fields,
    }  # fmt: skip


def frame(place: int, actions: Any, screens: Sequence[str], said: str) -> dict[str, Any]:
    """Return a screen and the step taken on it."""
    rows = ROWS[: 2 + place % 3]
    return {
        "step": place + 1, "png": screens[place], "size": [*SIZE], "package": "com.clock",
        "activity": "com.clock.Main", "time": "2026-11-22T09:30:00", "tree": tree(rows),
        "actions": actions, "after": screens[place + 1], "said": said,
        "notice": "" if actions[0]["done"] else "(530, 1190) is not on the screen", "reply": None,
        "thinking": 2.5, "acting": 0.8, "at": place * 3.3, "counts": True,
        "calls": [{"model": "gpt-4o", "role": "actor", "input_tokens": 3021, "output_tokens": 64,
                   "cached_tokens": 1024, "price_usd": 0.0041, "seconds": 2.4, "retries": 0,
                   "estimated": False, "waited": 0.3, "failure": "",
                   "request": {"model": "gpt-4o", "role": "actor",
                               "settings": {"temperature": 0, "tools": [
                                   {"name": "tap", "description": "Tap a point.",
                                    "parameters": {"x": "integer"}}]},
                               "prompt": [{"role": "system", "content": [{"§": 0}]},
                                          {"role": "user", "content": [
                                              f"This is step {place + 1}.",
                                              {"picture": screens[place]}, "What now?"]}]},
                   "reply": {"text": said, "stop": "end", "tool_calls": [
                       {"id": "1", "name": "tap", "arguments": {"x": place}}]}}],
        "events": [{"type": "TYPE_VIEW_CLICKED", "text": "Alarm", "resource_id": "com.clock:id/row",
                    "package": "com.clock", "time": None}],
        "probes": {"alarms": [{"hour": 7}] if place > 2 else [], "volume": 5},
        "changed": ["alarms"] if place == 3 else [], "no_effect": place == 3,
    }  # fmt: skip


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes a page and returns its path."""

    def page(
        about: Mapping[str, Any],
        episodes: Sequence[Mapping[str, Any]] = (),
        other: Mapping[str, Any] | None = None,
        pictures: Mapping[str, bytes] | None = None,
        told: Mapping[str, Any] | None = None,
    ) -> Path:
        before, after = shell("a run")
        blocks = [packed("index", about), *([packed("index2", other)] if other else [])]
        blocks += [packed(f"e:{each['e']}", each) for each in episodes]
        blocks += [packed(f"w:{each['e']}", words_of(each)) for each in episodes]
        blocks += [packed(f"d:{name}", each) for name, each in (told or {}).items()]
        blocks += [packed(f"p:{name}", content) for name, content in (pictures or {}).items()]
        path = tmp_path / "report.html"
        path.write_bytes(b"".join([before, *blocks, after]))
        return path

    return page


def many(amount: int, seed: int = 1) -> list[dict[str, Any]]:
    """Return rows with all outcomes."""
    draw = random.Random(seed)
    apps = ("clock", "notes", "contacts", "messages", "calculator", "settings", "shop")
    rows = []
    for number in range(amount):
        app = draw.choice(apps)
        outcome = draw.choices(
            ("passed", "failed", "error", "review", "skipped"), (60, 26, 4, 4, 2)
        )[0]
        golden = draw.randint(2, 14)
        steps = golden + int(draw.expovariate(0.4))
        undecided = outcome == "skipped"
        rows.append(
            row(
                f"{app}/task_{number:04}", outcome, level=draw.randint(1, 3),
                golden_steps=golden, steps=None if undecided else steps,
                step_ratio=steps / golden if outcome == "passed" else None,
                seconds=None if undecided else 4.0 * steps,
                device=("emulator-5554", "emulator-5556", "R5CT", "pixel")[number % 4],
                began=None if undecided else number // 4 * 42.0,
                cost_usd=0.002 * steps * (1 + apps.index(app) / 3), e=f"tasks-{number:04}.0",
                sought="Alarm(8, 0)" if outcome == "failed" else "",
                closest="Alarm(7, 0)" if outcome == "failed" else "",
                fault={"failed": "agent", "error": "infrastructure"}.get(outcome),
                tags=["smoke"] if number % 5 == 0 else [],
            )
        )  # fmt: skip
    return rows


class Reader:
    """Someone who reads a page in a browser, from a file."""

    def __init__(self, chrome: Any, page: Path) -> None:
        self.chrome, self.page = chrome, page
        self.go("")
        self.ask("localStorage.clear()")  # what the reader of another test chose

    def go(self, place: str) -> None:
        """Open the page at a fragment, as a link from elsewhere does."""
        self.chrome.get("about:blank")
        self.chrome.get(f"{self.page.as_uri()}{place}")

    def press(self, *keys: str) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        for key in keys:
            ActionChains(self.chrome, duration=0).send_keys(key).perform()

    def click(self, selector: str) -> None:
        self.ask(f"document.querySelector({json.dumps(selector)}).click()")

    def hover(self, selector: str, x: float = 0, y: float = 0) -> None:
        """Move the pointer onto an element, at an offset from its centre."""
        from selenium.webdriver.common.action_chains import ActionChains

        element = self.chrome.find_element("css selector", selector)
        chain = ActionChains(self.chrome, duration=0)
        chain.move_to_element_with_offset(element, round(x), round(y)).perform()

    def ask(self, script: str) -> Any:
        return self.chrome.execute_script(f"return {script}")

    def texts(self, selector: str) -> list[str]:
        """Return the texts of all elements that match the selector."""
        return list(
            self.ask(
                f"[...document.querySelectorAll({json.dumps(selector)})].map((n) => n.innerText)"
            )
        )

    def sees(self, selector: str, text: str) -> None:
        """Wait until an element shows a text."""
        said = f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"
        self.until(f"({said}).includes({json.dumps(text)})", f"{selector} does not say {text!r}")

    def until(self, condition: str, message: str = "") -> None:
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.chrome, _PATIENCE, 0.02).until(
            lambda _: self.ask(condition), message or condition
        )

    def at(self, place: str) -> None:
        """Wait until the address has a fragment."""
        self.until(f"location.hash === {json.dumps(place)}", f"the address is not {place}")


_PATIENCE = 60  # The page counts as broken if it has not changed after this many seconds.


@pytest.fixture
def read(chrome: Any, write: Callable[..., Path]) -> Iterator[Callable[..., Reader]]:
    """Yield a function that writes a page and opens it; the browser's log must stay empty."""

    def open_(*given: Any, **more: Any) -> Reader:
        return Reader(chrome, write(*given, **more))

    chrome.get_log("browser")
    yield open_
    assert [each["message"] for each in chrome.get_log("browser")] == []


@pytest.fixture
def invented() -> SimpleNamespace:
    """Return the functions that make up runs."""
    return SimpleNamespace(
        packed=packed, row=row, index=index, episode=episode, many=many, action=action,
        HOSTILE=HOSTILE, STEPS=STEPS,
    )  # fmt: skip


@pytest.fixture
def some(invented: Any) -> list[dict[str, Any]]:
    """Return four tasks: passed, failed, broken, and for review."""
    row = invented.row
    return [
        row("clock/a", steps=9, cost_usd=0.5, tags=["smoke"]),
        row("clock/b two", "failed", steps=3, level=2, sought="Alarm(8, 0)", reason="no <b>"),
        row("notes/a", "error", fault="infrastructure", steps=None, cost_usd=None, reason="adb"),
        row("notes/b", "review", steps=5, cost_usd=0.001, began=40.0, device="emulator-5556"),
    ]
