"""Ads over recorded pages: where they lie, what closes them, and what is refused."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Bounds, Finish, Key, Scroll, Tap, Type, rows
from pytest_mobileagent.action.matching import Golden, golden_from_json
from pytest_mobileagent.dataset import contaminate as command
from pytest_mobileagent.dataset.contamination import COVERING, covering, domain_of, target_of
from pytest_mobileagent.dataset.export import main as export
from pytest_mobileagent.dataset.graph import Graph, GraphWriter, check_graph
from pytest_mobileagent.noise.template import load
from pytest_mobileagent.testing import make_screen
from tests.dataset.formats.copies import write_json, write_png, write_records

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

SIZE = (1080, 2400)
ICON = Bounds(850, 2100, 1000, 2300)  # at the bottom, where no card usually lies
ROW = Bounds(0, 400, 1080, 600)  # wider than any card
APP = "org.example.shop"


def striped(number: int = 0) -> Any:
    """A screen with black and white stripes, so that nothing of it is like its surroundings."""
    from io import BytesIO

    from PIL import Image

    picture = Image.new("RGB", SIZE, "white")
    for top in range(number * 3, SIZE[1], 40):
        picture.paste((0, 0, 0), (0, top, SIZE[0], top + 20))
    stream = BytesIO()
    picture.save(stream, "PNG")
    nodes = [{"text": f"to {number}", "bounds": box.describe(), "clickable": "true"}
             for box in (ICON, ROW)]  # fmt: skip
    return stream.getvalue(), make_screen(*nodes, size=SIZE).xml


PATH: tuple[Golden, ...] = (
    Golden(Tap(*ICON.center), SIZE, (Bounds(0, 0, *SIZE), ICON)),
    Golden(Type("mocha"), SIZE),
    Golden(Tap(*ROW.center), SIZE, (ROW,)),
    Golden(Key("back"), SIZE),
    Golden(Finish(), SIZE),
)


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Path]:
    """Writes a graph of tasks whose pages are striped."""

    def make(*paths: Sequence[Golden], name: str = "clean", **columns: Any) -> Path:
        folder = tmp_path / name
        with GraphWriter(folder) as writer:
            for task, path in enumerate(paths or [PATH]):
                names = [f"{task}p{number}" for number in range(len(path))]
                for number, page in enumerate(names):
                    png, xml = striped(number)
                    writer.page(page, png=png, xml=xml, package=APP)
                golden = [Golden(g.action, g.size, g.boxes, n)
                          for g, n in zip(path, names, strict=True)]  # fmt: skip
                for one, other in zip(golden, names[1:], strict=False):
                    writer.edge(one.page, one, other)
                row = {"id": f"t{task}", "goal": "Buy a {{mocha}}.", "golden": golden}
                writer.task({**row, "page": names[-1], "snapshot": names[0], **columns})
            writer.head(name="clean", language="en", licence="CC0")
        return folder

    return make


@pytest.fixture
def contaminate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Runs the command, and returns its status, what it says, and the rows of the new graph."""

    def run(data: Path, *options: str, name: str = "noisy") -> Any:
        output = tmp_path / name
        try:
            status: Any = command.main([str(data), "-o", str(output), *options])
        except SystemExit as error:
            status = error.code
        told = capsys.readouterr()
        found = rows(output / "tasks.jsonl") if status == 0 else []
        return status, told.out + told.err, found

    return run


def golden(row: Any) -> list[Golden]:
    return [golden_from_json(each) for each in row.golden]


def test_a_step_that_closes_an_ad_comes_before_the_one_whose_target_it_hides(
    make: Any, contaminate: Any, tmp_path: Path
) -> None:
    status, _, (row,) = contaminate(make())
    assert status == 0
    each = golden(row)
    (noise,) = row.noise
    at = noise["step"] - 1
    assert [one.action for one in each[:at] + each[at + 1 :]] == [one.action for one in PATH]
    ad = each[at]
    assert isinstance(ad.action, Tap)
    (box,) = ad.boxes
    assert box.contains(ad.action.x, ad.action.y)
    assert (row.golden_steps, row.snapshot) == (5, each[0].page)
    assert row.goal == "Buy a {{mocha}}."
    assert row.tags == ["noisy"]
    with Graph.open(tmp_path / "noisy") as graph:
        check_graph(graph)
        assert (graph.licence, graph.language) == ("CC0", "en")
        (closed,) = graph.edges(ad.page)
        assert (closed.target, closed.golden.action) == (each[at + 1].page, ad.action)


