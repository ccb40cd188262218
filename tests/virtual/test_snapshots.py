"""Snapshots restore the whole phone."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.boot import boot
from pytest_mobileagent.virtual.snapshots import Kept, to_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.phone import Phone


def everything(phone):
    parts = {name: part.save() for name, part in phone.parts().items()}
    return phone.dump(), phone.files.snapshot(), to_json(parts)


def disturb(phone: Phone, hand) -> None:
    hand.tap("content-desc", "Add")
    hand.tap("text", "Title")
    phone.type_text("changed")
    phone.settings.put("system", "font_scale", "1.3")
    phone.props.set("debug.x", "1")
    phone.clipboard.text = "x"
    phone.files.write("/sdcard/x", b"x")
    phone.clock.set(0)
    phone.power.set_battery(level=3)
    phone.notifications.post("org.demo", "1", "a", "b")
    phone.packages.uninstall("com.android.adbkeyboard")


@pytest.fixture
def kept(demo: Phone) -> Iterator[Phone]:
    yield demo
    for name in set(demo.snapshots) - {"default_boot"}:
        demo.snapshots.delete(name)


def test_loading_restores_everything(kept, hand):
    kept.snapshots.save("before")
    before, version = everything(kept), kept.version
    disturb(kept, hand)
    assert everything(kept) != before
    kept.snapshots.load("before")
    assert everything(kept) == before
    assert kept.version > version


def test_the_snapshot_of_the_boot_has_the_programs():
    phone = boot()
    phone.files.rmtree("/system/bin")
    phone.snapshots.load("default_boot")
    assert phone.files.is_file("/system/bin/sh")
    assert phone.files.is_file("/system/bin/uiautomator")


def test_one_snapshot_can_be_loaded_again_and_again(kept, hand):
    kept.snapshots.save("before")
    before = everything(kept)
    for _ in range(2):
        disturb(kept, hand)
        kept.snapshots.load("before")
        assert everything(kept) == before


def test_a_snapshot_keeps_a_scroll_position_and_a_half_typed_text(kept, hand):
    hand.tap("content-desc", "Add")
    hand.tap("text", "Title")
    kept.type_text("half")
    kept.swipe(500, 1300, 500, 900, 1000)
    assert kept.activities.top.ui.scroll["form"] > 0
    kept.snapshots.save("there")
    there = kept.screenshot()
    kept.snapshots.load("default_boot")
    kept.snapshots.load("there")
    assert kept.screenshot() == there
    kept.type_text(" done")
    assert kept.activities.top.activity.state["title"] == "half done"


def test_an_exported_snapshot_is_the_same_on_another_phone(kept, hand):
    disturb(kept, hand)
    kept.snapshots.save("mine")
    data = kept.snapshots.dump("mine")
    other = boot([type(kept.packages.app("org.demo"))], frozen=True)
    other.snapshots.add("mine", data)
    other.snapshots.load("mine")
    assert everything(other) == everything(kept)
    assert other.screenshot() == kept.screenshot()


def test_missing_or_broken_snapshots_are_reported(phone):
    with pytest.raises(KeyError):
        phone.snapshots.load("nope")
    with pytest.raises(ValueError, match="'x' cannot be read"):
        phone.snapshots.add("x", b"no zip")
    assert not {"nope", "x"}.intersection(phone.snapshots)


def test_large_files_are_entries_of_their_own_in_an_archive(phone):
    files = {f"/data/local/tmp/{name}": bytes([at]) * (1 << 17) for at, name in enumerate("abc")}
    for path, data in files.items():
        phone.files.write(path, data, mode=0o640)
    phone.snapshots.save("large")
    archive = phone.snapshots.dump("large")
    with zipfile.ZipFile(io.BytesIO(archive)) as entries:
        large = [name for name in entries.namelist() if name.startswith("data/")]
        assert set(files.values()) <= {entries.read(name) for name in large}
    for path in files:
        phone.files.remove(path)
    phone.snapshots.add("back", archive)
    phone.snapshots.load("back")
    assert {path: phone.files.read(path) for path in files} == files
    assert phone.files.stat("/data/local/tmp/a").mode == 0o640


@dataclass(frozen=True)
class Part:
    name: str
    marks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Whole:
    parts: list[Part]
    first: Part | None = None


@dataclass
class Shelf(Kept):
    KEPT = ("_by_number", "by_name", "last", "none", "count")

    _by_number: dict[int, Whole] = field(default_factory=dict)
    by_name: dict[str, list[str]] = field(default_factory=dict)
    last: Part | None = None
    none: Part | None = None
    count: int = 0
    other: str = ""


def test_dataclasses_in_containers_survive_json():
    part = Part("a", ("b", "c"))
    shelf = Shelf({7: Whole([part], part)}, {"x": ["y"]}, part, None, 3, "kept by nobody")
    saved = json.loads(to_json(shelf.save()))
    again = Shelf()
    again.load(saved)
    assert again == Shelf({7: Whole([part], part)}, {"x": ["y"]}, part, None, 3)
