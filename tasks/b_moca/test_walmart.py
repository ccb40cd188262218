"""Walmart, for real phones only: table 14 of B-MoCA's paper."""

from .table import task


def element(episode, name):
    """Return the element with one of the app's ids."""
    return episode.screen.get(resource_id=f"com.walmart.android:id/{name}")


@task("walmart-open")
def test_open(episode):
    # The release only looks for the tab, in any state.
    assert element(episode, "navigation_shop").enabled


@task("walmart-account")
def test_account(episode):
    assert element(episode, "navigation_account").selected


@task("walmart-cart")
def test_cart(episode):
    # The paper requires this layout to be selected, which a layout never is; the release, to be
    # visible.
    assert element(episode, "cart_fragment_constraint_layout")


@task("walmart-my_items")
def test_my_items(episode):
    assert element(episode, "navigation_my_items").selected


@task("walmart-search")
def test_search(episode):
    assert element(episode, "navigation_search").selected


@task("walmart-services")
def test_services(episode):
    assert element(episode, "navigation_services").selected


@task("walmart-grocery")
def test_grocery(episode):
    assert element(episode, "category_container_title").text == "Grocery"


@task("walmart-store_map")
def test_store_map(episode):
    assert element(episode, "instoremaps_webview_container")
