"""Tests of environments as data: their files, how they are named, and those drawn at random."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from pathlib import Path

import pytest

from pytest_mobileagent.__main__ import main
from pytest_mobileagent.environment import (
    DEVICES,
    LOCALES,
    WALLPAPERS,
    BadEnvironmentError,
    Environment,
    draw,
    load,
    select,
)

FOLDER = Path(__file__).parents[2] / "fixtures" / "environments"
SOUND = {"id": "1", "device": "Pixel 3", "size": [1080, 2160], "density": 440}


@pytest.fixture(scope="module")
def known() -> dict[str, Environment]:
    return load([FOLDER])


def test_all_environments_of_the_benchmark_are_there(known):
    ids = [*(f"{n:03}" for n in range(35)), *(str(n) for n in range(100, 110))]
    assert sorted(name for name in known if known[name].group != "factors") == ids
    assert {known[each].group for each in ids[:35]} == {"train"}
    assert {known[each].group for each in ids[35:]} == {"test"}


@pytest.mark.parametrize(
    "facts",
    [
        ("000", "Pixel 3", 330, 1.15, "en-US", "00_default", False),
        ("012", "Pixel 3", 550, 0.85, "en-US", "03_paper", True),
        ("025", "Pixel 3", 440, 1.0, "zh-Hans-CN", "08_colors", True),
        ("032", "Pixel 3", 550, 0.85, "ak-GH", "10_galaxy", True),
        ("104", "Pixel 3", 440, 1.0, "fr-CA", "09_rainbow", True),
        ("105", "Pixel 3", 550, 0.85, "ko-KR", "09_rainbow", True),
        ("107", "Pixel 5", 440, 1.0, "en-US", "05_doughnut", True),
        ("108", "Pixel 6", 700, 0.85, "ur-PK", "11_pyramid", False),
        ("109", "WXGA Tablet", 160, 1.0, "ar-EG", "12_ocean", False),
    ],
)
def test_facts_are_those_of_the_tables(known, facts):
    it = known[facts[0]]
    looks = (it.device, it.density, it.font_scale, it.locale, it.wallpaper, it.dark)
    assert (it.id, *looks) == facts


def test_twelve_locales_are_for_training_and_fifteen_in_all(known):
    assert len({each.locale for each in known.values() if each.group == "train"}) == 12
    assert len({each.locale for each in known.values()}) == 15
    assert {each.wallpaper for each in known.values()} == set(WALLPAPERS)


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        (["105", "100"], ["105", "100"]),
        (["033-101"], ["033", "034", "100", "101"]),
        (["100", "100-101"], ["100", "101"]),
    ],
)
def test_environments_are_named_by_ids_ranges_and_groups(known, words, ids):
    assert [environment.id for environment in select(words, known)] == ids
    sizes = {word: len(select([word], known)) for word in ("train", "test", "factors", "all")}
    assert sizes == {"train": 35, "test": 10, "factors": 5, "all": 50}


def test_factors_differ_from_the_standard_in_one_respect_each(known):
    names = {each.name for each in fields(Environment)} - {"id", "group"}
    differs = {
        each.id: {name for name in names if getattr(each, name) != getattr(known["100"], name)}
        for each in select(["factors"], known)
    }
    assert differs == {
        "factor_icons": {"layout"},
        "factor_small": {"density", "font_scale"},
        "factor_large": {"density", "font_scale"},
        "factor_french": {"locale"},
        "factor_korean": {"locale"},
    }


@pytest.mark.parametrize("word", ["999", "100-999", "prod"])
def test_an_unknown_name_is_reported_with_the_known_ones(known, word):
    told = f"names '{word}'; choose from all, factors, test, train and "
    with pytest.raises(ValueError, match=told):
        select([word], known)
    with pytest.raises(ValueError, match="no folder of environments is registered"):
        select([word], {})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"densty": 440}, "densty is not a key of an environment; did you mean density?"),
        ({"shape": "round"}, "shape is not a key of an environment; the keys are id, device, "),
        ({"density": "440"}, "density = '440' must be a whole number from 72 to 1000"),
        ({"density": True}, "density = True must be"),
        ({"size": [1080]}, r"size = \(1080,\) must be width and height in pixels"),
        ({"size": "1080x2160"}, "size = '1080x2160' must be"),
        ({"font_scale": 9}, "font_scale = 9 must be a number from 0.5 to 2"),
        ({"locale": "ko_KR; reboot"}, "locale = 'ko_KR; reboot' must be a language tag"),
        ({"wallpaper": "14_moon"}, "wallpaper = '14_moon' must be one of 00_default, "),
        ({"dark": 1}, "dark = 1 must be true or false"),
        ({"layout": -1}, "layout = -1 must be a whole number from 0"),
        ({"id": "a b"}, "id = 'a b' must be letters"),
        ({"device": ""}, "device = '' must be a name"),
    ],
)
def test_an_invalid_value_is_reported_with_its_key(change, message):
    with pytest.raises(BadEnvironmentError, match=message):
        Environment.of({**SOUND, **change})


def test_missing_keys_are_reported():
    for key in SOUND:
        with pytest.raises(BadEnvironmentError, match=f"{key} is missing"):
            Environment.of({name: value for name, value in SOUND.items() if name != key})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[environment]\n", "Expected"),
        ("[environment]\nid = 1\n", "may only contain tables"),
        ("[[other]]\n", "may only contain tables"),
        ('[[environment]]\nid = "7"\n', "environment 7: device is missing"),
        ("[[environment]]\n", "environment number 1: id is missing"),
    ],
)
def test_a_broken_file_is_named(tmp_path, text, message):
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(BadEnvironmentError, match=rf"mine\.toml: .*{message}"):
        load([tmp_path])


def test_an_id_stands_for_one_environment_only(tmp_path):
    table = '[[environment]]\nid = "7"\ndevice = "x"\nsize = [1080, 2160]\ndensity = 440\n'
    (tmp_path / "a.toml").write_text(table)
    (tmp_path / "b.toml").write_text(table)
    with pytest.raises(BadEnvironmentError, match=r"b\.toml: the environment 7 is defined twice"):
        load([tmp_path])


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
