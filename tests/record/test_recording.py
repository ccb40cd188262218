"""Tests of recording on a phone: actions become moves, can be undone, and are saved."""

from __future__ import annotations

import pytest

from pytest_mobileagent import Ask, Finish, Key, Open, Swipe, Tap, Type
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.record.recording import Recording, as_move, read_draft
from pytest_mobileagent.testing import make_screen
from tests.record.conftest import COUNTER

SCREEN = make_screen("Save", size=(1000, 2000))


@pytest.mark.parametrize(
    ("action", "move"),
    [
        (Tap(*SCREEN.get(text="Save").bounds.center), 'tap(text="Save")'),
        (Swipe(500, 1500, 510, 500), 'scroll("up")'),
        (Swipe(900, 700, 100, 720), 'scroll("left")'),
        (Swipe(500, 1000, 600, 1080), "swipe((0.5, 0.5), (0.6, 0.54))"),
        (Type('say "hi"', enter=True), 'type_text("say \\"hi\\"", enter=True)'),
        (Type("x", clear=True), 'type_text("x", clear=True)'),
        (Key("back"), 'press("back")'),
        (Open("org.a"), "open_app()"),
        (Open("org.b"), 'open_app("org.b")'),
    ],
)
def test_actions_of_a_person_become_moves(action, move):
    assert as_move(action, SCREEN, ["org.a"]).move == move
    with pytest.raises(ValueError, match="no move for Ask"):
        as_move(Ask("Which?"), SCREEN)


def tap(recording: Recording, **criteria: str) -> None:
    recording.act(Tap(*recording.screen.get(**criteria).bounds.center))


def test_typing_in_one_field_is_one_move(recording):
    recording.act(Open(COUNTER))
    for typed in (
        [Type("mil"), Type("k")],
        [Type("milks"), Key("delete"), Type(" 2")],
        [Type("milk", clear=True), Key("enter")],
    ):
        tap(recording, resource_id="note")  # The field is touched before each.
        for each in typed:
            recording.act(each)
    assert [each.move for each in recording.done[2::2]] == [
        'type_text("milk")',
        'type_text("milk 2")',
        'type_text("milk", clear=True, enter=True)',
    ]


def test_typing_after_the_focus_moved_by_itself_is_a_move_of_its_own(recording):
    recording.act(Open(COUNTER))
    tap(recording, resource_id="note")
    recording.act(Type("mil"))
    recording.device.system.shell("input keyevent TAB")
    recording.look()
    recording.act(Type("k"))
    assert [each.move for each in recording.done[2:]] == ['type_text("mil")', 'type_text("k")']


def test_undo_plays_the_rest_again_and_the_work_is_a_change_of_the_apps_database(recording):
    number = recording.number
    recording.look()
    assert recording.number == number
    recording.act(Open(COUNTER))
    assert recording.number == number + 1
    tap(recording, resource_id="add")
    tap(recording, resource_id="add")
    assert recording.screen.get(resource_id="count").text == "Count: 2"
    recording.undo()
    assert recording.screen.get(resource_id="count").text == "Count: 1"
    assert [each.move for each in recording.done] == ["open_app()", 'tap(resource_id="add")']
    (new,) = [each for each in recording.finish(Finish()) if each.what == "+ {n: 1}"]
    assert (new.check.test, new.is_volatile) == ('{"n": 1} in {probe}', False)
    assert recording.packages() == [COUNTER]


def test_a_recording_that_was_cut_off_continues(recording, device, tmp_path):
    recording.act(Open(COUNTER))
    tap(recording, resource_id="second")
    apps, done = read_draft(tmp_path / "draft.json")
    assert apps == (COUNTER,)
    again = Recording(device, apps)
    again.resume(done)
    assert again.screen.get(resource_id="code").text == "The code is 4711"
    assert again.done == recording.done


@pytest.mark.parametrize("content", ["{", "[]", '{"apps": [], "done": [{"action": 3}]}'])
def test_a_file_that_is_not_a_recording_is_refused(tmp_path, content):
    (tmp_path / "draft.json").write_text(content)
    with pytest.raises(RecordError, match="not a recording that can be continued"):
        read_draft(tmp_path / "draft.json")
