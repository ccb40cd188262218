"""App Launcher: ten tasks of MobileAgentBench."""

from pytest_mobileagent import long_press, tap, tasks, type_text

from .checks import OK, at, confirmed, is_on, says, texts, view
from .setups import TaskError, fresh, stored
from .table import SOURCE, fields, of

INTO = "INSERT INTO launchers (name, package_name, was_renamed, app_order)"
APPS = {
    "Chrome": ("com.android.chrome",),
    "Camera": ("com.android.camera2", "com.google.android.GoogleCamera"),
}


def both_apps(device, app):
    """Store Chrome and Camera in the app, by their packages on this phone."""
    there = device.system.packages()
    for name, packages in APPS.items():
        package = next((each for each in packages if each in there), None)
        if package is None:
            msg = f"the phone has no app {name}: {' or '.join(packages)} must be installed"
            raise TaskError(msg)
        stored("applaunchers.db", f"{INTO} VALUES ('{name}', '{package}', 0, 0)")(device, app)


def labels(episode):
    """Return the names of the apps on the main screen, {""} for an app without one; else none."""
    if not view(episode, "launchers_grid"):
        return set()
    return {*texts(episode, "launcher_label")} or {""}


def searched(episode):
    return says(view(episode, "top_toolbar_search"), "Chrome") and labels(episode) == {"Chrome"}


def removed(episode):
    """Ask whether Chrome is gone although no search hides it."""
    search = view(episode, "top_toolbar_search")
    is_shown = search is not None and (not search.text or search.text.lower() not in "camera")
    return is_shown and "Camera" in labels(episode) and "Chrome" not in labels(episode)


QUESTIONS = {
    "launcher_add_apps": lambda e: labels(e) >= {"Camera", "Chrome"},
    "launcher_check_contributor": at(".ContributorsActivity"),
    "launcher_hide_app_name": lambda e: labels(e) == {""} and len(texts(e, "launcher_icon")) > 1,
    "launcher_open_about_FAQ": at(".FAQActivity"),
    "launcher_remove_app": removed,
    "launcher_rename_app": lambda e: "MyChrome" in labels(e) and "Chrome" not in labels(e),
    "launcher_search_app": searched,
    "launcher_setting_close_app_when_launching": is_on("settings_close_app", on=False),
    "launcher_sort_by_custom": lambda e: confirmed(e, "sorting_dialog_radio_custom"),
    "launcher_sort_by_title_desc": lambda e: confirmed(
        e, "sorting_dialog_radio_title", "sorting_dialog_radio_descending"
    ),
}
FILLED = ("hide_app_name", "remove_app", "rename_app", "search_app", "sort_by_custom",
          "sort_by_title_desc")  # fmt: skip
SETUPS = {f"launcher_{name}": fresh(both_apps) for name in FILLED}

CONFIRM, CHROME = tap(resource_id=OK), long_press(text="Chrome")
SORT, MORE = tap(content_desc="Sort by"), tap(content_desc="More options")
ABOUT = [MORE, tap(text="About")]
SOLUTIONS = {
    "launcher_add_apps": [tap(resource_id="fab"), tap(text="Camera"), tap(text="Chrome"), CONFIRM],
    "launcher_check_contributor": [*ABOUT, tap(text="Contributors")],
    "launcher_hide_app_name": [tap(content_desc="Toggle app name visibility")],
    "launcher_open_about_FAQ": [*ABOUT, tap(text="Frequently asked questions")],
    "launcher_remove_app": [CHROME, tap(content_desc="Remove"), CONFIRM],
    "launcher_rename_app": [
        CHROME,
        tap(content_desc="Rename"),
        type_text("MyChrome", clear=True, resource_id="edit_launcher_edittext"),
        CONFIRM,
    ],
    "launcher_search_app": [type_text("Chrome", resource_id="top_toolbar_search")],
    "launcher_setting_close_app_when_launching": [
        MORE,
        tap(text="Settings"),
        tap(resource_id="settings_close_app_holder"),
    ],
    "launcher_sort_by_custom": [SORT, tap(resource_id="sorting_dialog_radio_custom"), CONFIRM],
    "launcher_sort_by_title_desc": [
        SORT,
        tap(resource_id="sorting_dialog_radio_descending"),
        CONFIRM,
    ],
}


@tasks(of("launcher"), each=fields("launcher", SOLUTIONS, SETUPS), source=SOURCE)
def test_launcher(episode, row):
    assert episode.ever(QUESTIONS[row.id])
