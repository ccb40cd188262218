from pytest_mobileagent import Task
from pytest_mobileagent.action import Finish, Key, Open, Type
from pytest_mobileagent.action.gestures import Swipe, Tap
from pytest_mobileagent.testing import FakePhone, make_screen
from tests.agents.playing import acted, did, player

FIELD = {"class": "android.widget.EditText", "content-desc": "Search", "text": ""}
FORM = make_screen(FIELD, "Save", {"text": "A heading"}, package="shop")
UP, DOWN = Swipe(540, 1920, 540, 480, 0.5), Swipe(540, 480, 540, 1920, 0.5)


def page(*texts):
    row = '<node text="{}" clickable="true" class="Row" bounds="[0,{}00][1080,{}00]"/>'
    rows = "".join(row.format(text, n, n + 1) for n, text in enumerate(texts))
    around = '<node scrollable="true" bounds="[0,0][1080,2400]" class="List">'
    return f"<hierarchy>{around}{rows}</node></hierarchy>"


class ScrollingPhone(FakePhone):
    """Shows the screens of a page one after another as it is scrolled up and down."""

    def __init__(self, screens, **given):
        super().__init__(screens, **given)
        self.place = 0

    @property
    def screen(self):
        return self.screens[self.place]

    def perform(self, action):
        super().perform(action)
        if isinstance(action, Swipe):
            step = 1 if action.y2 < action.y1 else -1
            self.place = min(max(self.place + step, 0), len(self.screens) - 1)


def reply(number, action="tap", text="N/A", finished="No"):
    return (
        f'{{"Steps": "s", "Analyses": "a", "Finished": "{finished}", "Next step": "n",'
        f' "id": "{number}", "action": "{action}", "input_text": "{text}"}}'
    )


played = player("autodroid", "Find milk.", lambda: FakePhone([FORM]))


def test_a_task_is_one_call_a_step_in_words_alone():
    episode, model = played(
        [reply(0, "input", "milk"), reply(1), reply(2), reply(3), reply(-1, finished="Yes")]
    )
    assert acted(episode) == [
        Type("milk", at=(540, 60), clear=True),
        Tap(540, 180),
        Tap(540, 300),
        Key("back"),
        Finish(),
    ]
    assert not any(request.images for request in model.requests)
    assert "<input id=0 text='Search'></input>\n<button id=1>Save</button>" in (
        model.requests[0].text
    )
    assert [message.role for message in model.requests[0].messages] == ["user"]
    assert (
        "Done so far:\n- TapOn: <input text='Search'></input> InputText: milk\n"
        "- TapOn: <button>Save</button>\n- TapOn: <p>A heading</p>\n"
        "- TapOn: <button>go back</button>\n" in model.requests[4].text
    )


def test_the_app_of_the_task_is_opened_first():
    home = make_screen("Shop", package="launcher")
    task = Task("Find milk.", app="shop")
    episode, model = played([reply(-1)], home, FORM, task=task)
    assert acted(episode) == [Open("shop"), Finish()]
    assert "Done so far:\n- launchApp shop\n" in model.requests[0].text


def test_the_whole_page_is_looked_at_before_the_model_is_asked():
    phone = ScrollingPhone([page("a", "b"), page("b", "c"), page("c", "d", "e")])
    phone.place = 1
    episode, model = played([reply(5), reply(-1)], phone=phone)
    for number, text in enumerate(["a", "b", "go back", "c", "d", "e"]):
        assert f"<button id={number}>{text}</button>" in model.requests[0].text
    assert Tap(540, 250) in phone.actions  # "e", the third button on the third screen
    before = phone.actions[: phone.actions.index(Tap(540, 250))]
    assert before[-2:] == [UP, UP]
    assert episode.step_count == 1


def test_looking_is_not_a_step():
    phone = ScrollingPhone([page("a"), page("b")])
    episode, _ = played([reply(0), reply(2), reply(-1)], phone=phone, step_limit=2)
    assert [step.action for step in episode.steps if step.counts] == [
        Tap(540, 50),
        Tap(540, 50),
        Finish(),
    ]


def test_a_page_that_scrolls_lists_what_reads_the_same_once():
    _, model = played([reply(-1)], phone=ScrollingPhone([page("a", "a", "b")]))
    assert "<button id=1>b</button>" in model.requests[0].text


def test_after_looking_it_scrolls_up_until_that_shows_nothing_new():
    phone = ScrollingPhone([page("a")])
    played([reply(-1)], phone=phone)
    assert phone.actions == [DOWN, UP, DOWN, DOWN]


def test_small_or_clickable_elements_are_not_scrolled():
    low = '<hierarchy><node scrollable="true" bounds="[0,0][1080,300]" text="a"/></hierarchy>'
    clickable = page("a").replace("<node scroll", '<node clickable="true" scroll')
    for xml in (low, clickable):
        phone = ScrollingPhone([xml])
        played([reply(-1)], phone=phone)
        assert not [action for action in phone.actions if isinstance(action, Swipe)]


def test_a_number_that_the_page_does_not_have_is_a_step_without_action():
    episode, _ = played([reply(9), reply(-1)])
    assert did(episode) == [(), (Finish(),)]


def test_a_page_may_have_braces_in_its_words():
    _, model = played([reply(-1)], make_screen("{goal} {0}"), task="{{Find}} milk")
    assert "{goal} {0}" in model.requests[0].text
