"""A3's first release: its nine tasks in Gmail."""

from pytest_mobileagent import tasks

from .asks import part, shows, word
from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "Gmail"
ID = "com.google.android.gm:id/"
ADDRESS = "autoreply002@hotmail.com"
MESSAGE = "Lets meet next Saturday"


def sent(episode):
    def send(screen):
        subject = screen.find(resource_id=f"{ID}subject", text="Meeting")
        to = screen.find(resource_id=f"{ID}peoplekit_chip", text=ADDRESS)
        return screen.find(resource_id=f"{ID}send") if subject and to else None

    assert episode.tapped(send)
    assert episode.typed(MESSAGE) or episode.saw(text=part(MESSAGE))


def starred(episode):
    newest = episode.screen.get(resource_id=f"{ID}viewified_conversation_item_view")
    assert newest.label.startswith("Starred,")


BODIES: Bodies = {
    "Gmail_1": sent,
    "Gmail_2": shows(resource_id=f"{ID}conversation_list_folder_name", text="Drafts"),
    "Gmail_3": starred,
    "Gmail_4": shows(resource_id=f"{ID}open_search_bar_text_view", text=word(ADDRESS)),
}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_gmail(episode, row, judge):
    decide(BODIES, episode, row, judge)
