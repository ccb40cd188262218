"""A3's first release: its ten tasks in Google Tasks."""

from pytest_mobileagent import tasks

from .asks import both, button, touches
from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "GoogleTasks"
ID = "com.google.android.apps.tasks:id/"
HOMEWORK = {"resource_id": f"{ID}task_list_title", "text": "Homework"}
NEW, DUE = "Machine Learning Assignment1", "Tomorrow, 11:59 PM"
TASK = "contains(@content-desc, 'Python Assignment1')"


def new_list(episode):
    episode.screen.get(resource_id=f"{ID}list_creation_tab", content_desc="Assignment")
    assert episode.saw(text="Create new list")


def added(episode):
    episode.screen.get(**HOMEWORK)
    screen = episode.screen
    assert any(
        screen.find(text=DUE, child_of=task, after=screen.find(text=NEW, child_of=task))
        for task in screen.find_all(resource_id=f"{ID}task_data")
    )
    assert episode.tapped(**button(f"@resource-id='{ID}add_task_done'"))


def sorted_by(order):
    item = f"@resource-id='{ID}task_list_menu_item_text' and @text='{order}'"
    choice = button(f"{item} and //*[@resource-id='{ID}title' and @text='Sort by']")

    def body(episode):
        assert episode.tapped(**choice)
        assert episode.saw(**HOMEWORK)

    return body


def starred(episode):
    first = episode.screen.get(resource_id=f"{ID}star_button")
    assert first.content_desc == "Remove star"


def ticked_off(episode):
    assert episode.tapped(xpath=f"//*[{TASK}]/*[2][//*[@text='{HOMEWORK['text']}']]")


BODIES: Bodies = {
    "GoogleTasks_0": new_list,
    "GoogleTasks_1": added,
    "GoogleTasks_2": sorted_by("Date"),
    "GoogleTasks_4": both(sorted_by("Date"), starred),
    "GoogleTasks_5": sorted_by("Starred recently"),
    "GoogleTasks_6": ticked_off,
    "GoogleTasks_8": touches(
        button(TASK),
        {"content_desc": "More options"},
        {"resource_id": f"{ID}title", "text": "Delete"},
    ),
}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_google_tasks(episode, row, judge):
    decide(BODIES, episode, row, judge)
