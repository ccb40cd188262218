"""Checks of elements: where they stand, how many there are, and what only the picture shows."""

from pytest_mobileagent import open_app, tap, task, type_text

PHOTOS = "com.google.android.apps.photos"
WISH = "com.contextlogic.wish"


@task(
    "Put the Enamel mug from My Wishlist into the cart on Wish, twice, and show me the cart.",
    app=WISH,
    level=2,
    solution=[
        open_app(),
        tap(content_desc="Wishlist"),
        tap(text="My Wishlist"),
        tap(text="Enamel mug"),
        tap(text="Add to cart"),
        tap(text="View cart"),
        tap(resource_id="increase"),
    ],
)
def test_two_mugs_in_the_cart(episode):
    screen = episode.screen
    row = {"below": screen.find(text="Enamel mug"), "above": screen.find(text="Subtotal")}
    assert screen.find(resource_id="quantity", text="2", **row)


@task(
    "Let Wish show the flashlights that cost less than 100, and no others.",
    app=WISH,
    level=2,
    solution=[
        open_app(),
        tap(resource_id="home_page_search_text"),
        type_text("flashlight", enter=True, resource_id="search_edit_text"),
        tap(text="Filter"),
        tap(text="Under 100"),
        tap(text="Apply"),
    ],
)
def test_flashlights_under_100(episode):
    screen = episode.screen
    print([e.describe() for e in screen.elements])
    shown = screen.find_all(resource_id="product_tile", after=screen.find(text="Filter"))
    assert len(shown) == 2


@task(
    "Put the Bread knife on My Wishlist in Wish, and stay on its page.",
    app=WISH,
    level=2,
    solution=[
        open_app(),
        tap(resource_id="home_page_search_text"),
        type_text("bread knife", enter=True, resource_id="search_edit_text"),
        tap(resource_id="product_tile", nth=0),
        tap(image="images/empty_heart.png"),
        tap(text="My Wishlist"),
    ],
)
def test_bread_knife_on_the_wishlist(episode):
    assert episode.screen.find(text="Bread knife")
    assert episode.screen.find(image="images/heart.png")
