"""Searching for products, putting them on lists, and ordering them."""

from pytest_mobileagent import answer, open_app, press, sqlite, tap, task, type_text

WISH = "com.contextlogic.wish"
DATABASE = "/data/data/com.contextlogic.wish/databases/wish.db"
WISHES = sqlite(
    DATABASE,
    "SELECT w.name AS list, p.name FROM wishes JOIN wishlists w ON w._id = list_id"
    " JOIN products p ON p._id = product_id",
)
ORDERS = sqlite(
    DATABASE,
    "SELECT p.name, variant, quantity, payment FROM orders o JOIN order_items ON order_id = o._id"
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
    "Search Wish for a flashlight, let it show those under 100 only, and put the first one on my "
    "wishlist.",
    app=WISH,
    level=2,
    probes={"wishes": WISHES},
    solution=[
        *search("flashlight"),
        tap(text="Filter"),
        tap(text="Under 100"),
        tap(text="Apply"),
        tap(resource_id=TILE, nth=0),
        tap(content_desc="Add to wishlist"),
        tap(text="My Wishlist"),
    ],
)
def test_first_flashlight(episode):
    def first(screen):
        """Return the first result, if the results are filtered."""
        assert screen.get(resource_id="home_page_search_text").text.lower() == "flashlight"
        assert screen.find(text="Under 100", class_name="CompoundButton", checked=True)
        return screen.find_all(resource_id=TILE)[0]

    assert episode.tapped(first)
    fresh = [row for row in episode.probe("wishes") if row not in episode.initial_probe("wishes")]
    assert [row["list"] for row in fresh] == ["My Wishlist"]
    assert "flashlight" in fresh[0]["name"].lower()


@task(
    "Which of the things in Wish's Fashion category has the best rating, and what does it cost?",
    app=WISH,
    kind="single-frame query",
    level=2,
    solution=[
        open_app(),
        tap(text="Fashion"),
        tap(text="Sort"),
        tap(text="Rating"),
        answer("Wool socks with foxes, $9.80"),
    ],
)
def test_best_rated(episode):
    assert episode.saw(text="Wool socks with foxes")
    assert episode.answers(["Wool socks with foxes", "$9.80"])


@task(
    "Order two dotted notebooks in green on Wish, to my own address, payable on delivery.",
    app=WISH,
    level=3,
    probes={"orders": ORDERS},
    solution=[
        *search("notebook"),
        tap(resource_id=TILE, nth=0),
        tap(text="Green"),
        tap(text="Add to cart"),
        tap(text="View cart"),
        tap(resource_id="increase"),
        tap(text="Checkout"),
        tap(text="Pay on delivery"),
        tap(text="Place order"),
    ],
)
def test_order(episode):
    wanted = {"name": "Notebook, dotted, A5", "variant": "Green", "quantity": 2}
    assert episode.probe("orders") == [{**wanted, "payment": "Pay on delivery"}]


@task(
    "Two things are on My Wishlist in Wish. How many days would each take to arrive? "
    "Answer with the two numbers of days, in the order of the list.",
    app=WISH,
    kind="multi-frame query",
    level=3,
    solution=[
        open_app(),
        tap(content_desc="Wishlist"),
        tap(text="My Wishlist"),
        tap(text="Enamel mug"),
        press("back"),
        tap(text="Watercolour set of 12"),
        answer("7 days, 8 days"),
    ],
)
def test_delivery(episode):
    assert episode.saw(text="Arrives in 7 days, postage $3.50")
    assert episode.saw(text="Arrives in 8 days, postage $3.50")
    assert episode.answers(["7", "8"])


@task(
    "Show me what I have Recently Viewed on Wish, from my Account.",
    app=WISH,
    level=1,
    solution=[open_app(), tap(content_desc="Account"), tap(text="Recently Viewed")],
)
def test_recently_viewed(episode):
    bar = "//*[contains(@resource-id, 'drawer_activity_toolbar')]//*[@text='Recently Viewed']"
    assert episode.screen.find(xpath=bar)
