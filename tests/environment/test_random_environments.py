"""Tests of the command `environments`, which makes the same random environments for a seed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.__main__ import main
from pytest_mobileagent.environment import WALLPAPERS, load
from pytest_mobileagent.environment.random_environments import DEVICES, LOCALES, draw

if TYPE_CHECKING:
    from pathlib import Path


def run(folder: Path, *arguments: str) -> int:
    return main(["environments", "-o", str(folder), *arguments])


def test_written_environments_can_be_read_and_are_the_same_again(tmp_path, capsys):
    for name in ("one", "two"):
        assert run(tmp_path / name, "--seed", "7", "-n", "5") == 0
    one, two = (tmp_path / name / "seed7.toml" for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
    assert load([tmp_path / "one"]) == {f"seed7_00{n}": draw(7, n) for n in range(5)}
    assert f"wrote {one}: run them with --mobile-env=seed7" in capsys.readouterr().out
    assert run(tmp_path / "more", "--seed", "7", "-n", "9") == 0
    assert load([tmp_path / "more"]).items() > load([tmp_path / "one"]).items()
    assert draw(8, 0) != draw(7, 0)


def test_nothing_is_overwritten(tmp_path, capsys):
    assert run(tmp_path, "--seed", "7", "-n", "2") == 0
    before = (tmp_path / "seed7.toml").read_bytes()
    assert run(tmp_path, "--seed", "7", "-n", "2") == 0, "it is there already"
    assert run(tmp_path, "--seed", "7", "-n", "3") == 1
    assert "seed7.toml exists with different content" in capsys.readouterr().err
    assert (tmp_path / "seed7.toml").read_bytes() == before
    (tmp_path / "file").write_text("")
    assert run(tmp_path / "file", "--seed", "7", "-n", "2") == 1


def test_every_part_is_drawn_in_all_that_it_may_be():
    drawn = [draw(0, number) for number in range(600)]
    counts = {
        name: Counter(getattr(each, name) for each in drawn)
        for name in ("device", "locale", "wallpaper", "dark", "font_scale", "layout")
    }
    assert set(counts["device"]) == set(DEVICES)
    assert set(counts["locale"]) == set(LOCALES)
    assert set(counts["wallpaper"]) == set(WALLPAPERS)
    assert min(counts["dark"].values()) > 200
    assert min(counts["font_scale"].values()) > 150
    assert len(counts["layout"]) == 600
    densities = {each.density for each in drawn if each.device == "Pixel 3"}
    assert densities == {330, 440, 550}, "those of B-MoCA's tables"


def test_the_values_to_draw_from_can_be_narrowed(tmp_path):
    narrow = ("--device", "Pixel 4, Pixel 6", "--locale", "ko-KR")
    assert run(tmp_path, "--seed", "1", "-n", "20", *narrow) == 0
    drawn = load([tmp_path]).values()
    assert {each.device for each in drawn} == {"Pixel 4", "Pixel 6"}
    assert {each.locale for each in drawn} == {"ko-KR"}


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("--seed", "x", "-n", "2"), "'x' is not a whole number of at least 0"),
        (("--seed", "1", "-n", "0"), "'0' is not a number from 1 to 10000"),
        (("--seed", "1", "-n", "1", "--device", "Pixel 9"), "there is no 'Pixel 9' (available"),
        (("--seed", "1"), "the following arguments are required: -n"),
    ],
)
def test_environments_that_cannot_be_drawn_are_reported(tmp_path, capsys, arguments, error):
    with pytest.raises(SystemExit) as caught:
        run(tmp_path, *arguments)
    assert caught.value.code == 2
    assert error in capsys.readouterr().err
    assert run(tmp_path, "--seed", "1", "-n", "1", "--locale", "English") == 1
    assert "must be a language tag" in capsys.readouterr().err
    assert [*tmp_path.iterdir()] == []
