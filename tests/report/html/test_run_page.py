"""Tests of report.html: written completely or incrementally, with the contents of the report."""

from __future__ import annotations

import base64
import io
import json
import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from pytest_mobileagent.report.entry import Spent
from pytest_mobileagent.report.html import page, run_page
from pytest_mobileagent.report.html.index import row
from pytest_mobileagent.report.html.page import unpack
from pytest_mobileagent.report.html.run_page import TooLargeError, write_packed, write_page
from pytest_mobileagent.report.recorded_run import read_report
from pytest_mobileagent.verdict import append, of_person
from tests.report.conftest import make

if TYPE_CHECKING:
    from pathlib import Path


def blocks(page: Path) -> dict[str, Any]:
    """Return the page's data blocks by id, except pictures."""
    found = re.findall(
        rb'(?m)^<script type="[^"]*base64" id="([^"]+)">(.*)</script>$', page.read_bytes()
    )
    data = {name.decode(): text for name, text in found if not name.startswith(b"p:")}
    return {name: unpack(base64.b64decode(text)) for name, text in data.items()}


def written(run: Path) -> dict[str, Any]:
    write_page(run, read_report(run / "report.json"))
    return blocks(run / "report.html")


def test_page_has_a_row_per_task_and_a_block_per_attempt(recorded):
    data = written(recorded)
    of_each = [f"{kind}:{name}" for name in ("first.0", "first.1", "second.0") for kind in "ew"]
    assert list(data) == ["index", *of_each]
    assert data["w:second.0"] == ["Do it.\nI save.\nno time left\nSave\n<b>bold</b>", "Saved", ""]
    index = data["index"]
    rows = {row["id"]: row for row in index["tasks"]}
    own = [rows[name]["e"] for name in ("first", "second", "never")]
    assert own == ["first.1", "second.0", None]
    assert (rows["first"]["device"], rows["first"]["began"]) == ("emulator-5554", 0)
    assert index["notice"].startswith("Virtual phones")
    assert index["summary"]["success_rate"] == 0.5
    assert data["e:first.1"]["attempts"] == [{"e": "first.0", "reason": "the phone broke"}]
    assert data["e:first.0"]["termination"] == "interrupted"


def test_only_changed_episodes_are_rendered_again(recorded, monkeypatch):
    before = written(recorded)
    made, make = list[str](), run_page.episode_data

    def noted(folder: Path, page: Path) -> Any:
        made.append(folder.name)
        return make(folder, page)

    monkeypatch.setattr(run_page, "episode_data", noted)
    assert (written(recorded), made) == (before, [])
    append(recorded / "episodes" / "second.0", of_person(False, "ann"))
    after = written(recorded)
    assert made == ["second.0"]
    assert [opinion["who"] for opinion in after["e:second.0"]["opinions"]] == [None, "ann"]


@pytest.mark.parametrize("content", [b"\xff" * 99, b'<script type="application/octet-stream;'])
def test_damaged_page_is_rewritten(recorded, content):
    before = written(recorded)
    page = recorded / "report.html"
    page.write_bytes(content)
    assert written(recorded) == before
    page.write_bytes(page.read_bytes()[:-2_000].replace(b"H4sI", b"H4s!"))
    assert written(recorded) == before


def test_full_disk_leaves_the_page_unchanged(recorded, monkeypatch):
    before = written(recorded)

    def full(*_: object) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(page, "line", full)
    with pytest.raises(OSError, match="No space left"):
        written(recorded)
    assert blocks(recorded / "report.html") == before
    assert not list(recorded.glob(".report.html*"))
    monkeypatch.undo()
    old, new = recorded / ".report.html.1", recorded / ".report.html.2"  # of killed processes
    old.touch()
    new.touch()
    os.utime(old, (0, 0))
    written(recorded)
    assert [path.name for path in recorded.glob(".report.html.*")] == [new.name]


def test_episode_that_cannot_be_shown_does_not_affect_others(recorded, monkeypatch):
    make = run_page.episode_data

    def fails(folder: Path, page: Path) -> Any:
        if folder.name == "first.1":
            msg = "nobody thought of this"
            raise ZeroDivisionError(msg)
        return make(folder, page)

    monkeypatch.setattr(run_page, "episode_data", fails)
    data = written(recorded)
    assert (
        data["e:first.1"]["damaged"]
        == "it cannot be shown: ZeroDivisionError: nobody thought of this"
    )
    assert data["e:second.0"]["frames"]


