"""Snapseed, for real phones only: table 13 of B-MoCA's paper.

The evaluator of the release does not know the goals of the three tasks that apply a Noir filter
after changing a setting (it spells them differently), so they cannot be met there. Its functions
for them check the paper's criteria, and so do these bodies; but some of the functions fail if a
setting was never made.
"""

from pytest_mobileagent import preferences, setting

from .table import task

PREFERENCES = {"preferences": preferences("com.niksoftware.snapseed", "Preferences")}
BRIGHTNESS = {"brightness": setting("system", "screen_brightness")}


def is_selected(episode, **criteria):
    """Return whether the first matching element is selected."""
    element = episode.screen.find(**criteria)
    return element is not None and element.selected


def has_dark_theme(episode):
    return episode.probe("preferences").get("pref_appearance_use_dark_theme") is True


def has_quality_100(episode):
    return episode.probe("preferences").get("pref_export_setting_compression") == "100"


def has_sizing_2000(episode):
    return episode.probe("preferences").get("pref_export_setting_long_edge") == "2000"


def is_dimmer(episode):
    return int(episode.probe("brightness")) < int(episode.initial_probe("brightness"))


@task("snapseed-open")
def test_open(episode):
    # The release only looks for the logo, in any state.
    assert episode.screen.get(resource_id="com.niksoftware.snapseed:id/logo_view").enabled


@task("snapseed-image")
def test_image(episode):
    assert is_selected(episode, resource_id="com.niksoftware.snapseed:id/looks_button")


@task("snapseed-dark_theme", probes=PREFERENCES)
def test_dark_theme(episode):
    assert has_dark_theme(episode)


@task("snapseed-portrait")
def test_portrait(episode):
    assert is_selected(episode, text="Portrait")


@task("snapseed-quality_100", probes=PREFERENCES)
def test_quality_100(episode):
    assert has_quality_100(episode)


@task("snapseed-sizing_2000", probes=PREFERENCES)
def test_sizing_2000(episode):
    assert has_sizing_2000(episode)


@task("snapseed-tools")
def test_tools(episode):
    assert is_selected(episode, resource_id="com.niksoftware.snapseed:id/tools_button")


@task("snapseed-s03")
def test_s03(episode):
    assert is_selected(episode, text="S03")


@task("snapseed-s03_dark_theme", probes=PREFERENCES)
def test_s03_dark_theme(episode):
    assert has_dark_theme(episode)
    assert is_selected(episode, text="S03")


@task("snapseed-s03_quality_100", probes=PREFERENCES)
def test_s03_quality_100(episode):
    assert has_quality_100(episode)
    assert is_selected(episode, text="S03")


@task("snapseed-s03_sizing_2000", probes=PREFERENCES)
def test_s03_sizing_2000(episode):
    assert has_sizing_2000(episode)
    assert is_selected(episode, text="S03")


# Only the paper has these two tasks, and it only says about the screen that it is the setting.
@task("snapseed-portrait_dimmer", probes=BRIGHTNESS)
def test_portrait_dimmer(episode):
    assert is_dimmer(episode)
    assert is_selected(episode, text="Portrait")


@task("snapseed-s03_dimmer", probes=BRIGHTNESS)
def test_s03_dimmer(episode):
    assert is_dimmer(episode)
    assert is_selected(episode, text="S03")
