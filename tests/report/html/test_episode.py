"""Tests of an episode's data on the page, including when some of its files are missing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pytest_mobileagent.episode.packing import pack
from pytest_mobileagent.report.html.episode import episode_data

VERSION_1 = Path(__file__).parents[2] / "episode" / "data" / "version1"


@pytest.fixture
def folder(recorded: Path) -> Path:
    """Return the folder of the attempt that counts for the first task."""
    return recorded / "episodes" / "first.1"


def shown(folder: Path) -> dict[str, Any]:
    return json.loads(json.dumps(episode_data(folder, folder.parents[1])))  # type: ignore[no-any-return]


def test_each_screen_has_its_actions(folder):
    one, two, three = shown(folder)["frames"]
    assert [each["step"] for each in (one, two, three)] == [1, 2, 3]
    assert one["actions"] == [
        {"text": 'tap "Save"', "kind": "tap", "at": [540, 100], "to": None, "done": True},
        {"text": "wait 1 s", "kind": "wait", "at": None, "to": None, "done": False},
    ]
    assert (one["said"], one["notice"]) == ("I save.", "no time left")
    assert two["actions"][0]["at"] == [540, 1800]
    assert two["actions"][0]["to"] == [540, 600]
    assert (one["after"], two["after"], three["after"]) == (two["png"], three["png"], None)
    assert [each["no_effect"] for each in (one, two, three)] == [False, True, False]
    assert ([one["at"], two["at"], three["at"]], one["size"]) == ([0, 0.75, 1.5], [1080, 2400])
    assert (folder.parents[1] / one["png"]).is_file()


def test_a_missing_screenshot_differs_from_a_lost_file(folder):
    log = folder / "episode.jsonl"
    first, seen, *more = log.read_text().splitlines(keepends=True)
    observed = json.loads(seen) | {"png": "", "size": [1080, 2400]}
    log.write_text("".join([first, f"{json.dumps(observed)}\n", *more]))
    told = shown(folder)
    assert (told["frames"][0]["png"], told["frames"][0]["size"]) == ("", [1080, 2400])
    assert told["frames"][1]["png"]
    assert not told["missing"]


def test_typing_without_focus_is_marked(folder):
    log = folder / "episode.jsonl"
    tap, typed = '{"action":"Tap","x":540,"y":100}', '{"action":"Type","text":"Oslo"}'
    log.write_text(log.read_text().replace(tap, typed))
    assert [each["unfocused"] for each in shown(folder)["frames"]] == [True, False, False]


def test_verdicts_are_shown_and_the_steps_at_which_probes_changed(folder):
    told = shown(folder)
    assert told["held"] == [False, True, False, False]
    opinions = [(o["passed"], o["stands"], o["evidence"]) for o in told["opinions"]]
    assert opinions == [(False, True, {})]
    assert told["probes"] == {"n": 0}
    assert [each["changed"] for each in told["frames"]] == [["n"], [], []]
    assert told["frames"][0]["probes"] == {"n": 1}


def test_elements_are_compact(folder):
    root = shown(folder)["frames"][0]["tree"]
    assert root[0] == "hierarchy"
    save, bold = root[6]
    assert (save[1], save[5], bold[1]) == ("Save", "clickable", "<b>bold</b>")
    assert len(save[4]) == 4


def test_repeated_prompt_is_stored_once(folder):
    told = shown(folder)
    calls = [call for frame in told["frames"] for call in frame["calls"]]
    contents = [call["request"]["prompt"][0]["content"] for call in calls]
    assert contents[0] == [{"§": 0}, {"picture": "screens/9b6f9b6f.jpg"}]
    assert contents[1][0] == {"§": 0}
    assert told["texts"] == ["An element of the screen. " * 20]
    first = calls[0]
    numbers = first["reply"]["text"], first["input_tokens"], first["price_usd"]
    assert numbers == ("tap(1)", 9, None)


def test_own_files_are_listed_with_their_sizes_but_not_links(folder):
    (folder / "program").mkdir()
    (folder / "program" / "stdout").write_text("12345")
    (folder / "secret").symlink_to("/etc/passwd")
    told = shown(folder)
    assert ["program/stdout", 5] in told["files"]
    assert {name for name, _ in told["files"]} >= {"episode.jsonl", "verdicts.jsonl"}
    assert "secret" not in {name for name, _ in told["files"]}
    assert told["folder"] == "episodes/first.1"


@pytest.mark.parametrize("kind", [".png", ".xml"])
def test_missing_screens_are_named(folder, kind):
    frame = shown(folder)["frames"][0]
    gone = (folder.parents[1] / frame["png"]).with_suffix(".png")
    if kind == ".xml":
        gone = (folder / "screens" / "000-start.xml").resolve()
    gone.unlink()
    told = shown(folder)
    assert told["missing"] == [gone.name]
    assert len(told["frames"]) == 3
    first = told["frames"][0]
    assert (first["png"] is None, first["tree"] is None) == (kind == ".png", kind == ".xml")


def test_packed_screens_are_shown_unchanged(folder):
    before = shown(folder)
    for path in (folder.parents[1] / "screens").glob("*.png"):
        path.rename(path.with_suffix(".webp"))
        Image.new("RGB", (1080, 2400)).save(path.with_suffix(".webp"), lossless=True)
    for path in (folder.parents[1] / "screens").glob("*.xml"):
        pack(path)
    after = shown(folder)
    for was, now in zip(before["frames"], after["frames"], strict=True):
        assert now["png"] == was["png"].replace(".png", ".webp")
        assert (folder.parents[1] / now["png"]).is_file()
        assert [now[name] for name in ("size", "tree", "no_effect")] == [
            was[name] for name in ("size", "tree", "no_effect")
        ]
    assert not after["missing"]


def test_interrupted_episode_is_shown_up_to_its_end(folder):
    stream = folder / "episode.jsonl"
    content = stream.read_bytes()
    stream.write_bytes(content[: content.index(b'"outcome"') + 3])
    told = shown(folder)
    assert ([each["step"] for each in told["frames"]], told["termination"]) == ([1], "interrupted")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "does not begin with an episode"),
        (b"{]\n", "is damaged"),
        (b'{"record":"episode","schema_version":99}\n', "install a newer one"),
        (b'{"record":"episode","schema_version":2}\n', "stops before the first screen"),
        (
            b'{"record":"episode","schema_version":2}\n{"record":"observation"}\n',
            "record is incomplete",
        ),
        (None, "no episode is recorded"),
    ],
)
def test_a_damaged_episode_says_why_and_keeps_its_verdicts(folder, content, why):
    stream = folder / "episode.jsonl"
    if content is None:
        stream.unlink()
    else:
        stream.write_bytes(content)
    told = shown(folder)
    assert (told["frames"], len(told["opinions"])) == ([], 1)
    assert why in told["damaged"]


def test_very_deep_tree_is_truncated(folder):
    deep = "<node class='a' bounds='[0,0][9,9]'>" * 3_000 + "</node>" * 3_000
    path = (folder / "screens" / "000-start.xml").resolve()
    path.write_text(f"<hierarchy>{deep}</hierarchy>")
    node, depth, count = shown(folder)["frames"][0]["tree"], 0, 0
    pending = [(node, 1)]
    while pending:
        node, level = pending.pop()
        depth, count = max(depth, level), count + 1
        pending += [(child, level + 1) for child in node[6]]
    assert depth < 200
    assert count == 3_001


def test_run_of_the_previous_version_is_shown(tmp_path):
    run = Path(shutil.copytree(VERSION_1, tmp_path / "run"))
    for folder in (run / "episodes").iterdir():
        told = shown(folder)
        assert told["frames"]
        assert "damaged" not in told
        assert all((run / frame["png"]).is_file() for frame in told["frames"])