@pytest.mark.parametrize("seed", range(4))
def test_nothing_of_the_target_can_be_seen(
    make: Any, contaminate: Any, tmp_path: Path, seed: int
) -> None:
    _, _, (row,) = contaminate(make(PATH[:1] + PATH[4:]), f"--seed={seed}")
    ad, clean, _ = golden(row)
    with Graph.open(tmp_path / "noisy") as graph:
        covered, before = graph.screen(ad.page), graph.screen(clean.page)
    stripes = before.image.crop(ICON).convert("L").histogram()
    assert stripes[0] > 10_000 < stripes[255]
    assert covered.image.crop(ICON).convert("L").histogram()[0] < 2000  # letters of the ad
    # Nor by the hierarchy, which holds what closes the ad.
    assert not covered.find_all(text="to 0")
    assert covered.at(*ad.boxes[0].center)[0].clickable
    # Who taps where the target was does not close the ad by that.
    assert not ad.boxes[0].contains(*ICON.center)


def test_the_page_around_a_card_is_whitened(make: Any, contaminate: Any, tmp_path: Path) -> None:
    _, _, (row,) = contaminate(make(PATH[:1] + PATH[4:]), "--noise=0,rating")
    with Graph.open(tmp_path / "noisy") as graph:
        levels = graph.screen(golden(row)[0].page).image.crop((0, 0, 40, 400)).convert("L")
    assert levels.getextrema() == (229, 255)  # a tenth of black is left


def test_a_target_that_would_stay_visible_is_refused(make: Any, contaminate: Any) -> None:
    wide = PATH[2:3] + PATH[4:]
    status, told, _ = contaminate(make(wide), "--noise=0,redirect-ad")
    assert status == 4
    assert told.startswith("ERROR: ")
    assert "no trajectory can be contaminated: 1 x the target would stay visible" in told
    whole = make(wide, name="whole")
    assert contaminate(whole, "--noise=0,redirect-ad", "--whiten=1")[0] == 0


def test_a_trajectory_without_a_tap_is_left_out_and_counted(
    make: Any, contaminate: Any, tmp_path: Path
) -> None:
    still = [Golden(Scroll("up"), SIZE), Golden(Type("x"), SIZE), Golden(Finish(), SIZE)]
    status, told, found = contaminate(make(PATH, still))
    assert (status, [row.id for row in found]) == (0, ["t0"])
    assert "left out 1: no step is a tap on something" in told
    about = json.loads((tmp_path / "noisy" / "contamination.json").read_text())
    assert about["left_out"] == {"no step is a tap on something": 1}
    counts = about["subsets"]["others"]
    assert (counts["trajectories"], counts["steps"], counts["noisy"]) == (1, 5, 1)
    assert sum(about["templates"].values()) == counts.get("in", 0) + counts.get("out", 0) == 1


def test_the_seed_decides_and_tasks_do_not_depend_on_each_other(
    make: Any, contaminate: Any, tmp_path: Path
) -> None:
    data = make(PATH, PATH, PATH)
    first = contaminate(data, "--seed=1", name="a")[2]
    again = contaminate(data, "--seed=1", name="b")[2]
    other = contaminate(data, "--seed=2", name="c")[2]
    assert [row.columns for row in first] == [row.columns for row in again]
    assert [row.columns for row in first] != [row.columns for row in other]
    with Graph.open(tmp_path / "a") as one, Graph.open(tmp_path / "b") as two:
        page = golden(first[0])[0].page
        assert one.screen(page).png == two.screen(page).png
    lines = (data / "tasks.jsonl").read_text().splitlines()
    (data / "tasks.jsonl").write_text(f"{lines[2]}\n")
    assert contaminate(data, "--seed=1", name="d")[2][0].columns == first[2].columns


def test_the_rate_is_the_share_of_steps_at_least_one(make: Any, contaminate: Any) -> None:
    taps = [PATH[0]] * 5 + [PATH[4]]
    data = make(taps)
    assert len(contaminate(data, "--noise=0.6", name="a")[2][0].noise) == 3
    row = contaminate(data, "--noise=1,ad", name="b")[2][0]
    assert [each["step"] for each in row.noise] == [1, 3, 5, 7, 9]
    assert row.golden_steps == 10
    assert len(contaminate(data, name="c")[2][0].noise) == 1


def test_the_two_sets_of_ads_are_kept_apart(make: Any, contaminate: Any, tmp_path: Path) -> None:
    data = make(*[PATH] * 8)
    inside, outside = (
        {each["ad"] for row in contaminate(data, f"--ads={ads}", name=ads)[2] for each in row.noise}
        for ads in ("in", "out")
    )
    assert inside
    assert outside
    assert not inside & outside
    about = json.loads((tmp_path / "in" / "contamination.json").read_text())
    assert about["subsets"]["others"]["in"] == 8
    assert "out" not in about["subsets"]["others"]


