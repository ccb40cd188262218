"""Tests of ads over recorded pages: their position, how they are closed, and their selection."""

import json
from dataclasses import replace

import pytest

from pytest_mobileagent import Bounds, Finish, Scroll, Tap, Type
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.dataset.contamination import COVERING, covering, domain_of, target_of
from pytest_mobileagent.dataset.graph import Graph, check_graph
from pytest_mobileagent.noise.template import load
from pytest_mobileagent.testing import make_screen
from tests.dataset.striped import ICON, PATH, ROW, SIZE, golden, striped

SHORT = PATH[:1] + PATH[4:]


def test_a_step_that_closes_an_ad_comes_before_the_one_whose_target_it_hides(
    striped_graph, contaminate, tmp_path
):
    told = ["Tap the icon.", "Type.", "Tap the row.", "Go back.", "Done."]
    status, _, (row,) = contaminate(striped_graph(instructions=told, tags=["install"]))
    assert status == 0
    each = golden(row)
    (noise,) = row.noise
    at = noise["step"] - 1
    assert [n for n, each in enumerate(row.golden) if each.get("noisy")] == [at]
    assert [one.action for one in each[:at] + each[at + 1 :]] == [one.action for one in PATH]
    ad = each[at]
    assert isinstance(ad.action, Tap)
    (box,) = ad.boxes
    assert box.contains(ad.action.x, ad.action.y)
    assert (row.golden_steps, row.snapshot) == (5, each[0].page)
    assert row.goal == "Buy a {{mocha}}."
    assert row.instructions[at] == "Close what covers the page."
    assert row.instructions[:at] + row.instructions[at + 1 :] == told
    assert row.tags == ["install", "noisy"]
    with Graph.open(tmp_path / "noisy") as graph:
        check_graph(graph)
        assert (graph.licence, graph.language) == ("CC0", "en")
        (closed,) = graph.edges(ad.page)
        assert (closed.target, closed.golden.action) == (each[at + 1].page, ad.action)


@pytest.mark.parametrize("options", [["--seed=0"], ["--seed=1"], ["--noise=0,rating"]])
def test_nothing_of_the_target_can_be_seen(striped_graph, contaminate, tmp_path, options):
    _, _, (row,) = contaminate(striped_graph(SHORT), *options)
    ad, clean, _ = golden(row)
    with Graph.open(tmp_path / "noisy") as graph:
        covered, before = graph.screen(ad.page), graph.screen(clean.page)
    stripes = before.image.crop(ICON).convert("L").histogram()
    assert stripes[0] > 10_000 < stripes[255]
    # The black pixels that remain are the letters of the ad.
    assert covered.image.crop(ICON).convert("L").histogram()[0] < 2000
    # Nor is the target in the hierarchy, which contains the element that closes the ad.
    assert not covered.find_all(text="to 0")
    assert covered.at(*ad.boxes[0].center)[0].clickable
    # A tap where the target was does not close the ad.
    assert not ad.boxes[0].contains(*ICON.center)
    if options == ["--noise=0,rating"]:  # a card, around which a tenth of the black remains
        assert covered.image.crop((0, 0, 40, 400)).convert("L").getextrema() == (229, 255)


def test_a_target_that_would_stay_visible_is_refused(striped_graph, contaminate):
    wide = PATH[2:3] + PATH[4:]
    status, told, _ = contaminate(striped_graph(wide), "--noise=0,redirect-ad")
    assert status == 4
    assert told.startswith("ERROR: ")
    assert "no trajectory can be contaminated: 1 x the target would stay visible" in told
    whole = striped_graph(wide, name="whole")
    assert contaminate(whole, "--noise=0,redirect-ad", "--whiten=1")[0] == 0


