from __future__ import annotations

import base64
import gzip
import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.jsonable import to_text
from pytest_mobileagent.report.export import main
from pytest_mobileagent.report.recorded_run import document
from tests.report.conftest import make
from tests.report.test_recorded_run import VERSION_1

if TYPE_CHECKING:
    from pathlib import Path

    Capture = pytest.CaptureFixture[str]


@pytest.fixture
def write_run(tmp_path):
    """Return a function that writes a run of one task and returns its folder."""

    def write(agent: str, success: bool | None = True, *, whole: Any = None) -> Path:
        folder = tmp_path / "runs" / agent
        folder.mkdir(parents=True)
        entry = make(success, suite="clock", steps=3, termination="self-reported")
        report = whole or document({"id": f"run-{agent}", "agent": agent}, {"t": entry})
        (folder / "report.json").write_text(to_text(report))
        return folder

    return write


def lines(capsys: Capture) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_each_run_is_a_row_or_an_object(write_run, tmp_path, capsys):
    runs = [str(write_run("m3a")), str(write_run("t3a", success=False))]
    assert main(runs) == 0
    assert [line.split(" | ")[:4] for line in lines(capsys)[2:]] == [
        ["| m3a", "1", "1", "100.0%"], ["| t3a", "1", "1", "0.0%"],
    ]  # fmt: skip
    assert main([*runs, "--format=json"]) == 0
    first, second = json.loads(capsys.readouterr().out)["runs"]
    assert (first["run"]["agent"], second["run"]["agent"]) == ("m3a", "t3a")
    written = json.loads((tmp_path / "runs" / "m3a" / "report.json").read_text())
    assert first["summary"] == written["summary"]


def test_layout_and_format_can_be_written_to_a_file(write_run, tmp_path, capsys):
    path = tmp_path / "table3.tex"
    run = str(write_run("m_3a"))
    assert main([run, "--format=latex", "--layout=spa-bench", "-o", str(path)]) == 0
    assert r"m\_3a & 1.000 & n/a & 1.000" in path.read_text("utf-8")
    assert capsys.readouterr().out == ""


def test_layouts_are_listed_without_a_run(capsys):
    assert main(["--layouts"]) == 0
    shown = capsys.readouterr().out
    assert "spa-bench:3   spa-bench         all numbers of single-app tasks in English\n" in shown
    assert "needs a file: what `calibrate --format=json` prints\n" in shown


@pytest.mark.parametrize("form", ["markdown", "csv", "latex"])
def test_counts_of_a_file_become_a_table(tmp_path, capsys, form):
    path = tmp_path / "drafts.json"
    counts = {"functions": 25, "right": 6, "lines": 400, "wrong": 108}
    path.write_text(to_text({"models": {"=GPT_4o": counts}}))
    assert main([str(path), "--layout=a3:2", f"--format={form}"]) == 0
    rows = {
        "markdown": "| \\=GPT_4o | 24% | 27% |",
        "csv": "'=GPT_4o,0.24,0.27",
        "latex": r"=GPT\_4o & 24\% & 27\% \\",
    }
    assert rows[form] in lines(capsys)


def test_a_file_of_counts_is_not_overwritten(tmp_path, capsys):
    path = tmp_path / "drafts.json"
    path.write_text('{"models": {}}')
    given = [str(path), "--layout=a3:2", "-o", str(tmp_path / "." / "drafts.json")]
    assert main(given) == 1
    assert capsys.readouterr().err.endswith("has the counts: name another file with -o\n")
    assert path.read_text() == '{"models": {}}'


def test_a_run_is_not_a_file_of_counts(write_run, capsys):
    run = write_run("m3a")
    assert main([str(run), "--layout=a3:3"]) == 1
    told = "(Is a directory): this table needs what `calibrate --format=json` prints\n"
    assert capsys.readouterr().err == f"error: {run} cannot be read {told}"
    assert main([str(run / "report.json"), "--layout=a3:3"]) == 1
    told = "report.json is not what `calibrate --format=json` prints: it has no 'modes'"
    assert told in capsys.readouterr().err


def test_csv_prints_remarks_beside_the_table(write_run, capsys):
    assert main([str(write_run("m3a", success=None)), "--format=csv"]) == 0
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) == 2
    assert "0 of 1 episodes are decided" in shown.err


def test_runs_of_version_1_have_a_row(write_run, capsys):
    about = {"id": "old", "agent": "appagent"}
    whole = {"schema_version": 1, "run": about, "summary": {}, "tasks": [VERSION_1]}
    assert main([str(write_run("old", whole=whole)), "--layout=spa-bench"]) == 0
    assert lines(capsys)[2].startswith("| appagent | 0.000 | n/a | 1.000 | 0.000 | 0.000 | 1.000 |")


@pytest.mark.parametrize(
    ("whole", "told"),
    [
        ({"schema_version": 9, "run": {}, "summary": {}, "tasks": []}, "install a newer one"),
        ({"schema_version": 2, "run": {}, "summary": {}}, "damaged"),
    ],
)
def test_a_run_that_cannot_be_read_is_reported(write_run, capsys, whole, told):
    assert main([str(write_run("broken", whole=whole))]) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert "broken" in error
    assert told in error


def test_paths_that_cannot_be_read_or_written_are_reported(write_run, tmp_path, capsys):
    assert main([str(tmp_path)]) == 1
    assert "holds no run" in capsys.readouterr().err
    assert main([str(tmp_path / "nowhere")]) == 1
    assert "is not a folder" in capsys.readouterr().err
    path = tmp_path / "nowhere" / "table.md"
    assert main([str(write_run("m3a")), "-o", str(path)]) == 1
    assert f"cannot write {path}: " in capsys.readouterr().err


