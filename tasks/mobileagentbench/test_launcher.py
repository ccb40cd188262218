"""App Launcher: ten tasks of MobileAgentBench."""

from pytest_mobileagent import tasks

from .checks import at, confirmed, is_on, says, texts, view
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


@tasks(of("launcher"), each=fields("launcher", {}, SETUPS), source=SOURCE)
def test_launcher(episode, row):
    assert episode.ever(QUESTIONS[row.id])