def test_a_trajectory_without_a_tap_is_left_out_and_counted(striped_graph, contaminate, tmp_path):
    still = [Golden(Scroll("up"), SIZE), Golden(Type("x"), SIZE), Golden(Finish(), SIZE)]
    status, told, found = contaminate(striped_graph(PATH, still))
    assert (status, [row.id for row in found]) == (0, ["t0"])
    assert "left out 1: no step is a tap on something" in told
    about = json.loads((tmp_path / "noisy" / "contamination.json").read_text())
    assert about["left_out"] == {"no step is a tap on something": 1}
    counts = about["subsets"]["others"]
    assert (counts["trajectories"], counts["steps"], counts["noisy"]) == (1, 5, 1)
    assert sum(about["templates"].values()) == counts.get("in", 0) + counts.get("out", 0) == 1


def test_the_seed_decides_and_tasks_do_not_depend_on_each_other(
    striped_graph, contaminate, tmp_path
):
    data = striped_graph(SHORT, SHORT)
    first = contaminate(data, "--seed=1", name="a")[2]
    again = contaminate(data, "--seed=1", name="b")[2]
    other = contaminate(data, "--seed=2", name="c")[2]
    assert [row.columns for row in first] == [row.columns for row in again]
    assert [row.columns for row in first] != [row.columns for row in other]
    with Graph.open(tmp_path / "a") as one, Graph.open(tmp_path / "b") as two:
        page = golden(first[0])[0].page
        assert one.screen(page).png == two.screen(page).png
    lines = (data / "tasks.jsonl").read_text().splitlines()
    (data / "tasks.jsonl").write_text(f"{lines[1]}\n")
    assert contaminate(data, "--seed=1", name="d")[2][0].columns == first[1].columns


def test_the_rate_is_the_share_of_steps_at_least_one(striped_graph, contaminate):
    data = striped_graph([PATH[0]] * 3 + [PATH[4]])
    assert len(contaminate(data, "--noise=0.6", name="a")[2][0].noise) == 2
    row = contaminate(data, "--noise=1,ad", name="b")[2][0]
    assert [each["step"] for each in row.noise] == [1, 3, 5]
    assert row.golden_steps == 6
    assert len(contaminate(data, name="c")[2][0].noise) == 1


def test_the_two_sets_of_ads_are_kept_apart(striped_graph, contaminate, tmp_path):
    data = striped_graph(*[SHORT] * 3)
    inside, outside = (
        {each["ad"] for row in contaminate(data, f"--ads={ads}", name=ads)[2] for each in row.noise}
        for ads in ("in", "out")
    )
    assert inside
    assert outside
    assert not inside & outside
    about = json.loads((tmp_path / "in" / "contamination.json").read_text())
    assert about["subsets"]["others"]["in"] == 3
    assert "out" not in about["subsets"]["others"]


def test_each_set_has_ads_of_every_kind_and_language():
    templates = load()
    for language in ("en", "zh"):
        for domain in ("in", "out"):
            kinds = {t.kind for t in covering(templates, COVERING, domain, language)}
            assert kinds >= {"popup", "late-ad"}, (language, domain)
    assert {domain_of(template) for template in templates} == {"in", "out"}
    assert {t.language for t in covering(templates, COVERING, None, "fr")} == {"en"}
    assert {t.language for t in covering(templates, COVERING, None, "zh-CN")} == {"zh"}


@pytest.mark.parametrize(
    ("given", "box"),
    [
        (Golden(Tap(500, 500), SIZE, (ROW, Bounds(400, 450, 600, 550))), (400, 450, 600, 550)),
        (Golden(Tap(900, 2200), SIZE), tuple(ICON)),  # the control in the hierarchy
        (Golden(Tap(500, 1000), SIZE), (457, 957, 543, 1043)),  # No element is known at this point.
        (Golden(Tap(500, 200), (1000, 1000), (Bounds(0, 150, 1000, 250),)), (0, 360, 1080, 600)),
        (Golden(Tap(10, 10), SIZE), (0, 0, 53, 53)),
        (Golden(Scroll("up"), SIZE), None),
    ],
)
def test_the_target_is_the_smallest_thing_that_is_known_around_a_tap(given, box):
    png, xml = striped()
    found = target_of(given, replace(make_screen(size=SIZE), png=png, xml=xml))
    assert (found and tuple(found)) == box
