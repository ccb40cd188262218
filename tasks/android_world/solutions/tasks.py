"""Tasks: questions about tasks of certain days and priorities."""

from datetime import date
from time import strptime

from pytest_mobileagent import answer, open_app, scroll, seen, tap

from ._registry import solves

ID = "org.tasks:id"
TODAY = date(2023, 10, 15)  # AndroidWorld sets the phone's clock
NEAR = 6  # days that are named by their weekday
OPEN = open_app("org.tasks")
BY_DUE = [tap(resource_id="menu_sort"), tap(text="By due date")]
HIDE_COMPLETED = [tap(content_desc="More options"), tap(text="Show completed")]


def label(words):
    """Return a day as the list shows it."""
    day = date(*strptime(words, "%B %d %Y")[:3])
    ahead = (day - TODAY).days
    if ahead in (-1, 0, 1):
        return ("Yest", "Today", "Tmrw")[ahead + 1]
    return f"{day:%a}" if abs(ahead) <= NEAR else f"{day:%b} {day.day}"


def title(day, number):
    """Return how the number-th task of a day is found on the screen."""
    row = f"//*[@resource-id='{ID}/rowBody'][.//*[@text='{label(day)}']]"
    return {"xpath": f"({row}//*[@resource-id='{ID}/title'])[{number}]"}


def three(day):
    """Answer with the three tasks of a day, once all are on the screen."""
    found = [seen(**title(day, number)) for number in (1, 2, 3)]
    return [scroll("up", until=title(day, 3)), answer("%s, %s, %s", *found)]


@solves("TasksDueOnDate")
def due(params):
    return [OPEN, *BY_DUE, *three(params["date"])]


@solves("TasksIncompleteTasksOnDate")
def incomplete(params):
    return [OPEN, *HIDE_COMPLETED, *BY_DUE, *three(params["date"])]


@solves("TasksCompletedTasksForDate")
def completed(params):
    return [OPEN, *three(params["date"])]


@solves("TasksHighPriorityTasks", "TasksHighPriorityTasksDueOnDate")
def high_priority(params):
    name = {"text": params.get("task_title") or params["title"]}
    return [OPEN, scroll("up", until=name), answer(seen(**name))]


@solves("TasksDueNextWeek")
def next_week(params):
    """Answer with the number of tasks, which AndroidWorld makes for six days of that week."""
    return [OPEN, *BY_DUE, answer("6")]
