"""The bodies of A3's first release pass on screens with the required contents, and only there."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import pytest_mobileagent.plugin.items  # noqa: F401 - which has pytest mark tasks
from pytest_mobileagent import rows
from tests.suite.made_screens import Case, at_last, n, played, spoilt, way

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent import Episode

SUITE = Path(__file__).parents[2] / "tasks" / "a3"
PACKAGES = {row.id: row.app for row in rows(SUITE / "v1.csv")}
PLAYED = ("coursera", "wish", "google_calendar")  # played on the virtual phone

CAMPUS = "University of Washington"
TRIP = (
    "One-way trip for 2 passengers from The Chinese University of Hong Kong to University of Hong "
    "Kong (HKU). Pick-up is on Sat Jan 03 at 01:26 PM."
)
BOOK = "Mind Over Magic"
SONG = "Blank Space"
HOMEWORK = n("task_list_title", "Homework")
WISHLIST = (n("bottom_wishlist", selected=True), n(desc="Wishlist", selected=True))
CLIP = n("clips_tab", selected=True)
NEARBY = n("pablo_toolbar_search_text", "pizza current location")
CLOSEST = n(text="Sort: Distance")
BURGER = n("pablo_toolbar_search_text", "burger Current Location")
SUMMARY = (n(text="Budget Summary"), n("menu_filter"), n(text="Chart"))
TRASH = n("menu_empty_trash")


def day(number: int, *more: Any) -> tuple[Any, ...]:
    month = n("month_name", "December 2024")
    return (month, n(desc=f"Calendar {number}", checked=True), *more)


def menu(order: str) -> tuple[Any, ...]:
    choice = n("task_list_menu_item_text", order)
    return (HOMEWORK, n("title", "Sort by"), n(clickable=True, touch=True, inside=[choice]))


CASES = [
    at_last("CNN_0", n("toolbar_title", "Watch")),
    at_last("CNN_1", n("toolbar_title", "Search"), n(text='Results for "panda"')),
    at_last("CNN_2", n(selected=True, inside=[n(text="World")])),
    way(
        "Gmail_1",
        (
            n("subject", "Meeting"),
            n("peoplekit_chip", "autoreply002@hotmail.com"),
            n("compose_body", "Lets meet next Saturday"),
            n("send", touch=True),
        ),
    ),
    at_last("Gmail_2", n("conversation_list_folder_name", "Drafts")),
    at_last("Gmail_3", n("viewified_conversation_item_view", "Starred, me, Hello")),
    at_last("Gmail_4", n("open_search_bar_text_view", "autoreply002@hotmail.com")),
    at_last("GooglePlayBooks_0", n("closed_toolbar_title", "romeo and juliet")),
    at_last("GooglePlayBooks_1", *WISHLIST),
    way("GooglePlayBooks_4", (n(desc=f"{BOOK}, 30%", clickable=True, touch=True),)),
    way(
        "GooglePlayBooks_4 by its title",
        (n(clickable=True, touch=True, inside=[n("title", BOOK)]),),
    ),
    at_last(
        "GooglePlayBooks_5",
        n(text="Romeo And Juliet"),
        n(desc="Ebook format"),
        n(desc="Remove from wishlist"),
    ),
    way(
        "GooglePlayBooks_6",
        (n(desc="In Our Time, by Hemingway"), n(desc="Remove from wishlist", touch=True)),
    ),
    at_last("GooglePlayBooks_7", *WISHLIST, n(desc="Price, Sort filter")),
    at_last(
        "GooglePlayBooks_8", n("bottom_library", selected=True), n(desc="Shelves", selected=True)
    ),
    way(
        "GoogleTasks_0",
        (n(text="Create new list"),),
        (n("list_creation_tab", desc="Assignment"),),
    ),
    way(
        "GoogleTasks_1",
        (n(clickable=True, touch=True, inside=[n("add_task_done")]),),
        (
            HOMEWORK,
            n("task_data", inside=[n(text="Other task", fact=False)], fact=False),
            n(
                "task_data",
                inside=[n(text="Machine Learning Assignment1"), n(text="Tomorrow, 11:59 PM")],
            ),
        ),
    ),
    way("GoogleTasks_2", menu("Date")),
    way(
        "GoogleTasks_4",
        menu("Date"),
        (n("star_button", desc="Remove star"), n("star_button", desc="Add star", fact=False)),
    ),
    way("GoogleTasks_5", menu("Starred recently")),
    way(
        "GoogleTasks_6",
        (
            HOMEWORK,
            n(desc="Python Assignment1, due today", inside=[n(), n(touch=True)]),
        ),
    ),
    way(
        "GoogleTasks_8",
        (n(desc="Python Assignment1", clickable=True, touch=True),),
        (n(desc="More options", touch=True),),
        (n("title", "Delete", touch=True),),
    ),
    at_last("YTmusic_1", *(n("text1", tab) for tab in ("Home", "Samples", "Explore", "Library"))),
    at_last("YTmusic_2", n("search_edit_text", "taylor swift")),
    at_last("YTmusic_3", n(desc="Unsubscribe from Taylor Swift.")),
    way(
        "YTmusic_4",
        (n("title", "Shake It Off", fact=False), n("title", SONG)),
        (n("current_song_view", SONG),),
    ),
    at_last("YTmusic_5", n("player_control_play_pause_replay_button", desc="Play video")),
    at_last("YTmusic_7", n(desc="Lyrics", selected=True)),
    at_last("YTmusic_9", n(text="Excellent music", desc="Excellent music")),
    at_last("YTmusic_10", n(text="History")),
    at_last(
        "bluecoins_0", *day(9, n(text="EXPENSE"), n("amount_tv", "$12.50")), answer="It was $12.50."
    ),
    at_last("bluecoins_0 of nothing", *day(9, n("empty_tab", fact=False)), answer="$0.00"),
    at_last("bluecoins_1", *day(8, n(text="INCOME"), n("amount_tv", "$300.00")), answer="$300"),
    at_last(
        "bluecoins_2",
        *day(
            9,
            n("amount_tv", "$1.00", fact=False),
            n(text="NET EARNINGS"),
            n("amount_tv", "$287.50"),
        ),
        answer="287.50",
    ),
    way(
        "bluecoins_3",
        (
            n("date_edittext", "December 9, 2024"),
            n("item_autocomplete_textview", "Food"),
            n("amount_sign_textview", "-"),
            n("amount_tv", "100"),
            n("fab", touch=True),
        ),
    ),
    at_last("bluecoins_4", n(desc="Reminders", selected=True)),
    at_last("bluecoins_5", n(desc="Transactions", selected=True), n("search_src_text", "food")),
    at_last("bluecoins_6", *SUMMARY),
    at_last("bluecoins_7", *SUMMARY, n("remaining_amount_textview", "$40.00"), answer="$40"),
    at_last("bluecoins_8", TRASH),
    way("bluecoins_10", (n("menu_empty_trash", fact=False), n("item_tv")), (TRASH,)),
    at_last(
        "bluecoins_11",
        n("toolbar_top", inside=[n(cls="ImageButton", fact=False), n(text="Settings")]),
    ),
    at_last("booking_0", n("navigation_bar_item_large_label_view")),
    at_last("booking_1", n("navigation_bar_item_large_label_view", "Saved")),
    at_last(
        "booking_2",
        n(
            "flights_search_results_summary_routes",
            inside=[n(text="Hong Kong (HKG)"), n(text="Beijing (BJS)")],
        ),
        n("flights_search_results_summary_search_options", "Sat, Jan 3 · 1 adult · Economy"),
    ),
    at_last(
        "booking_3", n("searchbox_destination", "Beijing"), n("searchbox_dates", "Jan 03 - Jan 04")
    ),
    at_last(
        "booking_5",
        n("action_bar", inside=[n(desc="Navigate up", fact=False), n(text="Your Notifications")]),
    ),
    at_last(
        "booking_6",
        n(cls="Button", desc=f"Pick-up {CAMPUS} on 2026-01-03, drop-off {CAMPUS} on 2026-01-05"),
    ),
    at_last(
        "booking_9",
        n("search_results_title", "Choose your ride"),
        n(desc=TRIP),
    ),
    at_last("doordash_1", n("edit_text", "Pizza")),
    way("doordash_2", (n("edit_text", "hot dog"),), (n(text="Over 4.8"),)),
    at_last("doordash_3", n("textView_navBar_backdropTitle", "Alcohol")),
    at_last("doordash_4", n("cartItemNameTextView", "Hash Browns")),
    way("doordash_5", (n("store_delete_icon", touch=True),), (n(text="Yes, delete", touch=True),)),
    at_last("doordash_6", n("textView_navBar_backdropTitle", "Sports"), n("browse", selected=True)),
    at_last("fitbit_1", n("action_bar_root")),
    at_last("fitbit_2", n(text="Yesterday")),
    at_last("fitbit_3", n(text="Notifications", cls="TextView")),
    at_last("fitbit_4", n(inside=[n(text="Week")])),
    at_last("fitbit_5", n(text="Customize Today")),
    at_last("fitbit_7", n(text="Connected to Fitbit")),
    at_last("fitbit_8", n(text="Daily steps"), n(text="Lifetime distance"), n(text="Weight goal")),
    at_last("fitbit_9", n(text="Personal")),
    at_last("fitbit_10", n(desc="Pause"), n(desc="Walk")),
    at_last("fitbit_11", n("secondary-focus-metric-2-calories", "1,204"), answer="1204"),
    at_last("fitbit_12", n("secondary-focus-metric-1-distance", "2.5"), answer="2.5"),
    at_last("google_maps_1", n("title", "Notifications")),
    at_last("google_maps_2", n(desc="Satellite", checked=True)),
    way("google_maps_3", (n(desc="Gas", touch=True),)),
    at_last("google_maps_4", n("search_omnibox_text_box", desc="bbq")),
    way(
        "google_maps_5",
        (n(text="Relevance", touch=True),),
        (n(text="Distance", touch=True),),
        (n(text="Distance"),),
    ),
    way(
        "google_maps_6",
        (
            n(desc="bbq"),
            n(clickable=True, touch=True, inside=[n(text="Directions")]),
        ),
        (n(clickable=True, touch=True, inside=[n(text="Start")]),),
    ),
    at_last("google_play_1", *(n(text=tab) for tab in ("Games", "Apps", "Books", "Search"))),
    at_last("google_play_2", n(text="Notifications"), n(text="Offers")),
    at_last("google_play_3", n(text="whatsapp", cls="TextView")),
    at_last("google_play_4", n(desc="WhatsApp Messenger\nRatings and Reviews")),
    at_last("google_play_5", n(desc="Watch apps")),
    at_last("instagram_0", n("action_bar_title", "Notifications")),
    at_last("instagram_1", n("action_bar_search_edit_text", "cuhk")),
    at_last("instagram_2", n("profile_header_follow_button", "Following")),
    at_last("instagram_3", CLIP),
    at_last("instagram_4", CLIP, n("like_button", selected=True)),
    way(
        "instagram_5",
        (n("like_button", selected=True),),
        (n("like_button"),),
        (CLIP, n("like_button", selected=True)),
    ),
    way(
        "instagram_7",
        (n("row_pending_media_status_textview", "Done posting. Want to send it?"),),
        (),
    ),
    way(
        "instagram_8",
        (n("control_option_text", "Delete", touch=True),),
        (n("igds_alert_dialog_primary_button", "Delete", touch=True, fact=False),),
    ),
    at_last("quora_0", n(text="Results for What is panda")),
    at_last("quora_1", n("titleView", "Notifications")),
    at_last("quora_2", n("backButton"), n(text="Good morning")),
    at_last("quora_3", n(text="Edit profile")),
    at_last("quora_4", n("titleView", "Spaces")),
    way("quora_6", (n(text="Topics", touch=True),), (n(text="Clear Filters"),)),
    at_last(
        "quora_7", n(text="Artificial Intelligence"), n(text="Following 1M", cls="ToggleButton")
    ),
    at_last(
        "quora_8",
        n("navbar_start", inside=[n(fact=False), n(text="Adam D'Angelo")]),
        n(text="Following", cls="ToggleButton"),
    ),
    way("smart_news_1", (n(touch=True, inside=[n("thumbnail")]),)),
    at_last("smart_news_2", n(text="Sports", selected=True)),
    at_last("smart_news_3", n(text="Personalize SmartNews")),
    at_last(
        "smart_news_4", *(n("nameTextView", name) for name in ("Top News", "Sports", "Politics"))
    ),
    at_last("target_1", n(text="sausage")),
    way(
        "target_2",
        (n(desc="sort by", touch=True),),
        (n(clickable=True, touch=True, inside=[n(text="Best selling")]),),
        (n(desc="See results", touch=True),),
    ),
    at_last(
        "target_3",
        n("favorites_icon", desc="Unfavorite this"),
        n("favorites_icon", desc="Favorite this", fact=False),
    ),
    way(
        "target_4",
        (n("add_to_cart_button", touch=True),),
        (n(touch=True, inside=[n(text="Delivery")]),),
        (n("add_to_cart_button", touch=True),),
    ),
    at_last("target_5", n("largeLabel", "Cart", selected=True)),
    way(
        "target_6",
        (n("fulfillment_header_edit_button", touch=True),),
        (n(text="Remove items", touch=True),),
        (n("checkout_confirmation_go_ahead_button", touch=True),),
    ),
    way(
        "target_7",
        (n(text="Show my barcode", clickable=True, touch=True),),
        (n(text="Show at checkout or scan with hand scanner"),),
    ),
    at_last("yelp_0", NEARBY),
    at_last("yelp_1", n("pablo_toolbar_search_text", "pizza Hong Kong University")),
    at_last("yelp_2", NEARBY, CLOSEST),
    at_last("yelp_3", NEARBY, CLOSEST, n(text="Open at 9:00 pm")),
    at_last("yelp_4", BURGER, CLOSEST, n(text="Open at 11:00 pm")),
    at_last("yelp_5", BURGER, n(text="Good for Kids ")),
    at_last("yelp_7", n("lighthouse_fourth_tab", selected=True)),
    at_last("youtube_1", n("search_query", "michael jackson")),
    at_last("youtube_2", n(inside=[n("label", "Sort by"), n("android:id/text1", "Relevance")])),
    at_last(
        "youtube_3",
        n(
            inside=[
                n(inside=[n("android:id/title", "Recommended videos")]),
                n("android:id/switch_widget", checked=True),
            ]
        ),
    ),
    at_last("youtube_4", n("title", "Most relevant")),
    way(
        "youtube_5",
        (n(desc="Shorts", touch=True),),
        (n(desc="like this video along with 12 others", touch=True),),
        (n(desc="unlike"),),
    ),
    way("youtube_6", (n(desc="Subscribe to Bells."),), (n(desc="Unsubscribe from Bells."),)),
    way(
        "youtube_7",
        (n(desc="Like this comment along with 3 others", touch=True),),
        (n("modern_title", "Comments"), n(desc="Unlike")),
    ),
    at_last("youtube_9", n(desc="View 1,234 comments"), answer="There are 1234."),
]


@cache
def bodies() -> dict[str, Callable[[Any], object]]:
    """Return all bodies in the suite's files, keyed by task id."""
    files = (SUITE / "v1").glob("test_*.py")
    modules = (import_module(f"tasks.a3.v1.{file.stem}") for file in files)
    return {name: body for module in modules for name, body in module.BODIES.items()}


def holds(name: str, episode: Episode) -> bool:
    try:
        bodies()[name](episode)
    except AssertionError:
        return False
    return True


def test_each_body_that_no_virtual_phone_plays_has_a_case() -> None:
    made = {name for name in bodies() if name.rpartition("_")[0] not in PLAYED}
    assert {case.task for case in CASES} == made
    assert len(made) == 117


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_body_holds_on_its_facts_and_on_nothing_less(
    case: Case, make_episode: Callable[..., Episode]
) -> None:
    package = PACKAGES[case.task]

    def holds_on(given: Case) -> bool:
        return holds(case.task, played(given, package, make_episode))

    assert not holds_on(Case(case.name, ((),)))
    assert holds_on(case)
    assert [what for what, less in spoilt(case) if holds_on(less)] == []
