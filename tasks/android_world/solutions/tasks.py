"""Tasks: questions about tasks of certain days and priorities."""

from datetime import date
from time import strptime
from typing import Any

from pytest_mobileagent import answer, open_app, scroll, seen, tap

from ._moves import tell
from ._registry import solves

TODAY = date(2023, 10, 15)  # AndroidWorld sets the phone's clock
NEAR = 6  # days ahead and back that are named by their weekday
MENU, SORT = "Show completed", "By due date"
OPEN = open_app("org.tasks")
FLIP = [tap(content_desc="More options"), tap(text=MENU)]  # whether completed ones are shown
BY_DUE = [tap(resource_id="menu_sort"), tap(text=SORT)]
TO_THE_END = scroll("up", until={"text": "there is no such task"})


def label(words):
    """Return a day as the list shows it."""
    day = date(*strptime(words, "%B %d %Y")[:3])
    ahead = (day - TODAY).days
    if ahead in (-1, 0, 1):
        return ("Yest", "Today", "Tmrw")[ahead + 1]
    return f"{day:%a}" if abs(ahead) <= NEAR else f"{day:%b} {day.day}"


def listed(screens):
    """Return the titles and days of the tasks on these screens, in their order."""
    found: dict[tuple[str, str], None] = {}
    for screen in screens:
        for row in screen.find_all(resource_id="rowBody"):
            texts = {each.resource_id.rpartition("/")[2]: each.text for each in row.iter()}
            if {"title", "due_date"} <= texts.keys():
                found[texts["title"], texts["due_date"]] = None
    return list(found)


def split(screens, text):
    """Return the screens before, between and after those that have a text."""
    parts: list[list[Any]] = [[]]
    for screen in screens:
        if screen.find(text=text):
            parts.append([])
        else:
            parts[-1].append(screen)
    return parts


@solves("TasksDueOnDate", "TasksIncompleteTasksOnDate")
def due(params):
    """Answer with the last three of those days' name: earlier ones are a week overdue."""

    def last(screens):
        tasks = listed(split(screens, SORT)[-1])
        return ", ".join([title for title, day in tasks if day == label(params["date"])][-3:])

    return [OPEN, *FLIP, *BY_DUE, TO_THE_END, tell(last)]


@solves("TasksCompletedTasksForDate")
def completed(params):
    """Answer with the three that were completed last, of those that are not listed at first."""

    def first(screens):
        _, hidden, shown = split(screens, MENU)
        left = listed(hidden)
        tasks = [task for task in listed(shown) if task not in left]
        return ", ".join([title for title, day in tasks if day == label(params["date"])][:3])

    return [OPEN, *FLIP, TO_THE_END, *FLIP, scroll("up"), tell(first)]


@solves("TasksHighPriorityTasks", "TasksHighPriorityTasksDueOnDate")
def high_priority(params):
    name = {"text": params.get("task_title") or params["title"]}
    return [OPEN, scroll("up", until=name), answer(seen(**name))]


@solves("TasksDueNextWeek")
def next_week(params):
    """Answer with the number of tasks, which AndroidWorld makes for six days of that week."""
    return [OPEN, *BY_DUE, answer("6")]
