"""A3's first release: its twelve tasks in Bluecoins."""

import re

from pytest_mobileagent import tasks

from .asks import part, shows, word
from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "bluecoins"
ID = "com.rammigsoftware.bluecoins:id/"
TRASH = shows(resource_id=f"{ID}menu_empty_trash")
EXPENSE = {
    "date_edittext": "December 9, 2024",
    "item_autocomplete_textview": word("food"),
    "amount_sign_textview": "-",
    "amount_tv": re.compile(r"^100(\.00)?$"),
}


def amount_on(day, kind):
    """Return a body that requires an amount of one kind on a day of December 2024; 0 if absent."""

    def body(episode):
        screen = episode.screen
        screen.get(resource_id=f"{ID}month_name", text="December 2024")
        screen.get(content_desc=re.compile(rf"\b{day}\b"), checked=True)
        label = None if screen.find(resource_id=f"{ID}empty_tab") else screen.find(text=kind)
        amount = screen.get(resource_id=f"{ID}amount_tv", after=label).text if label else "$0.00"
        assert episode.answers(amount)

    return body


def entered(episode):
    def save(screen):
        filled = all(
            screen.find(resource_id=ID + name, text=text) for name, text in EXPENSE.items()
        )
        return screen.find(resource_id=f"{ID}fab") if filled else None

    assert episode.tapped(save)


def summary(episode):
    screen = episode.screen
    title = screen.get(
        text=part("Budget Summary"), before=screen.find(resource_id=f"{ID}menu_filter")
    )
    screen.get(text=word("Chart"), after=title)


def left_of_budget(episode):
    summary(episode)
    left = episode.screen.get(resource_id=f"{ID}remaining_amount_textview")
    assert episode.answers(left.text)


def emptied(episode):
    TRASH(episode)
    assert not episode.screen.find(resource_id=f"{ID}item_tv")
    assert episode.saw(resource_id=f"{ID}item_tv")


BODIES: Bodies = {
    "bluecoins_0": amount_on(9, "EXPENSE"),
    "bluecoins_1": amount_on(8, "INCOME"),
    "bluecoins_2": amount_on(9, "NET EARNINGS"),
    "bluecoins_3": entered,
    "bluecoins_4": shows(content_desc=word("Reminders"), selected=True),
    "bluecoins_5": shows(
        {"content_desc": word("Transactions"), "selected": True},
        {"resource_id": f"{ID}search_src_text", "text": word("food")},
    ),
    "bluecoins_6": summary,
    "bluecoins_7": left_of_budget,
    "bluecoins_8": TRASH,
    "bluecoins_10": emptied,
    "bluecoins_11": shows(xpath=f"//*[@resource-id='{ID}toolbar_top']/*[@text='Settings']"),
}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_bluecoins(episode, row, judge):
    decide(BODIES, episode, row, judge)
