"""Tests of the chain of digests that a run writes while it goes on."""

from __future__ import annotations

import multiprocessing
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.episode import chain
from pytest_mobileagent.episode.chain import add, begin, last_digest, links
from pytest_mobileagent.errors import HostError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "run.json").write_text("{}")
    begin(folder)
    return folder


def contents(run: Path) -> list[dict[str, object]]:
    """Return the contents of the links, without their times; every link must fit."""
    found = list(links(run))
    assert all(link.fits for link in found)
    return [{n: v for n, v in link.content.items() if n != "when"} for link in found]


EDITS = {
    "another name": (lambda one, two, last: [one, two.replace("x.", "y."), last], [1, 0, 1]),
    "another time": (lambda one, two, last: [one, two.replace("2", "1", 1), last], [1, 0, 1]),
    "without one": (lambda one, _two, last: [one, last], [1, 0]),
}


@pytest.mark.parametrize(("edit", "fits"), EDITS.values(), ids=EDITS)
def test_an_edited_or_removed_link_is_noticed(run, edit, fits):
    add(run, {"begun": "episodes/x.0"})
    add(run, {"begun": "episodes/y.0"})
    path = run / "chain.jsonl"
    path.write_text("".join(edit(*path.read_text().splitlines(keepends=True))))
    assert [link.fits for link in links(run)] == fits


def test_the_chain_goes_on_after_a_link_that_a_killed_process_wrote_in_part(run):
    add(run, {"begun": "episodes/x.0"})
    assert contents(run) == [{"plan": chain.digest_of("{}")}, {"begun": "episodes/x.0"}]
    before = last_digest(run)
    with (run / "chain.jsonl").open("a") as file:
        file.write('{"when":"20')
    assert last_digest(run) == before
    add(run, {"begun": "episodes/y.0"})
    assert [bool(link.content) for link in links(run)] == [True, True, False, True]
    assert [link.fits for link in links(run)] == [True, True, False, True]


def _add_many(run: Path, name: str) -> None:
    for number in range(25):
        add(run, {"begun": f"{name}.{number}"})


def test_processes_add_links_to_one_chain(run):
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=_add_many, args=(run, name)) for name in "abc"]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert len(contents(run)) == 76


def test_a_folder_without_a_chain_gets_none_and_a_link_is_not_followed(tmp_path):
    add(tmp_path, {"begun": "episodes/x.0"})
    assert (list(tmp_path.iterdir()), last_digest(tmp_path)) == ([], "")
    (tmp_path / "other").touch()
    (tmp_path / "chain.jsonl").symlink_to(tmp_path / "other")
    with pytest.raises(HostError, match="cannot write"):
        add(tmp_path, {"begun": "x"})


def test_digests_are_those_of_the_text_without_paths_of_the_machine(run):
    text = f'"{run}/a", {run.parent}, /home/ann/x, /data/home/x'
    assert chain.portable(text, run) == '"RUN/a", RUNS, ~/x, /data/home/x'


def test_paths_of_the_command_are_left_out_wherever_they_are(tmp_path, monkeypatch):
    agent = tmp_path / "elsewhere" / "agent.py"
    run = tmp_path / "runs" / "run"
    run.mkdir(parents=True)
    agent.parent.mkdir()
    agent.touch()
    monkeypatch.setattr("sys.argv", ["pytest", f"--agent={agent}:Agent", "/none/such"])
    begin(run)
    assert chain.portable(f"{agent}:Agent, /none/such", run) == "agent.py:Agent, /none/such"


def test_attempts_are_sealed_line_by_line_at_the_latest_at_the_end(run):
    folder = run / "episodes" / "x.0"
    folder.mkdir(parents=True)
    (folder / "episode.jsonl").write_text('{"a":1}\n{"b":2}\nin part')
    (folder / "verdicts.jsonl").write_text('{"passed":true}\n')
    (run / "report.json").write_text("{}")
    index = '{"folder":"episodes/x.0"}'
    (run / "index.jsonl").write_text(f"{index}\n")
    chain.close(run)
    digests = [chain.digest_of(text) for text in ('{"a":1}', '{"b":2}')]
    seal = {"attempt": "episodes/x.0", "files": {"episode.jsonl": digests}}
    assert contents(run)[1:] == [
        {"verdict": "episodes/x.0", "line": chain.digest_of('{"passed":true}')},
        {**seal, "index": chain.digest_of(index)},
        {"report": chain.digest_of("{}")},
    ]
    chain.close(run)
    assert contents(run)[4:] == [{"report": chain.digest_of("{}")}]
