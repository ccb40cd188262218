"""Labels from files, from runs that people have reviewed, and from published data sets."""

import json

import pytest

from pytest_mobileagent.judge.calibration.judging import Mode, six
from pytest_mobileagent.judge.calibration.labels import LabelsError, read_labels
from pytest_mobileagent.judge.question import Question, subtask
from pytest_mobileagent.testing import make_screen
from pytest_mobileagent.verdict import Verdict, append, of_person, withdrawal


def test_line_names_an_episode_relative_to_the_file_and_the_question(labelled):
    path = labelled(
        ("Do 1.", True),
        ("Do 2.", False, {"key_components": ["Total"], "actions": "text", "reason": True}),
        ("Do 3.", True, {"language": "zh", "note": "looked twice", "evidence": "xml"}),
        ("Do 4.", True, {"subtasks": [{"app": "a", "task": "Look."}], "rubric": []}),
    )
    one, two, three, four = read_labels(path).each
    assert (one.done, one.question, one.load().goal) == (True, Question(), "Do 1.")
    assert (two.done, two.question) == (
        False,
        Question(key_components=("Total",), actions="text", reason=True),
    )
    assert (three.language, three.note, three.question.evidence) == ("zh", "looked twice", "xml")
    assert four.question.subtasks == (subtask("a", "Look."),)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"done": 1}, "done cannot be of type int"),
        ({"done": None}, "done cannot be"),
        ({"episode": "nowhere"}, "there is no folder"),
        ({"actions": "loud"}, "actions='loud' is not one of text, image, none"),
        ({"component": []}, "no argument 'component'"),
        ({"subtasks": [{"app": "a"}]}, "task"),
        ({"subtasks": [{"app": "a", "task": "b"}] * 2}, "both use a"),
        ({"key_components": "Total"}, "must be a list of texts"),
    ],
)
def test_a_line_that_is_invalid_is_reported_with_its_number(labelled, change, why):
    path = labelled(("Do 1.", True), ("Do 2.", True))
    first, second = path.read_text().splitlines()
    path.write_text(f"{first}\n\n{json.dumps(json.loads(second) | change)}\n")
    with pytest.raises(LabelsError, match=rf"labels\.jsonl, line 3: .*{why}"):
        read_labels(path)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "has no labels"),
        (b"{", "line 1: this is not JSON: Expecting property name"),
        (b'{"done": true}', "line 1: episode is missing"),
        (b"[1]", "neither a known data set"),
        (b"[", "neither JSON nor JSON lines"),
        (b"[" * 99999, "neither JSON nor JSON lines"),
        (b"\xff\xfe", "is not UTF-8 text"),
    ],
)
def test_a_file_without_labels_is_reported(tmp_path, content, why):
    path = tmp_path / "labels.jsonl"
    with pytest.raises(LabelsError, match="cannot read"):
        read_labels(path)
    path.write_bytes(content)
    with pytest.raises(LabelsError, match=why):
        read_labels(path)


@pytest.fixture
def run(record, tmp_path):
    """The folder of a run with three episodes."""
    folder = tmp_path / "runs" / "2026-11-22-mine"
    (folder / "episodes").mkdir(parents=True)
    (folder / "run.json").write_text("{}")
    for number in (1, 2, 3):
        made = record(f"Do {number}.")
        made.rename(folder / "episodes" / f"do{number}.0")
        (made.parent.parent / "screens").rename(folder / f"screens{number}")
    return folder


def test_verdicts_of_people_on_a_run_are_labels(run):
    first, second, third = sorted((run / "episodes").iterdir())
    append(first, Verdict(True, "check"))
    with pytest.raises(LabelsError, match="no person has decided"):
        read_labels(run)
    asked = {"question": {"key_components": ["Total"], "rubric": []}}
    append(first, Verdict(True, "judges", evidence=asked))
    append(first, Verdict(False, "person", "not the right one"))
    append(second, Verdict(False, "person"))
    append(second, Verdict(True, "person", "looked again"))
    append(second, Verdict(None, "person", "a note"))
    append(third, Verdict(None, "person", "a note"))
    for path in (run, run.parent):
        found = read_labels(path)
        assert [(each.name, each.done) for each in found.each] == [
            ("episodes/do1.0", False),
            ("episodes/do2.0", True),
        ]
        assert found.each[0].question == Question(key_components=("Total",))
        assert found.remarks == ("1 of 3 episodes have no verdict by a person, and are left out",)


def test_a_verdict_that_a_person_has_taken_back_is_not_a_label(run):
    first, second, _ = sorted((run / "episodes").iterdir())
    append(first, of_person(False, "ann", "not the right one"))
    append(first, of_person(True, "bob", "it is"))
    append(first, withdrawal("bob"))
    append(second, of_person(True, "ann"))
    append(second, withdrawal("ann"))
    (label,) = read_labels(run).each
    assert (label.name, label.done, label.note) == ("episodes/do1.0", False, "not the right one")


def test_folder_without_run_has_no_labels(tmp_path):
    with pytest.raises(LabelsError, match="neither a run's folder"):
        read_labels(tmp_path)


def test_data_set_can_be_named_by_its_folder(tmp_path):
    (tmp_path / "list.png").write_bytes(make_screen("Eggs").png)
    item = {"task": "Show the list.", "screenshot": "list.png", "label": "success"}
    (tmp_path / "labels.json").write_text(json.dumps([item]))
    (label,) = read_labels(tmp_path).each
    assert (label.done, label.load().goal) == (True, "Show the list.")


def test_digirl_labels_are_read_from_its_files(recordings):
    path = recordings / "digirl" / "labels.json"
    found = read_labels(path)
    assert len(found.each) == 19
    assert sum(each.done for each in found.each) == 5
    assert "1 of 20 labels are left out" in found.remarks[0]
    assert len(read_labels(path, suspects=True).each) == 20
    episode = found.each[1].load()
    assert episode.goal == "Go to costco.com"
    assert episode.screen.png == (path.parent / "step1_costco.png").read_bytes()
    assert (episode.steps, episode.answer) == ((), "")
    assert found.each[1].note.startswith("I should expect")


def test_importer_reads_no_picture_outside_the_data_set(tmp_path):
    (tmp_path / "secret.png").write_bytes(b"")
    there = tmp_path / "set"
    there.mkdir()
    item = {"task": "Go {home}.", "screenshot": "../secret.png", "label": "success"}
    (there / "labels.json").write_text(json.dumps([item]))
    with pytest.raises(LabelsError, match="there is no screenshot"):
        read_labels(there / "labels.json")


def test_six_modes_of_spa_bench_differ_in_actions_and_reasons(labelled):
    (label,) = read_labels(labelled(("Do 1.", True, {"reason": True, "evidence": "xml"}))).each
    modes = six(Mode(evidence="screens"))
    assert [mode.name for mode in modes] == [
        f"{actions} actions, {reason}"
        for actions in ("no", "text", "image")
        for reason in ("result only", "reason and result")
    ]
    questions = [mode.question(label) for mode in modes]
    assert len(set(questions)) == 6
    assert {question.evidence for question in questions} == {"screens"}
    assert Mode().question(label) == label.question
    assert Mode().name == ""


def test_language_can_be_set_for_all_labels(labelled):
    path = labelled(("Do 1.", True, {"language": "zh"}))
    (label,) = read_labels(path).each
    episode = label.load()
    assert Mode().episode(label, episode).case.task.language == "zh"
    assert Mode(language="en").episode(label, episode) is episode
