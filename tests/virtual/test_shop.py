"""Wish: what is looked for is found, and what is ordered is an order."""

from pathlib import Path

import pytest

from pytest_mobileagent.virtual.loading import load_apps
from pytest_mobileagent.virtual.phone import Phone
from tests.virtual.conftest import NOON, Hand

APPS = Path(__file__).parents[2] / "fixtures" / "apps"
WISH = "com.contextlogic.wish"


@pytest.fixture(scope="module")
def booted() -> Phone:
    return Phone(load_apps(APPS), time=NOON, frozen=True)


@pytest.fixture
def wish(phone: Phone, hand: Hand) -> Hand:
    phone.activities.launch(WISH)
    return hand


def search(hand: Hand, words: str) -> None:
    hand.tap("resource-id", f"{WISH}:id/home_page_search_text")
    hand.phone.type_text(f"{words}\n")


def names(hand: Hand) -> list[str]:
    return [
        node.split('text="')[1].split('"')[0]
        for node in hand.nodes("resource-id", f"{WISH}:id/name")
    ]


def test_filters_leave_out_what_is_too_dear_or_badly_rated(wish: Hand) -> None:
    search(wish, "flashlights")
    assert "Tactical flashlight set in a case" in names(wish)
    wish.tap("text", "Filter")
    wish.tap("text", "Under 20")
    wish.tap("text", "Apply")
    assert names(wish) == ["Headlamp flashlight, rechargeable", "Pocket flashlight 300 lm"]


def test_results_can_be_sorted(wish: Hand) -> None:
    search(wish, "socks")
    wish.tap("text", "Sort")
    wish.tap("text", "Rating")
    assert names(wish) == ["Wool socks with foxes", "Hiking socks, two pairs"]


def test_nothing_is_bought_without_a_variant_and_a_payment(wish: Hand) -> None:
    search(wish, "canvas belt")
    wish.tap("text", "Canvas belt")
    wish.tap("text", "Add to cart")
    assert not wish.sees("Added to cart")
    wish.tap("text", "Olive")
    wish.tap("text", "Add to cart")
    wish.tap("text", "View cart")
    wish.tap("text", "Checkout")
    wish.tap("text", "Place order")
    assert not wish.sees("Order confirmed")
    wish.tap("text", "Bank transfer")
    wish.tap("text", "Place order")
    assert wish.sees("Total $11.70")
    rows = wish.phone.packages.app(WISH).database("wish.db").query("SELECT * FROM cart")
    assert rows == []


def test_a_new_list_gets_what_it_was_made_for(wish: Hand) -> None:
    search(wish, "enamel mug'); DROP TABLE products; --")
    assert wish.sees("No items found")
    wish.phone.key("BACK")
    wish.tap("content-desc", "Wishlist")
    wish.tap("text", "My Wishlist")
    wish.tap("text", "Enamel mug")
    wish.tap("content-desc", "Remove from wishlist")
    wish.tap("content-desc", "Add to wishlist")
    wish.tap("text", "New wishlist")
    wish.phone.type_text("Kitchen")
    wish.tap("text", "Create")
    query = (
        "SELECT count(*) AS n FROM wishes JOIN wishlists ON _id = list_id WHERE name = 'Kitchen'"
    )
    assert wish.phone.packages.app(WISH).database("wish.db").query(query) == [{"n": 1}]
