"""Tests of the store of a run's screens, which keeps equal screens once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_mobileagent import Screen


def test_equal_screens_are_stored_once(tmp_path: Path, make_screen: Callable[..., Screen]) -> None:
    # The stores of two workers.
    one, other = ScreenStore(tmp_path / "s"), ScreenStore(tmp_path / "s")
    a, b, dark = make_screen("a"), make_screen("b"), make_screen("a", shade=9)
    names = [store.add(screen) for store in (one, other) for screen in (a, b, dark)]
    assert names[:3] == names[3:]
    assert sorted(p.suffix for p in (tmp_path / "s").iterdir()) == [".png"] * 2 + [".xml"] * 2
    png, xml = names[0]
    assert one.path(png, ".png").read_bytes() == a.png
    assert one.path(xml, ".xml").read_text() == a.xml


def test_links_to_screens_survive_moving_the_run(tmp_path, make_screen):
    store = ScreenStore(tmp_path / "run" / "screens")
    place = tmp_path / "run" / "episodes" / "a.0" / "screens" / "000-start"
    place.parent.mkdir(parents=True)
    screen = make_screen("a")
    store.link(place, *store.add(screen))
    store.link(place, *store.add(screen))  # The link exists already.
    moved = (tmp_path / "run").rename(tmp_path / "moved") / place.relative_to(tmp_path / "run")
    assert moved.with_suffix(".png").read_bytes() == screen.png
    assert moved.with_suffix(".xml").read_text() == screen.xml


def test_lone_surrogate_can_be_stored_unless_the_store_is_unwritable(tmp_path, make_screen):
    store = ScreenStore(tmp_path)
    _, xml = store.add(make_screen("\ud83d"))
    assert "?" in store.path(xml, ".xml").read_text()
    (tmp_path / "s").write_text("")
    with pytest.raises(HostError, match="cannot write"):
        ScreenStore(tmp_path / "s").add(make_screen())
