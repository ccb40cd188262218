import ast
import io

import pytest
from PIL import Image

from pytest_mobileagent import Task
from pytest_mobileagent.action import Finish, Key, Type
from pytest_mobileagent.action.gestures import LongPress, Swipe, Tap
from pytest_mobileagent.testing import FakePhone, make_screen
from tests.agents.playing import acted, did, player

LIST = make_screen(
    {"text": "Milk", "resource-id": "shop:id/milk", "index": "0", "clickable": "true"},
    {"text": "Bread", "resource-id": "shop:id/bread", "index": "1", "clickable": "true"},
    {"text": "Search", "class": "android.widget.EditText", "focusable": "true"},
    {"text": "A heading"},
    package="shop",
    size=(1080, 600),  # whose pictures are made quickly
)


def reply(action, summary="I did it."):
    return f"Observation: A list.\nThought: I go on.\nAction: {action}\nSummary: {summary}"


def reflection(decision, documentation="It opens a page."):
    return f"Decision: {decision}\nThought: It did.\nDocumentation: {documentation}"


played = player("appagent", "Buy milk.", lambda: FakePhone([LIST]))


def test_a_task_is_one_call_a_step_with_its_own_summary_as_memory():
    episode, model = played(
        [
            reply("tap(1)", "I tapped Milk."),
            reply('text("2 l")', "I tapped Milk and typed."),
            reply("long_press(2)"),
            reply('swipe(3, "up", "short")'),
            reply("FINISH"),
        ]
    )
    assert acted(episode) == [
        Tap(540, 60),
        Type("2 l"),
        LongPress(540, 180),
        Swipe(540, 300, 540, 84, 0.4),
        Finish(),
    ]
    first, second, third = (request.text for request in model.requests[:3])
    assert "The task: Buy milk.\nWhat you have done so far: None" in first
    assert "What you have done so far: I tapped Milk.\n" in second
    assert "What you have done so far: I tapped Milk and typed.\n" in third
    assert "grid()" in first
    assert episode.steps[0].said == reply("tap(1)", "I tapped Milk.")


def test_a_request_is_one_message_with_one_numbered_picture():
    _, model = played([reply("FINISH")])
    (request,) = model.requests
    assert [message.role for message in request.messages] == ["user"]
    assert (request.temperature, request.max_tokens) == (0.0, 300)
    (image,) = request.images
    picture = Image.open(io.BytesIO(image.data))
    assert (image.media_type, picture.size) == ("image/png", (1080, 600))
    # Three elements have a number 10 pixels from their centre, and the heading has none.
    rgb = picture.convert("RGB")
    dark = [rgb.getpixel((553, y + 13)) != (255, 255, 255) for y in (60, 180, 300, 420)]
    assert dark == [True, True, True, False]


def test_the_grid_is_a_step_and_holds_for_one_action():
    episode, model = played(
        [reply("grid()", "I asked for the grid."), reply('tap(11, "top-left")'), reply("FINISH")]
    )
    assert did(episode) == [(), (Tap(150, 150),), (Finish(),)]
    asked = [request.text for request in model.requests]
    assert ["subarea" in text for text in asked] == [False, True, False]
    assert "I asked for the grid." in asked[1]
    pictures = [request.images[0].data for request in model.requests]
    assert pictures[0] == pictures[2] != pictures[1]


def test_documents_of_elements_are_in_the_prompt(tmp_path):
    known = {"tap": "It opens the milk.", "text": "", "v_swipe": "", "h_swipe": "It deletes."}
    (tmp_path / "shop.id_milk_0.txt").write_text(repr(known))
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "shop.id_bread_1.txt").write_text(repr({"long_press": "It marks."}))
    _, model = played([reply("FINISH")], options={"documents": tmp_path})
    text = model.requests[0].text
    assert "Element 1:\nIt can be tapped. It opens the milk.\nIt can be swiped left" in text
    assert "Element 2:\nIt can be pressed long. It marks." in text
    assert "Element 3" not in text


@pytest.mark.parametrize("words", ["[1, 2]", "{" * 99, "{'tap': 1}", "exit()", ""])
def test_invalid_documents_are_left_out(tmp_path, words):
    (tmp_path / "shop.id_milk_0.txt").write_text(words)
    episode, _ = played([reply("FINISH")], options={"documents": tmp_path})
    assert episode.termination == "self-reported"


def test_a_folder_of_documents_must_be_there(tmp_path):
    episode, _ = played([], options={"documents": tmp_path / "none"})
    assert "there is no folder of documents" in episode.error
    assert "explore=true --mobile-agent-option documents=" in episode.error


