"""Rules of what must not be recorded: nothing that matches reaches a file."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from pytest_mobileagent import Ask, DeviceInfo, Finish, ModelCall, Raw, Reset, Screen, Type
from pytest_mobileagent.check.episode import load as load_episode
from pytest_mobileagent.episode import redaction
from pytest_mobileagent.episode.exchanges import ExchangeLog
from pytest_mobileagent.episode.record import Termination
from pytest_mobileagent.episode.redaction import MASK, blackened, current, use
from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.task.case import Case
from pytest_mobileagent.task.task import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SIZE = (100, 200)
XML = """<?xml version='1.0' encoding='UTF-8'?><hierarchy rotation="0">
<node index="0" text="" resource-id="" class="android.view.View" package="a" content-desc=""
 bounds="[0,0][100,200]">
<node index="0" text="{0}" resource-id="a:id/balance" class="android.widget.TextView" package="a"
 content-desc="" bounds="[10,20][60,40]"/>
<node index="1" text="plain" resource-id="a:id/other" class="android.widget.TextView" package="a"
 content-desc="x {0} y" bounds="[10,100][60,120]"/></node></hierarchy>"""


@pytest.fixture
def rules(tmp_path: Path) -> Iterator[Callable[[str], Any]]:
    def write(text: str) -> Any:
        (tmp_path / "rules.toml").write_text(text, "utf-8")
        return use(tmp_path / "rules.toml")

    yield write
    use(None)


def picture(color: str = "white") -> bytes:
    file = io.BytesIO()
    Image.new("RGB", SIZE, color).save(file, "PNG")
    return file.getvalue()


def black(png: bytes) -> Callable[[int, int], bool]:
    image = Image.open(io.BytesIO(png)).convert("RGB")
    return lambda x, y: image.getpixel((x, y)) == (0, 0, 0)


def test_what_matches_is_black_in_text_and_picture(rules):
    xml, png = rules("text = ['4[0-9]+']").screen(XML.format("4711").encode(), picture(), "a")
    assert b"4711" not in xml
    assert (xml.count(MASK.encode()), b"plain" in xml) == (2, True)
    at = black(png)
    assert [at(10, 20), at(59, 39), at(60, 40), at(30, 110), at(30, 70)] == [
        True, True, False, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("region", "places"),
    [
        ("box = [0.0, 0.0, 1.0, 0.25]", [(0, 0), (99, 49)]),
        ("box = [10, 20, 60, 40]", [(10, 20), (59, 39)]),
        ("resource_id = 'a:id/balance'", [(10, 20), (59, 39)]),
    ],
)
def test_a_region_is_black_and_what_stands_there_is_not_told(rules, region, places):
    found = rules(f"[[region]]\n{region}\npackage = 'a'")
    xml, png = found.screen(XML.format("balance").encode(), picture(), "a")
    assert all(black(png)(*place) for place in places)
    assert not black(png)(30, 110)
    assert b'text="balance"' not in xml
    assert b'content-desc="x balance y"' in xml
    same = (XML.format("balance").encode(), picture())
    assert b'text="balance"' in found.screen(*same, "b")[0]  # of another app
    assert found.screen(*same, "b")[1] == same[1]


def test_a_hierarchy_that_cannot_be_read_costs_the_whole_picture(rules):
    xml, png = rules("text = ['4711']").screen(b"<node text='4711'", picture(), "a")
    assert (xml, black(png)(50, 150)) == (b"", True)
    assert blackened(b"no picture") == b""


def test_rules_that_change_while_a_run_goes_on_stop_it(rules, tmp_path):
    rules("text = ['a']")
    redaction._rules.cache_clear()
    (tmp_path / "rules.toml").write_text("text = ['b']")
    with pytest.raises(HostError, match="has changed since the run began"):
        current()


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="<&>\"'"), max_size=6)


@settings(max_examples=25)
@given(before=WORDS, after=WORDS, secret=st.from_regex(r"S3CR[0-9]{3}T", fullmatch=True))
def test_a_secret_is_in_no_file_of_an_episode(tmp_path_factory, before, after, secret):
    folder = tmp_path_factory.mktemp("run")
    (folder / "rules.toml").write_text("text = ['S3CR[0-9]{3}T']")
    use(folder / "rules.toml")
    try:
        episode = record(folder / "run", f"{before}{secret}{after}", secret)
    finally:
        use(None)
    for path in (folder / "run").rglob("*"):
        assert not path.is_file() or secret not in path.read_text("utf-8", "replace")
    assert MASK in episode.answer
    assert [type(step.actions[0]) for step in episode.steps] == [Type, Ask, Raw, Finish]
    assert episode.termination is Termination.SELF_REPORTED


def record(run: Path, words: str, secret: str) -> Any:
    """Record an episode in which everything that may say a secret does."""
    store = ScreenStore(run / "screens")
    xml = XML.format("".join(c for c in words if c.isprintable()))
    screen = Screen(xml, picture(), "a", ".Main")
    recorder = Recorder(run / "episodes" / "a.0", store)
    device = DeviceInfo("emulator-1", "Pixel", "15", 35, SIZE, 160)
    head = {"goal": words, "agent": "a", "options": {}, "seed": 0, "attempt": 0}
    recorder.start(Case(Task("Do it."), "a"), device, Reset("snapshot", "default_boot"), head)
    probes = {"rows": [{"name": words, secret: 1}], "text": words}
    recorder.observation(screen, probes)
    for action in (Type(words), Ask(words), Raw(words), Finish(words)):
        recorder.step([action], words, [], 0.1)
        recorder.outcome(words, words)
        if not isinstance(action, Finish):
            recorder.observation(screen, probes)
    call = {"call": ModelCall("gpt").to_json(), "error": words, "reply": {"text": words}}
    asked = [{"role": "user", "content": [words, {"picture": store.add_picture(picture("red"))}]}]
    ExchangeLog(recorder.folder).add({**call, "prompt": asked})
    recorder.end(Termination.SELF_REPORTED, words, 1.0)
    return load_episode(recorder.folder)


def test_pictures_for_models_are_kept_only_as_far_as_they_are_recorded_screens(rules, tmp_path):
    rules("text = ['4711']")
    store = ScreenStore(tmp_path / "screens")
    png, _ = store.add(Screen(XML.format("free"), picture(), "a", ".Main"))
    assert store.add_picture(picture()) == f"{png}.png"
    drawn = store.path(store.add_picture(picture("red")), "").read_bytes()
    assert black(drawn)(50, 50)


def test_numbers_and_names_of_what_apps_hold_are_looked_at_too(rules):
    found = rules("text = ['^4711$']")
    kept = {"record": "observation", "png": "4711", "seconds": 4711}
    given = {**kept, "probes": {"rows": [{"4711": 4711, "b": 5, "c": True, "type": "4711"}]}}
    told = found.plain(json.loads(json.dumps(given)))
    rows = [{MASK: MASK, "b": 5, "c": True, "type": MASK}]
    assert told == {**kept, "probes": {"rows": rows}}
