"""Timers, and the time in other places."""

from pytest_mobileagent import answer, open_app, seen, tap, task, type_text

CLOCK = "com.google.android.deskclock"
PAUSE = ("Pause", "暂停", "일시중지", "إيقاف مؤقت")  # the label of the button of a running timer


@task(
    "Start a timer in Clock that rings in 5 minutes.",
    app=CLOCK,
    level=2,
    solution=[
        open_app(),
        tap(resource_id="page_timer"),
        tap(resource_id="timer_setup_digit_5"),
        tap(resource_id="timer_setup_digit_00"),
        tap(resource_id="fab"),
    ],
)
def test_timer(episode):
    assert "5:00" in episode.screen.get(resource_id="timer_label").text
    assert episode.screen.get(resource_id="play_pause").content_desc in PAUSE


@task(
    "Add Tokyo to the cities in Clock, and tell me how many hours it is ahead of mine.",
    app=CLOCK,
    kind="single-frame query",
    level=2,
    solution=[
        open_app(),
        tap(content_desc="Clock"),
        tap(content_desc="Cities"),
        type_text("Tokyo", resource_id="search_src_text"),
        tap(resource_id="city_name", text="Tokyo"),
        tap(content_desc="Navigate up"),
        answer(seen(resource_id="hours_ahead")),
    ],
)
def test_tokyo(episode):
    difference = "//*[@text='Tokyo']/following-sibling::*[@text][1]"
    hours = episode.screen.get(xpath=difference).text.split()[0]
    assert episode.answers(f"{hours} hours")


@task(
    "In Clock, start a timer of five minutes, add one minute to it, and then delete the timer.",
    app=CLOCK,
    level=3,
    solution=[
        open_app(),
        tap(content_desc="Timer"),
        tap(text="5"),
        tap(text="00"),
        tap(content_desc="Start"),
        tap(resource_id="add_one_min"),
        tap(content_desc="Delete"),
    ],
)
def test_timer_comes_and_goes(episode):
    assert episode.event(type="clicked", resource_id="add_one_min"), "one minute was not added"
    assert episode.event(type="clicked", text="Delete", package=CLOCK), "it was not deleted"
    assert not episode.screen.find(resource_id="timer_label")
