"""Questions whose answers can be written in many ways: units, dates, money, times, lists."""

from datetime import timedelta

from pytest_mobileagent import answer, open_app, press, seen, tap, task, type_text

CALENDAR = "com.google.android.calendar"
CLOCK = "com.google.android.deskclock"
MAP = "com.autonavi.minimap"
NOTES = "com.simplemobiletools.notes.pro"
WISH = "com.contextlogic.wish"
FIELD = "//*[contains(@class, 'EditText')]"


@task(
    "用高德地图看看，从我的位置步行到望湖公园要多长时间？",
    app=MAP,
    language="zh",
    kind="single-frame query",
    level=2,
    solution=[
        open_app(),
        tap(text="路线"),
        tap(text="输入终点（支持跨城路线）"),
        type_text("望湖公园", enter=True, xpath=FIELD),
        tap(content_desc="望湖公园", nth=0),
        tap(text="步行"),
        answer("1小时10分钟"),
    ],
)
def test_unit(episode):
    assert episode.saw(text="1小时10分钟")
    assert episode.answers("70 min")


@task(
    "On which day is Hiro's birthday? Look it up in Calendar.",
    app=CALENDAR,
    kind="single-frame query",
    level=2,
    solution=[
        open_app(),
        tap(content_desc="Search"),
        type_text("Hiro", resource_id="search_text"),
        tap(text="Hiro's birthday"),
        answer(seen(resource_id="time")),
    ],
)
def test_date(episode):
    assert episode.saw(text="Hiro's birthday")
    assert episode.answers(f"{episode.started + timedelta(days=9):%B %d}")


@task(
    "What does the best rated thing in Wish's Fashion category cost?",
    app=WISH,
    kind="single-frame query",
    level=2,
    solution=[
        open_app(),
        tap(text="Fashion"),
        tap(text="Sort"),
        tap(text="Rating"),
        answer("It costs 9.80 dollars."),
    ],
)
def test_money(episode):
    assert episode.saw(text="Wool socks with foxes")
    assert episode.answers("$9.80")


@task(
    "Which four things are on my list of groceries in Notes? The order does not matter.",
    app=NOTES,
    kind="single-frame query",
    level=1,
    solution=[
        open_app(),
        tap(text="Groceries"),
        answer("Coffee beans, red lentils, rye bread and oat milk"),
    ],
)
def test_list(episode):
    assert episode.saw(text="Groceries")
    groceries = ["Oat milk", "Rye bread", "Red lentils", "Coffee beans"]
    assert episode.answers(groceries, any_order=True)


@task(
    "At what time does the alarm for the early train ring?",
    app=CLOCK,
    kind="single-frame query",
    level=1,
    solution=[open_app(), answer(seen(resource_id="digital_clock"))],
)
def test_time(episode):
    assert episode.saw(resource_id="digital_clock")
    assert episode.answers("06:45")


@task(
    "How much longer does the slower of the two things on My Wishlist in Wish take to arrive?",
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
        answer("24 hours"),
    ],
)
def test_several_screens(episode):
    assert episode.saw(text="Arrives in 7 days, postage $3.50")
    assert episode.saw(text="Arrives in 8 days, postage $3.50")
    assert episode.answers("1 day")
