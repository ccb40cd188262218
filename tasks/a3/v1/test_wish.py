"""A3's first release: its ten tasks in Wish."""

import re

from pytest_mobileagent import answer, open_app, seen, tap, tasks, type_text
from pytest_mobileagent.answers import number as stars

from .table import SOURCE, decide, fields, of

FOLDER = "wish"
BAR = "//*[contains(@resource-id, 'id/drawer_activity_toolbar')]"
TILE = "*[contains(@resource-id, 'id/product_tile')]"
# If the tiles in lists have no id, the first child of the list is the first product.
FIRST_FOUND = f"(//{TILE} | //*[contains(@resource-id, 'id/recycler')][not(//{TILE})]/*[1])[1]"
BEST_TILE = f"//*[@text='Best sellers']/following::{TILE}"
FIRST_BEST = f"({BEST_TILE} | //*[contains(@resource-id, 'id/recycler_2')][not(//{TILE})]/*[1])[1]"
HEART = "//*[contains(@resource-id, 'id/wishlist')][ancestor-or-self::*[@clickable='true']]"
STARS = f"//*[contains(@resource-id, 'id/stars_rating_view')][not(ancestor::{TILE})]"
OVERALL = f"//*[contains(@resource-id, 'id/overall_rating')][not(ancestor::{TILE})]"
LIST_CHOICE = "fragment_select_wishlist_item_image"


def titled(*titles):
    """Return a body that requires the bar at the top to have one of the titles."""

    def body(episode):
        bar = episode.screen.find_all(xpath=f"{BAR}//*[not(contains(@class, 'EditText'))]")
        assert [each.text for each in bar if each.text in titles]

    return body


def sought(screen):
    """Return the search words for products, in lower case."""
    field = screen.find(resource_id="search_edit_text")
    return (field or screen.get(resource_id="home_page_search_text")).text.lower()


def flashlights(episode):
    assert sought(episode.screen) == "flashlight"
    found = episode.screen.get(xpath=FIRST_FOUND)
    tiles = episode.screen.find_all(resource_id="product_tile")
    assert not tiles or "flashlight" in found.content_desc.lower()


def cheap_flashlights(episode):
    flashlights(episode)
    assert episode.tapped(text="Under 100")
    assert episode.screen.find(text="Under 100")


def wished(episode):
    def first(screen):
        """Return the first bottle, if expensive ones are filtered out."""
        assert sought(screen) == "bottle"
        assert screen.find(text="Under 100")
        return screen.get(xpath=FIRST_FOUND)

    def list_choice(screen):
        image = screen.get(resource_id=LIST_CHOICE)
        return next(each for each in (image, *image.ancestors) if each.clickable)

    assert episode.tapped(text="Under 100")
    assert episode.tapped(first)
    assert episode.tapped(xpath=HEART)
    assert episode.tapped(list_choice)
    hearts = [screen.find(xpath=HEART) for screen in episode.screens]
    (*_, last) = (each for each in hearts if each)
    assert not last.content_desc.startswith("Add")


def open_best(episode):
    """Assert that the page of the first best seller was opened."""
    assert episode.tapped(xpath=FIRST_BEST)
    assert episode.saw(xpath=BEST_TILE) or episode.tapped(text="Best sellers")
    assert episode.screen.find(xpath=HEART)
    name = episode.screen.find(resource_id="product_name")
    first = [screen.find(xpath=FIRST_BEST) for screen in episode.screens]
    assert name is None or any(name.text in each.content_desc for each in first if each)


def rating(episode):
    """Assert that the answer is the rating above the comments on the first best seller."""
    assert episode.tapped(xpath=FIRST_BEST)
    assert episode.saw(xpath=BEST_TILE) or episode.tapped(text="Best sellers")
    assert episode.tapped(lambda screen: screen.get(xpath=HEART) and screen.get(xpath=STARS))
    pages = [each.find(xpath=OVERALL) for each in episode.screens if not each.find(xpath=HEART)]
    overall = next((each for each in reversed(pages) if each), None)
    assert overall, "the comments were never on the screen"
    number = re.search(r"\d(\.\d+)?", overall.text)
    assert number, overall.text
    assert episode.answers(stars(number[0], of=5))


def related(episode):
    open_best(episode)
    assert episode.tapped(text="Related")
    assert episode.screen.find(text="Related")
    assert episode.screen.find(resource_id="product_tile") or not episode.saw(xpath=BEST_TILE)


BODIES = {
    "wish_0": titled("Cart"),
    "wish_1": flashlights,
    "wish_2": cheap_flashlights,
    "wish_3": titled("Electronics"),
    "wish_4": titled("Notifications"),
    "wish_5": wished,
    "wish_6": titled("Recently viewed", "Recently Viewed"),
    "wish_7": rating,
    "wish_8": related,
    "wish_9": open_best,
}


def search(words):
    """Return the moves that search from the phone's home screen."""
    return [
        open_app(),
        tap(resource_id="home_page_search_text"),
        type_text(words, enter=True, resource_id="search_edit_text"),
    ]


CHEAP = [tap(text="Filter"), tap(text="Under 100"), tap(text="Apply")]
ACCOUNT = [open_app(), tap(content_desc="Account")]
BEST = [open_app(), tap(xpath=FIRST_BEST)]
SOLUTIONS = {
    "wish_0": [*ACCOUNT, tap(text="Cart")],
    "wish_1": search("flashlight"),
    "wish_2": [*search("flashlight"), *CHEAP],
    "wish_3": [open_app(), tap(content_desc="Categories"), tap(text="Electronics")],
    "wish_4": [*ACCOUNT, tap(text="Notifications")],
    "wish_5": [
        *search("bottle"),
        *CHEAP,
        tap(xpath=FIRST_FOUND),
        tap(content_desc="Add to wishlist"),
        tap(text="My Wishlist"),
    ],
    "wish_6": [*ACCOUNT, tap(text="Recently Viewed")],
    "wish_7": [*BEST, tap(xpath=STARS), answer(seen(resource_id="overall_rating"))],
    "wish_8": [*BEST, tap(text="Related")],
    "wish_9": BEST,
}
MORE = {name: {"solution": moves} for name, moves in SOLUTIONS.items()}


@tasks(of(FOLDER), each=fields(FOLDER, MORE), source=SOURCE)
def test_wish(episode, row, judge):
    decide(BODIES, episode, row, judge)
