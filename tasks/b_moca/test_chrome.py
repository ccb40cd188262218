"""Chrome: table 8 of B-MoCA's paper."""

import unicodedata

from pytest_mobileagent import log, open_app, tap

from .table import task


def started(activity):
    """Return a log probe for the start of an activity, with the tag used since Android 10.

    The paper names the tag used on older phones.
    """
    return {"log": log(f"START.*{activity}", tag="ActivityTaskManager", level="I")}


@task("chrome-open", probes=started("com.google.android.apps.chrome"), solution=[open_app()])
def test_open(episode):
    assert episode.probe("log")


@task(
    "chrome-new_tab",
    solution=[open_app(), tap(resource_id="menu_button"), tap(resource_id="new_tab_menu_id")],
)
def test_new_tab(episode):
    button = episode.screen.get(resource_id="tab_switcher_button")
    # The release looks for a Latin 2, which phones in Arabic or Urdu do not use.
    assert 2 in [unicodedata.digit(mark, None) for mark in button.content_desc]


@task(
    "chrome-history",
    probes=started("chrome.browser.history.HistoryActivity"),
    solution=[open_app(), tap(resource_id="menu_button"), tap(resource_id="open_history_menu_id")],
)
def test_history(episode):
    assert episode.probe("log")