@pytest.mark.parametrize("named", ["../../elsewhere/episodes/x.0", "ABSOLUTE", "a\0b"])
def test_report_cannot_refer_to_episodes_outside_its_run(recorded, named):
    elsewhere = recorded.parents[1] / "elsewhere" / "episodes" / "x.0"
    elsewhere.parent.mkdir(parents=True)
    (recorded / "episodes" / "second.0").rename(elsewhere)
    path = recorded / "report.json"
    report = json.loads(path.read_text())
    for task in report["tasks"]:
        if task["id"] == "second":
            task["episode"] = str(elsewhere) if named == "ABSOLUTE" else named
    path.write_text(json.dumps(report))
    data = written(recorded)
    assert [name for name in data if "first" not in name] == ["index"]


def test_page_lists_the_given_options(recorded):
    report = read_report(recorded / "report.json")
    report["run"]["options"] = {
        "agent": {"value": "mine", "source": "--agent"},
        "mobile-seed": {"value": "0", "source": "default"},
    }
    write_page(recorded, report)
    assert blocks(recorded / "report.html")["index"]["run"]["options"] == {"agent": "mine"}


def test_packed_page_contains_each_picture_once_reduced(recorded, tmp_path):
    page = tmp_path / "page.html"
    assert write_packed(recorded, read_report(recorded / "report.json"), page) == ""
    found = re.findall(rb'id="p:([^"]+)">([^<]*)</script>', page.read_bytes())
    names = {path.stem for path in (recorded / "screens").glob("*.png")}
    assert sorted(name.decode() for name, _ in found) == sorted(names)
    for _, text in found:
        with Image.open(io.BytesIO(base64.b64decode(text))) as image:
            assert (image.format, image.width) == ("WEBP", 360)


@pytest.mark.parametrize("is_link", [False, True])
def test_a_picture_that_is_unreadable_or_outside_of_the_run_is_left_out(
    recorded, tmp_path, is_link
):
    picture, *_ = sorted((recorded / "screens").glob("*.png"))
    if is_link:
        picture.replace(tmp_path / "private.png")
        picture.symlink_to(tmp_path / "private.png")
    else:
        picture.write_bytes(picture.read_bytes()[:40])
    page = tmp_path / "page.html"
    write_packed(recorded, read_report(recorded / "report.json"), page)
    assert page.read_bytes().count(b'id="p:') == 1


def test_large_pages_are_warned_about_and_larger_ones_refused(recorded, tmp_path, monkeypatch):
    page = tmp_path / "page.html"
    page.write_text("as it was")
    whole = read_report(recorded / "report.json")
    monkeypatch.setattr(run_page, "_TOO_LARGE", 1_000)
    with pytest.raises(TooLargeError, match="leave out --pack, and put"):
        write_packed(recorded, whole, page)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["page.html"]
    assert page.read_text() == "as it was"
    monkeypatch.undo()
    monkeypatch.setattr(run_page, "_LARGE", 1_000)
    assert "browsers take a while" in write_packed(recorded, whole, page)


COMPARED = "AssertionError: assert 3 == 2"


def test_a_suspect_is_reported_with_what_it_broke(tmp_path):
    attempt = {"place": "virtual", "worker": "main", "started": 1.0, "ended": 2.0, "began": True}
    attempt |= {"end": "worker died", "alone": True, "together": False, "run": "one"}
    task = make(suspect=True, attempts=[attempt])
    assert row(tmp_path, task, {})["suspect"] == "broke its worker in 1 of 1 attempt: the agent?"
    assert row(tmp_path, replace(task, suspect=False), {})["suspect"] == ""


def test_the_price_of_judges_is_that_of_their_role(tmp_path):
    task = make(roles={"actor": Spent(cost_usd=0.5), "judge": Spent(calls=2, cost_usd=0.25)})
    assert row(tmp_path, task, {})["judge_cost_usd"] == 0.25
    assert row(tmp_path, make(roles=None), {})["judge_cost_usd"] is None


@pytest.mark.parametrize(
    ("fields", "closest"),
    [
        ({"success": False, "reason": COMPARED}, "3 == 2"),
        ({"success": False, "closest": ["12 items", "13 items"]}, "12 items"),
        ({"success": True, "closest": ["12 items"]}, ""),
        ({"success": None, "reason": "adb broke"}, ""),
        ({"success": False, "termination": "agent error", "reason": f"it raised; {COMPARED}"},
         "3 == 2"),
        ({"success": False, "termination": "agent error", "reason": "it raised"}, ""),
        ({"success": False, "reason": f"AssertionError: assert {'x' * 999}"}, "x" * 199 + "…"),
    ],
)  # fmt: skip
def test_closest_is_reported_as_in_the_terminal(tmp_path, fields, closest):
    evidence = {"closest": fields.pop("closest", None)}
    verdict = {"passed": None, "scorer": "check", "reason": "", "evidence": evidence}
    task = make(**{"verdict": verdict, **fields})
    assert row(tmp_path, task, {})["closest"] == closest
