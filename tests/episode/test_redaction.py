"""Tests of redaction rules: nothing that matches reaches a file."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from pytest_mobileagent import Ask, DeviceInfo, Finish, ModelCall, Raw, Reset, Screen, Type
from pytest_mobileagent._task import Task
from pytest_mobileagent._task.case import Case
from pytest_mobileagent.check.episode import load as load_episode
from pytest_mobileagent.episode import Termination, redaction
from pytest_mobileagent.episode.exchanges import ExchangeLog
from pytest_mobileagent.episode.redaction import MASK, blackened, current, redacted, use
from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.errors import HostError
from tests.episode.test_decoding import WAYS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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


def test_matches_are_blackened_in_text_and_picture(rules):
    xml, png = rules("text = ['4[0-9]+']").screen(XML.format("4711").encode(), picture(), "a")
    assert b"4711" not in xml
    assert (xml.count(MASK.encode()), b"plain" in xml) == (2, True)
    places = [(10, 20), (59, 39), (60, 40), (30, 110), (30, 70)]
    assert [black(png)(*place) for place in places] == [True, True, False, True, False]


@pytest.mark.parametrize(
    ("region", "places"),
    [
        ("box = [0.0, 0.0, 1.0, 0.25]", [(0, 0), (99, 49)]),
        ("box = [10, 20, 60, 40]", [(10, 20), (59, 39)]),
        ("resource_id = 'a:id/balance'", [(10, 20), (59, 39)]),
    ],
)
def test_region_is_blackened_and_its_elements_removed(rules, region, places):
    found = rules(f"[[region]]\n{region}\npackage = 'a'")
    xml, png = found.screen(XML.format("balance").encode(), picture(), "a")
    assert all(black(png)(*place) for place in places)
    assert not black(png)(30, 110)
    assert b'text="balance"' not in xml
    assert b'content-desc="x balance y"' in xml
    same = (XML.format("balance").encode(), picture())
    assert b'text="balance"' in found.screen(*same, "b")[0]  # The rule is about another app.
    assert found.screen(*same, "b")[1] == same[1]
    xml, png = found.screen(same[0], b"", "a", SIZE)
    assert (png, b'text="balance"' in xml) == (b"", False), "of which no screenshot was taken"


def test_unparsable_hierarchy_blackens_the_whole_picture(rules):
    xml, png = rules("text = ['4711']").screen(b"<node text='4711'", picture(), "a")
    assert (xml, black(png)(50, 150), blackened(b"no picture")) == (b"", True, b"")


def test_rules_changed_during_a_run_stop_it_and_must_be_a_file(rules, tmp_path):
    rules("text = ['a']")
    redaction._rules.cache_clear()
    (tmp_path / "rules.toml").write_text("text = ['b']")
    with pytest.raises(HostError, match="has changed since the run began"):
        current()
    with pytest.raises(ValueError, match="/dev/zero cannot be read: it is not a regular file"):
        use(Path("/dev/zero"))


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="<&>\"'"), max_size=6)


@settings(max_examples=10)
@given(before=WORDS, after=WORDS, secret=st.from_regex(r"S3CR[0-9]{3}T", fullmatch=True))
def test_secret_is_in_no_file_of_an_episode(tmp_path_factory, before, after, secret):
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
    """Record an episode in which the secret appears everywhere it could."""
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


def test_only_recorded_screens_remain_unblackened(rules, tmp_path):
    rules("text = ['4711']")
    store = ScreenStore(tmp_path / "screens")
    png, _ = store.add(Screen(XML.format("free"), picture(), "a", ".Main"))
    assert store.add_picture(picture()) == f"{png}.png"
    drawn = store.path(store.add_picture(picture("red")), "").read_bytes()
    assert black(drawn)(50, 50)


def test_numbers_and_names_in_probes_are_searched(rules):
    found = rules("text = ['^4711$']")
    kept = {"record": "observation", "png": "4711", "seconds": 4711}
    given = {**kept, "probes": {"rows": [{"4711": 4711, "b": 5, "c": True, "type": "4711"}]}}
    told = found.redacted_record(json.loads(json.dumps(given)))
    rows = [{MASK: MASK, "b": 5, "c": True, "type": MASK}]
    assert told == {**kept, "probes": {"rows": rows}}


CARD = "4111 1111 1111 1111"


@pytest.mark.parametrize("way", WAYS)
def test_secret_in_any_encoding_is_in_no_file(rules, tmp_path, way):
    written = WAYS[way](CARD)
    rules("text = ['4111 1111 1111 1111']")
    record(tmp_path / "run", f"It is {written} or so", written)
    for path in (tmp_path / "run").rglob("*.jsonl"):
        said = path.read_text("utf-8")
        assert written not in said
        assert json.dumps(written)[1:-1] not in said
        assert MASK in said


def test_other_fields_of_program_requests_are_searched(rules, tmp_path):
    rules("text = ['4111 ?1111']")
    tool = {"name": CARD, "description": CARD, "enum": [CARD], "type": CARD, "role": CARD}
    line = {
        "call": None,
        "model": "gpt",
        "settings": {
            "tools": [{"type": "function", "function": {**tool, "parameters": {CARD: tool}}}],
            "stop": [CARD],
            "user": CARD,
            "metadata": {CARD: 41111111, "name": CARD, "package": CARD},
            "prediction": {"type": "content", "content": CARD},
            "response_format": {"json_schema": {"name": CARD, "schema": {"title": CARD}}},
            "unheard of": {"where": CARD, "picture": CARD},
            "max_tokens": 99,
        },
        "prompt": [{"role": "user", "name": CARD, "content": [CARD, {"picture": CARD}]}],
        "reply": {"text": CARD, "stop": CARD, "tool_calls": [{"name": CARD, "id": CARD}]},
    }
    ExchangeLog(tmp_path).add(line)
    said = (tmp_path / "calls.jsonl").read_text()
    assert "4111 1111" not in said
    assert "41111111" not in said
    told = json.loads(said)
    assert told["prompt"][0]["role"] == "user"
    assert told["settings"]["max_tokens"] == 99


def test_evidence_contains_no_secrets(rules):
    found = rules("text = ['4711']")
    rows = [{"name": "4711", "type": "4711", "number": 4711, "done": True}]
    evidence = {"rows": rows, "sought": "rows == 4711", "where": "test_4711.py:3"}
    told = found.redacted_record(
        {"passed": False, "verdict": {"scorer": "check", "evidence": evidence}}
    )
    hidden = [{"name": MASK, "type": MASK, "number": MASK, "done": True}]
    assert told["verdict"]["evidence"] == {**evidence, "rows": hidden}


@pytest.mark.parametrize(
    ("pattern", "why"),
    [("(a+)+$", ""), (r"(?<=a)(a|aa)+\1$", ""), ("(", "unterminated"), ("x" * 20_000, "longer")],
)
def test_patterns_have_bounded_time_or_are_refused(rules, monkeypatch, pattern, why):
    monkeypatch.setattr(redaction, "PATIENT", 0.1)
    if why:
        with pytest.raises(ValueError, match=f"pattern 1 of `text` is not a regular .*{why}"):
            rules(f"text = ['{pattern}']")
        return
    told = rules(f"text = ['{pattern}']").text("a" * 5_000 + "b")
    # A text that takes too long to search may be redacted entirely.
    assert told in {"a" * 5_000 + "b", MASK}


def test_passwords_in_urls_are_removed(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "https://me:s%C3%A9same-street@models.example/v1")
    basic = base64.b64encode("me:sésame-street".encode()).decode()
    for said in ("sésame-street", "s%C3%A9same-street", f"Authorization: Basic {basic}"):
        told = redacted({"record": "end", "error": f"refused: {said}"})
        assert told["error"].rstrip("=") in {"refused: …", "refused: Authorization: Basic …"}


def test_model_names_and_unknown_fields_are_searched(rules):
    found = rules("text = ['4711 0815']")
    said = "4711 0815"
    call = ModelCall(said, said, 5, 4711, extra={"package": said, said: [said]}).to_json()
    step = {"action": "Scroll", "direction": said, "at": None, "resource_id": "a:id/b"}
    told = found.redacted_record(
        {"record": "step", "actions": [step], "calls": [call], "package": said}
    )
    assert said not in json.dumps(told)
    assert (told["calls"][0]["input_tokens"], told["calls"][0]["output_tokens"]) == (5, 4711)
    assert told["actions"][0] == {**step, "direction": MASK}
