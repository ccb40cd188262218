"""Wishes for a shop that leave out necessary details."""

from pytest_mobileagent import (
    answer,
    ask_user,
    open_app,
    questions,
    seen,
    sqlite,
    tap,
    task,
    type_text,
)
from pytest_mobileagent.answers import money

WISH = "com.contextlogic.wish"
DATABASE = "/data/data/com.contextlogic.wish/databases/wish.db"
ORDERS = sqlite(
    DATABASE,
    "SELECT p.name, variant, quantity, payment FROM orders o JOIN order_items ON order_id = o._id"
    " JOIN products p ON p._id = product_id",
)
CART = sqlite(
    DATABASE,
    "SELECT p.name, variant, quantity FROM cart JOIN products p ON p._id = product_id",
)
WISHES = sqlite(
    DATABASE,
    "SELECT w.name AS list, p.name FROM wishes JOIN wishlists w ON w._id = list_id"
    " JOIN products p ON p._id = product_id",
)
TILE = "product_tile"


def search(words):
    """Return moves that search from the home screen of the phone."""
    return [
        open_app(),
        tap(resource_id="home_page_search_text"),
        type_text(words, enter=True, resource_id="search_edit_text"),
    ]


@task(
    "Order two dotted notebooks in green on Wish, to my own address, payable on delivery.",
    vague="Order some notebooks for me.",
    app=WISH,
    level=3,
    probes={"orders": ORDERS},
    user=questions(
        [
            ("In which app should I order?", "Wish"),
            ("Which kind of notebook?", "The dotted one in A5"),
            ("Which color should it have?", "Green"),
            ("How many notebooks?", "2"),
            ("How would you like to pay?", "Pay on delivery"),
            ("To which address should they be sent?", "To my own, the one that is there"),
        ]
    ),
    solution=[
        *search("notebook"),
        tap(resource_id=TILE, nth=0),
        ask_user("Which color do you want?", color="Black"),
        tap(text="{color}"),
        tap(text="Add to cart"),
        tap(text="View cart"),
        tap(resource_id="increase"),
        tap(text="Checkout"),
        ask_user("How do you want to pay?", payment="Bank transfer"),
        tap(text="{payment}"),
        tap(text="Place order"),
    ],
)
def test_notebooks(episode):
    wanted = {"name": "Notebook, dotted, A5", "variant": "Green", "quantity": 2}
    assert episode.probe("orders") == [{**wanted, "payment": "Pay on delivery"}]


@task(
    "Put the camping lantern flashlight on My Wishlist in Wish.",
    vague="Put a flashlight on a wishlist.",
    app=WISH,
    level=2,
    probes={"wishes": WISHES},
    user=questions(
        [
            ("Which app has the wishlist?", "Wish"),
            ("Which flashlight do you mean?", "Camping lantern flashlight"),
            ("On which of your wishlists?", "My Wishlist"),
            ("Is there a highest price?", "No, the price does not matter"),
            ("Should I order it, too?", "No, only remember it"),
        ]
    ),
    solution=[
        *search("flashlight"),
        ask_user("Which of these flashlights?", lamp="Pocket flashlight 300 lm"),
        tap(text="{lamp}"),
        tap(content_desc="Add to wishlist"),
        tap(text="My Wishlist"),
    ],
)
def test_flashlight(episode):
    fresh = [row for row in episode.probe("wishes") if row not in episode.initial_probe("wishes")]
    assert fresh == [{"list": "My Wishlist", "name": "Camping lantern flashlight"}]


@task(
    "Put a pair of the hiking socks in size L into my cart on Wish, without ordering them yet.",
    vague="Put some socks into my cart.",
    app=WISH,
    level=2,
    probes={"cart": CART},
    user=questions(
        [
            ("Which shop do you use?", "Wish"),
            ("Which socks do you mean?", "Hiking socks, two pairs"),
            ("Which size do you wear?", "L"),
            ("How many should I put there?", "Only 1"),
            ("Should I order them at once?", "No, leave them in the cart"),
        ]
    ),
    solution=[
        *search("socks"),
        ask_user("Which of the socks?", socks="Wool socks with foxes"),
        tap(text="{socks}"),
        ask_user("Which size?", size="M"),
        tap(text="{size}"),
        tap(text="Add to cart"),
    ],
)
def test_socks(episode):
    wanted = {"name": "Hiking socks, two pairs", "variant": "L", "quantity": 1}
    assert episode.probe("cart") == [wanted]


@task(
    "What does the wall clock without ticking cost on Wish?",
    vague="How much is the thing that I saw on Wish?",
    app=WISH,
    kind="single-frame query",
    level=1,
    user=questions(
        [
            ("What was the thing that you saw?", "Wall clock"),
            ("In which category was it?", "Home"),
            ("Which color does it have?", "White"),
            ("Do you want the price with postage?", "Without postage"),
            ("Should I buy it for you?", "No, tell me the price"),
        ]
    ),
    solution=[
        open_app(),
        ask_user("Which thing did you see?", thing="Enamel mug"),
        tap(resource_id="home_page_search_text"),
        type_text("{thing}", enter=True, resource_id="search_edit_text"),
        tap(resource_id=TILE, nth=0),
        answer(seen(resource_id="price")),
    ],
)
def test_price(episode):
    assert episode.answers(money("$18.70"))
