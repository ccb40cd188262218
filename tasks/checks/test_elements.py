"""Checks of elements: their position, their number, and elements that only the picture shows."""

import re

from pytest_mobileagent import open_app, tap, task, type_text

PHOTOS = "com.google.android.apps.photos"
WISH = "com.contextlogic.wish"
PICTURE = re.compile("Photo taken on .*")


def search(words):
    """Return moves that search Wish from the phone's home screen."""
    return [
        open_app(),
        tap(resource_id="home_page_search_text"),
        type_text(words, enter=True, resource_id="search_edit_text"),
    ]


def screenshot(nth):
    """Return moves that open a screenshot in Photos."""
    found = [open_app(), tap(text="Search"), tap(text="Screenshots")]
    return [*found, tap(content_desc=PICTURE, nth=nth)]


@task(
    "Put the Enamel mug from My Wishlist into the cart on Wish, twice and in blue, and show me the "
    "cart.",
    app=WISH,
    level=2,
    solution=[
        open_app(),
        tap(content_desc="Wishlist"),
        tap(text="My Wishlist"),
        tap(text="Enamel mug"),
        tap(text="Blue"),
        tap(text="Add to cart"),
        tap(text="View cart"),
        tap(resource_id="increase"),
    ],
)
def test_two_mugs_in_the_cart(episode):
    screen = episode.screen
    mug, subtotal = screen.find(text="Enamel mug"), screen.find(text="Subtotal")
    assert screen.find(resource_id="quantity", text="2", after=mug, before=subtotal)
    assert screen.find(text="Blue", below=mug, above=subtotal)


@task(
    "Let Wish show the flashlights that cost less than 100, and no others.",
    app=WISH,
    level=2,
    solution=[*search("flashlight"), tap(text="Filter"), tap(text="Under 100"), tap(text="Apply")],
)
def test_flashlights_under_100(episode):
    screen = episode.screen
    results = screen.find(resource_id="drawer_activity_under_toolbar_container")
    prices = screen.find_all(resource_id="price", inside=results)
    assert screen.find(text="flashlight", resource_id="home_page_search_text")
    assert screen.find(text="Under 100", checked=True)
    assert len(prices) == 4
    assert all(float(price.text.lstrip("$")) < 100 for price in prices)


@task(
    "Open the screenshot of a ticket in Photos.",
    app=PHOTOS,
    level=2,
    solution=screenshot(0),
)
def test_ticket(episode):
    photo = episode.screen.find(resource_id="photo_view")
    assert episode.screen.find(text="Departs 07:52", ocr=True, inside=photo)


@task(
    "Open the screenshot of an address in Photos.",
    app=PHOTOS,
    level=2,
    solution=screenshot(1),
)
def test_address(episode):
    assert episode.screen.find(resource_id="photo_view")
    assert episode.screen.find(text="14 Quarry Lane", ocr=True, fuzzy=90)


@task(
    "Open the screenshot of a ticket in Photos, and mark it as a favorite.",
    app=PHOTOS,
    level=2,
    solution=[*screenshot(0), tap(image="images/empty_star.png")],
)
def test_favorite_ticket(episode):
    assert "Platform 4" in episode.screen.get(resource_id="photo_view").ocr()
    assert episode.screen.find(image="images/star.png")


@task(
    "Put the bread knife on My Wishlist in Wish, and stay on its page.",
    app=WISH,
    level=2,
    solution=[
        *search("bread knife"),
        tap(resource_id="product_tile", nth=0),
        tap(image="images/empty_heart.png"),
        tap(text="My Wishlist"),
    ],
)
def test_bread_knife_on_the_wishlist(episode):
    assert episode.tapped(image="images/empty_heart.png")
    assert episode.screen.find(
        image="images/heart.png", above=episode.screen.find(text="Bread knife")
    )