def test_exploring_compares_before_and_after_and_writes_documents(tmp_path):
    page = make_screen("Milk, 1 l", package="shop")
    episode, model = played(
        [
            reply("tap(1)", "I tapped Milk."),
            reflection("SUCCESS", "It opens the details."),
            reply('swipe(1, "up", "short")'),
            reflection("INEFFECTIVE"),
            reply('text("a")'),
            reply("FINISH"),
        ],
        LIST,
        page,
        options={"explore": True, "documents": tmp_path},
    )
    assert len(episode.steps) == 4
    assert [len(request.images) for request in model.requests] == [1, 2, 1, 2, 1, 1]
    assert "grid()" not in model.requests[0].text
    assert "after tapping the element that carries the number 1" in model.requests[1].text
    assert "I tapped Milk." in model.requests[1].text
    assert model.requests[1].images[0].data == model.requests[0].images[0].data
    written = ast.literal_eval((tmp_path / "shop" / "shop.id_milk_0.txt").read_text())
    assert written == {
        "tap": "It opens the details.",
        "text": "",
        "v_swipe": "",
        "h_swipe": "",
        "long_press": "",
    }
    assert "I tapped Milk." in model.requests[2].text  # success keeps the summary
    assert "so far: None" in model.requests[4].text


def test_an_action_that_led_astray_is_undone_and_not_offered_again(tmp_path):
    episode, model = played(
        [
            reply("tap(1)"),
            reflection("BACK"),
            reply("tap(1)"),
            reflection("CONTINUE"),
            reply("FINISH"),
        ],
        options={"explore": True, "documents": tmp_path},
    )
    assert acted(episode) == [Tap(540, 60), Key("back"), Tap(540, 180), Finish()]
    assert sorted(path.name for path in (tmp_path / "shop").iterdir()) == [
        "shop.id_bread_1.txt",
        "shop.id_milk_0.txt",
    ]
    assert "What you have done so far: None" in model.requests[2].text


def test_a_documented_element_is_not_documented_again(tmp_path):
    for words in ("first", "second"):
        played(
            [reply("tap(1)"), reflection("SUCCESS", words), reply("FINISH")],
            options={"explore": True, "documents": tmp_path},
        )
    written = (tmp_path / "shop" / "shop.id_milk_0.txt").read_text()
    assert ast.literal_eval(written)["tap"] == "first"


def test_names_of_elements_lead_to_no_other_folder(tmp_path):
    evil = make_screen(
        {"resource-id": "../../evil", "content-desc": "..\\..", "clickable": "true"},
        package="../..",
    )
    played(
        [reply("tap(1)"), reflection("SUCCESS"), reply("FINISH")],
        evil,
        options={"explore": True, "documents": tmp_path / "docs"},
    )
    (found,) = (path for path in tmp_path.rglob("*") if path.is_file())
    assert found.parent.parent == tmp_path / "docs"


def test_a_reflection_that_cannot_be_read_ends_the_exploration(tmp_path):
    episode, _ = played([reply("tap(1)"), "Hm."], options={"explore": True, "documents": tmp_path})
    assert episode.termination == "gave up"


def test_asking_for_the_grid_ends_the_exploration(tmp_path):
    options = {"explore": True, "documents": tmp_path}
    episode, model = played([reply("grid()"), reply("tap(1)")], options=options)
    assert episode.termination == "gave up"
    assert len(model.requests) == 1


def test_mobile_bench_v2_labels_by_letters_and_gives_the_current_step():
    task = Task("Buy milk.", instructions=("Tap Milk.", "Stop."))
    episode, model = played(
        [reply("click(c2)"), reply("FINISH")], task=task, options={"preset": "mobile-bench-v2"}
    )
    assert episode.steps[0].action == Tap(540, 180)
    assert "click(c5)" in model.requests[0].text
    assert "What this step has to do: Tap Milk." in model.requests[0].text
    assert "What this step has to do: Stop." in model.requests[1].text


@pytest.mark.parametrize("action", ["Tap(1)", "tap(9)", "tap(1", "Finish"])
def test_strictly_a_reply_ends_the_run_unexpectedly_as_in_the_original(action):
    episode, _ = played([reply(action)], options={"strict": True})
    assert episode.termination == "agent error"
    assert not episode.steps


def test_strictly_what_the_original_reads_is_done():
    episode, _ = played([reply('text("a (b) c")'), reply("FINISH")], options={"strict": True})
    assert acted(episode) == [Type("a ("), Finish()]


def test_strictness_holds_for_reflections_too(tmp_path):
    replies = [reply("tap(1)"), reflection("Back")]
    options = {"strict": True, "explore": True, "documents": tmp_path}
    episode, _ = played(replies, options=options)
    assert episode.termination == "agent error"