@pytest.mark.parametrize("format", ["json", "html"])
def test_records_of_a_run_are_not_overwritten(write_run, capsys, format):
    run = write_run("m3a")
    before = (run / "report.json").read_text()
    assert main([str(run), f"--format={format}", "-o", str(run / "report.json")]) == 1
    assert "a run's own file" in capsys.readouterr().err
    assert (run / "report.json").read_text() == before


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["a", "--format=json", "--layout=a3"], "--layout is for csv, markdown, latex"),
        (["a", "--pack"], "--pack is for --format=html"),
        (["a", "b", "--format=html", "--pack"], "--pack is for the page of one run"),
        (["a", "--layout=b_moca"], "argument --layout: there is no 'b_moca', but spa-bench:2, "),
        (["a", "--layout=a3:7"], "there is no 'a3:7', but a3:2, a3:3, a3:4, a3:5, a3:6, "),
        ([], "name a RUN (--layouts and --published need none)"),
        (["a", "--published=f", "--layout=a3"], "--published has a table of its own"),
        (["a", "b", "--published=f", "--format=html"], "--published is for the page of one run"),
        (["a", "--format=text"], "--format=text is for --published"),
    ],
)
def test_incompatible_options_are_reported(capsys, arguments, told):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


def test_html_is_the_page_of_a_run_in_its_folder_or_at_the_given_path(write_run, tmp_path, capsys):
    run, page = write_run("m3a"), tmp_path / "page.html"
    for arguments, path in (
        ([], run / "report.html"), (["--pack"], run / "report-packed.html"),
        (["-o", str(page)], page),
    ):  # fmt: skip
        assert main([str(run), "--format=html", *arguments]) == 0
        assert lines(capsys) == [str(path)]
        assert path.read_text("utf-8").startswith("<!DOCTYPE html>")


PUBLISHED = """
suite = "clock"
tasks = 116
[[score]]
agent = "m3a"
score = 25.4
source = "a paper"
"""


@pytest.fixture
def published(tmp_path):
    path = tmp_path / "published.toml"
    path.write_text(PUBLISHED)
    return f"--published={path}"


def test_published_scores_are_beside_the_newest_run(write_run, published, capsys):
    folder = write_run("m3a").parent
    assert main([published], lambda: folder) == 0
    assert lines(capsys)[0] == (
        "m3a  100.0 (1 of 116 tasks, 1 epoch)   published 25.4   difference 74.6 (-4.7 to 74.6)   "
        "differs in: tasks 1 for 116, model unknown, preset unknown"
    )


def test_two_runs_are_beside_their_scores(write_run, published, tmp_path, capsys):
    path = tmp_path / "published.toml"
    path.write_text(PUBLISHED + PUBLISHED[PUBLISHED.index("[[") :].replace("m3a", "t3a"))
    runs = [str(write_run("m3a")), str(write_run("t3a", success=False))]
    assert main([*runs, published]) == 0
    assert [line.split()[0] for line in lines(capsys) if "published 25.4" in line] == ["m3a", "t3a"]
    assert main([*runs, published, "--format=markdown"]) == 0
    assert [line.split(" | ")[0] for line in lines(capsys)[2:4]] == ["| m3a", "| t3a"]
    assert main([*runs, published, "--format=csv", "-o", str(tmp_path / "t.csv")]) == 0
    assert (tmp_path / "t.csv").read_text().count("\n") == 3
    assert "m3a: published in: a paper" in capsys.readouterr().err
    assert main([*runs, published, "--format=json"]) == 0
    first, second = json.loads(capsys.readouterr().out)["runs"]
    assert (first["published"][0]["own"], second["published"][0]["own"]) == (1.0, 0.0)
    assert first["unlike_preset"] == []


def test_files_that_do_not_fit_the_run_are_refused(write_run, published, tmp_path, capsys):
    (tmp_path / "published.toml").write_text(PUBLISHED.replace("m3a", "m3b"))
    assert main([str(write_run("m3a")), published]) == 1
    shown = capsys.readouterr()
    assert (shown.out, shown.err.startswith("error: ")) == ("", True)
    assert "has no score of the agent 'm3a' among its 1 score; did you mean 'm3b'?" in shown.err


def test_the_page_of_a_run_has_its_published_scores(write_run, published, tmp_path, capsys):
    run = write_run("m3a")
    assert main([str(run), "--format=html", published]) == 0
    assert lines(capsys) == [str(run / "report.html")]
    page = tmp_path / "page.html"
    assert main([str(run), "--format=html", published, "-o", str(page)]) == 0
    assert main([str(run), "--format=html", published, "--pack"]) == 0
    for each in (run / "report.html", page, run / "report-packed.html"):
        (scores,) = index_of(each)["published"]
        assert scores["score"] == 0.254
        assert scores["differs_in"] == ["tasks 1 for 116", "model unknown", "preset unknown"]


def index_of(page: Path) -> dict[str, Any]:
    """Return the index of a run's page."""
    (block,) = re.findall(rb'id="index"[^>]*>([^<]*)<', page.read_bytes())
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(block)))
    return found


def test_tables_name_the_settings_that_differ_from_the_preset(write_run, capsys):
    published = {"preset": "paper", "options": {}, "settings": {"seed": None, "runs": None}}
    report = document({"id": "run", "agent": "m3a", "published": published}, {"t": make(True)})
    assert main([str(write_run("m3a", whole=report))]) == 0
    told = "m3a: it differs from the preset paper in: seed unknown, runs unknown"
    assert told in [line.strip() for line in lines(capsys)]
