"""A3's first release: its ten tasks in Google Play Books."""

from pytest_mobileagent import tasks

from .asks import both, button, part, shows, word
from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "GooglePlayBooks"
ID = "com.google.android.apps.books:id/"
WISHLIST = shows(
    {"resource_id": f"{ID}bottom_wishlist", "selected": True},
    {"content_desc": word("Wishlist"), "selected": True},
)
BOOK = "mind over magic"


def opened(episode):
    def spells(attribute):
        return f"translate({attribute}, '{BOOK.upper()}', '{BOOK}')"

    cover = button(f"contains({spells('@content-desc')}, '{BOOK}')")
    title = button(f"@resource-id='{ID}title' and {spells('@text')}='{BOOK}'")
    assert episode.tapped(**cover) or episode.tapped(**title)


def taken_off(episode):
    def remove(screen):
        name = part("In Our Time")
        book = screen.find(content_desc=name) or screen.find(text=name)
        return screen.find(content_desc=word("Remove from wishlist"), after=book)

    assert episode.tapped(remove)


BODIES: Bodies = {
    "GooglePlayBooks_0": shows(
        resource_id=f"{ID}closed_toolbar_title", text=word("Romeo and Juliet")
    ),
    "GooglePlayBooks_1": WISHLIST,
    "GooglePlayBooks_4": opened,
    "GooglePlayBooks_5": shows(
        {"text": part("Romeo and Juliet")},
        {"content_desc": word("Ebook format")},
        {"content_desc": word("Remove from wishlist")},
    ),
    "GooglePlayBooks_6": taken_off,
    "GooglePlayBooks_7": both(WISHLIST, shows(content_desc=word("Price, Sort filter"))),
    "GooglePlayBooks_8": shows(
        {"resource_id": f"{ID}bottom_library", "selected": True},
        {"content_desc": word("Shelves"), "selected": True},
    ),
}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_books(episode, row, judge):
    decide(BODIES, episode, row, judge)
