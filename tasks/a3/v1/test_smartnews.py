"""A3's first release: its nine tasks in SmartNews."""

from pytest_mobileagent import tasks

from .asks import shows, touches
from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "smart_news"
ID = "jp.gocro.smartnews.android:id/"
FIRST = ["Top News", "Sports", "Politics"]


def in_this_order(episode):
    sections = episode.screen.find_all(resource_id=f"{ID}nameTextView")
    assert [section.text for section in sections][: len(FIRST)] == FIRST


BODIES: Bodies = {
    "smart_news_1": touches({"xpath": f"(//*[@resource-id='{ID}thumbnail'])[1]/.."}),
    "smart_news_2": shows(text="Sports", selected=True),
    "smart_news_3": shows(text="Personalize SmartNews"),
    "smart_news_4": in_this_order,
}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_smartnews(episode, row, judge):
    decide(BODIES, episode, row, judge)
