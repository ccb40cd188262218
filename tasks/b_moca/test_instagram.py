"""Instagram, for real phones with an account only: table 10 of B-MoCA's paper."""

from .table import task


def is_selected(episode, tab):
    """Return whether a tab of the bottom bar is the current one."""
    return episode.screen.get(resource_id=f"com.instagram.android:id/{tab}").selected


@task("instagram-open")
def test_open(episode):
    assert is_selected(episode, "feed_tab")


@task("instagram-profile")
def test_profile(episode):
    assert is_selected(episode, "profile_tab")


@task("instagram-reels")
def test_reels(episode):
    assert is_selected(episode, "clips_tab")


@task("instagram-search")
def test_search(episode):
    assert is_selected(episode, "search_tab")
