"""Wishes that can be met in many ways, so that judges must decide."""

import re

from pytest_mobileagent import open_app, tap, task, type_text

PICTURE = re.compile("Photo taken on .*")


@task(
    "I feel like learning something new this evening. Open a course on Coursera for me that a "
    "beginner can follow.",
    app="org.coursera.android",
    kind="open-ended",
    step_limit=20,
    solution=[
        open_app(),
        tap(content_desc="Search"),
        type_text("python", enter=True, resource_id="search_query"),
        tap(text="Filter"),
        tap(text="Beginner"),
        tap(text="Show results"),
        tap(resource_id="course_facts", nth=0),
    ],
)
def test_evening(episode, judge):
    assert judge(episode)


@task(
    "The light of this phone keeps me awake at night. Do something about it in Settings.",
    app="com.android.settings",
    kind="open-ended",
    step_limit=20,
    solution=[open_app(), tap(text="Display"), tap(text="Dark theme")],
)
def test_awake(episode, judge):
    assert judge(episode, reason=True)


@task(
    "A friend of mine loves to write by hand. Find a present for less than 20 dollars on Wish, and "
    "keep it on my wishlist. Do not order anything yet.",
    app="com.contextlogic.wish",
    kind="open-ended",
    step_limit=20,
    solution=[
        open_app(),
        tap(resource_id="home_page_search_text"),
        type_text("notebook", enter=True, resource_id="search_edit_text"),
        tap(resource_id="product_tile", nth=0),
        tap(content_desc="Add to wishlist"),
        tap(text="My Wishlist"),
    ],
)
def test_present(episode, judge):
    assert judge(
        episode,
        rubric=[
            "Something was put on a wishlist that is for writing by hand",
            "What was put there costs less than 20 dollars",
            "not an order was placed",
        ],
    )


@task(
    "Cheer me up with one of my own pictures of an animal.",
    app="com.google.android.apps.photos",
    kind="open-ended",
    step_limit=20,
    solution=[
        open_app(),
        tap(text="Search"),
        tap(text="Cat"),
        tap(content_desc=PICTURE, nth=0),
    ],
)
def test_cheer_up(episode, judge):
    assert judge(episode, actions="text")


@task(
    "周末想带孩子出去走走，看点有意思的东西。在高德地图上找一个合适的地方，帮我收藏起来。",
    app="com.autonavi.minimap",
    kind="open-ended",
    language="zh",
    step_limit=20,
    solution=[
        open_app(),
        tap(content_desc="搜索"),
        type_text("博物馆", enter=True, xpath="//*[contains(@class, 'EditText')]"),
        tap(content_desc="临溪博物馆", nth=0),
        tap(text="收藏"),
    ],
)
def test_weekend(episode, judge):
    assert judge(episode)