def test_each_set_has_ads_of_every_kind_and_language() -> None:
    templates = load()
    for language in ("en", "zh"):
        for domain in ("in", "out"):
            kinds = {t.kind for t in covering(templates, COVERING, domain, language)}
            assert kinds >= {"popup", "late-ad"}, (language, domain)
    assert {domain_of(template) for template in templates} == {"in", "out"}
    assert {t.language for t in covering(templates, COVERING, None, "fr")} == {"en"}
    assert {t.language for t in covering(templates, COVERING, None, "zh-CN")} == {"zh"}


def test_instructions_of_steps_stay_beside_their_steps(make: Any, contaminate: Any) -> None:
    told = ["Tap the icon.", "Type.", "Tap the row.", "Go back.", "Done."]
    (row,) = contaminate(make(instructions=told, tags=["install"]))[2]
    at = row.noise[0]["step"] - 1
    assert row.instructions[at] == "Close what covers the page."
    assert row.instructions[:at] + row.instructions[at + 1 :] == told
    assert row.tags == ["install", "noisy"]


@pytest.mark.parametrize(
    ("given", "box"),
    [
        (Golden(Tap(500, 500), SIZE, (ROW, Bounds(400, 450, 600, 550))), (400, 450, 600, 550)),
        (Golden(Tap(900, 2200), SIZE), tuple(ICON)),  # the control in the hierarchy
        (Golden(Tap(500, 1000), SIZE), (457, 957, 543, 1043)),  # nothing is known there
        (Golden(Tap(500, 200), (1000, 1000), (Bounds(0, 150, 1000, 250),)), (0, 360, 1080, 600)),
        (Golden(Tap(10, 10), SIZE), (0, 0, 53, 53)),
        (Golden(Scroll("up"), SIZE), None),
    ],
)
def test_the_target_is_the_smallest_thing_that_is_known_around_a_tap(given: Any, box: Any) -> None:
    png, xml = striped()
    screen = make_screen(size=SIZE)
    from dataclasses import replace

    found = target_of(given, replace(screen, png=png, xml=xml))
    assert (found and tuple(found)) == box


def aitz(folder: Path) -> Path:
    """Write a trajectory in AITZ's layout, with screens that have room for an ad."""
    name, side = "GENERAL-5", (540, 1200)
    place = folder / "test" / "general" / name
    kinds = [
        (4, [0.5, 0.25], [0.5, 0.25]),
        (4, [0.8, 0.5], [0.2, 0.5]),
        (10, [-1.0] * 2, [-1.0] * 2),
    ]
    steps = [
        {
            "episode_id": "5",
            "step_id": number,
            "instruction": "Turn on the lamp.",
            "ui_positions": "[[560, 100, 80, 100]]",
            "result_action_type": kind,
            "result_action_text": "",
            "result_touch_yx": json.dumps(touch),
            "result_lift_yx": json.dumps(lift),
            "image_path": f"general/{name}/{name}_{number}.png",
            "coat_action_think": "I look.",
            "coat_action_desc": f"step {number}",
        }
        for number, (kind, touch, lift) in enumerate(kinds)
    ]
    write_json(place / f"{name}.json", steps)
    for number in range(3):
        write_png(place / f"{name}_{number}.png", side, 90)
    return folder


def test_aitzs_layout_is_contaminated_and_its_pictures_stay_where_they_are(
    contaminate: Any, tmp_path: Path
) -> None:
    status, told, (row,) = contaminate(aitz(tmp_path / "aitz"))
    assert status == 0
    assert [type(each.action) for each in golden(row)] == [Tap, Tap, Scroll, Finish]
    assert row.instructions == ["Close what covers the page.", "step 0", "step 1", "step 2"]
    assert row.tags == ["general", "test", "noisy"]
    assert [line.split()[:4] for line in told.splitlines() if line.startswith("general")] == [
        ["general", "1", "3", "1"]
    ]
    with Graph.open(tmp_path / "noisy") as graph:
        check_graph(graph)
        pages = [graph.page(each.page) for each in golden(row)]
        assert not graph.file(pages[0].png).is_relative_to(tmp_path / "aitz")
        for page in pages[1:]:
            assert graph.file(page.png).resolve().is_relative_to(tmp_path / "aitz")


def test_aitws_records_are_contaminated(contaminate: Any, tmp_path: Path) -> None:
    width, height = 360, 800
    steps: list[dict[str, list[Any]]] = [
        {
            "episode_id": ["11"],
            "episode_length": [2],
            "step_id": [number],
            "goal_info": ["Turn on the lamp."],
            "image/encoded": [bytes([90, 90, 90]) * width * height],
            "image/width": [width],
            "image/height": [height],
            "image/channels": [3],
            "image/ui_annotations_positions": [0.45, 0.2, 0.1, 0.2],
            "results/action_type": [kind],
            "results/yx_touch": [0.5, 0.25],
            "results/yx_lift": [0.5, 0.25],
            "results/type_action": [""],
        }
        for number, kind in enumerate((4, 10))
    ]
    write_records(tmp_path / "aitw" / "install" / "part", steps)
    status, _, (row,) = contaminate(tmp_path / "aitw" / "install", "--noise=0,ad")
    assert status == 0
    assert [type(each.action) for each in golden(row)] == [Tap, Tap, Finish]
    assert row.noise[0]["kind"].endswith("-ad")


def test_our_own_json_lines_are_contaminated(contaminate: Any, tmp_path: Path) -> None:
    png, xml = striped()
    data = tmp_path / "own"
    data.mkdir()
    (data / "p.png").write_bytes(png)
    (data / "p.xml").write_text(xml)
    tap = {"action": "Tap", "x": ICON.center[0], "y": ICON.center[1]}
    lines: list[Any] = [{"set": "Own", "language": "en"}]
    lines += [{"page": name, "png": "p.png", "xml": "p.xml"} for name in "ab"]
    step = {"page": "a", "action": tap, "boxes": [list(ICON)]}
    lines.append({"task": "one", "goal": "Go {on}.", "page": "b", "golden": [step]})
    (data / "own.jsonl").write_text("\n".join(map(json.dumps, lines)))
    status, _, (row,) = contaminate(data)
    assert status == 0
    assert len(golden(row)) == 2
    assert row.goal == "Go {{on}}."
    with Graph.open(tmp_path / "noisy") as graph:
        check_graph(graph)


def test_what_is_contaminated_is_exported_for_those_who_train(
    make: Any, contaminate: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = ["Tap the icon.", "Type.", "Tap the row.", "Go back.", "Done."]
    (row,) = contaminate(make(PATH, PATH[3:], instructions=told), "--noise=0,ad")[2]
    words = [str(tmp_path / "noisy"), "--format=llamafactory", "-o", str(tmp_path / "train")]
    assert export(words, lambda _: (), lambda _: None) == 0
    assert "1 trajectories, 6 steps" in capsys.readouterr().out
    samples = json.loads((tmp_path / "train" / "train.json").read_text())
    assert "Goal: Buy a {mocha}." in samples[0]["messages"][0]["content"]
    closing = samples[row.noise[0]["step"] - 1]["messages"][-1]["content"]
    assert '"click"' in closing
    about = json.loads((tmp_path / "train" / "dataset.json").read_text())
    assert about["trajectories"][0]["origin"]["licence"] == "CC0"


def test_a_task_of_a_graph_without_a_golden_path_is_not_exported(
    make: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = make()
    with (data / "tasks.jsonl").open("a") as file:
        file.write('{"id": "bare", "goal": "Look."}\n')
    words = [str(data), "--format=llamafactory", "-o", str(tmp_path / "train")]
    assert export(words, lambda _: (), lambda _: None) == 0
    out = capsys.readouterr().out
    assert "1 trajectories, 5 steps" in out
    assert "left out 1: a task has no golden path in pixels" in out


@pytest.mark.parametrize(
    "case",
    [
        (["--noise=2"], 2, "has to begin with a rate from 0 to 1"),
        (["--noise=0,adds"], 2, "names 'adds', which is no kind of noise"),
        (["--noise=0.2,toast,unexecuted"], 2, "names nothing that hides a page"),
        (["--whiten=1.2"], 2, "1.2 is no number from 0 to 1"),
        (["--noise-paths=own"], 4, "there is no way to close it"),
        (["-o", "clean"], 4, "clean: a graph is there already"),
    ],
)
def test_what_is_wrong_with_the_options_is_told(
    make: Any, contaminate: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, case: Any
) -> None:
    options, expected, problem = case
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "x.toml").write_text('[[noise]]\nname = "x"\nkind = "popup"\ntitle = "X"\n')
    status, told, _ = contaminate(make(), *options)
    assert status == expected
    assert problem in " ".join(told.split())


def test_what_is_no_data_set_is_told_in_one_line(contaminate: Any, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    status, told, _ = contaminate(tmp_path / "empty")
    assert status == 4
    assert told.startswith("ERROR: ")
    assert "is of no known format" in told
    assert told.count("\n") == 1
    assert not (tmp_path / "noisy").exists()


def test_a_broken_graph_is_told_in_one_line(make: Any, contaminate: Any, tmp_path: Path) -> None:
    clean = make(PATH)
    with closing(sqlite3.connect(clean / "graph.sqlite")) as index, index:
        index.execute("UPDATE edges SET target = 'gone' WHERE rowid = 2")
    status, told, _ = contaminate(clean)
    assert status == 4
    assert told.startswith(f"ERROR: {clean / 'graph.sqlite'}, edges, row 2: ")
    assert "there is no page 'gone'" in told
    assert told.count("\n") == 1
    assert not (tmp_path / "noisy").exists()
