"""Finding courses, and information about them."""

import pytest

from pytest_mobileagent import answer, open_app, press, scroll, seen, sqlite, tap, task, type_text
from pytest_mobileagent.answers import number, one_of

COURSERA = "org.coursera.android"
DATABASE = "/data/data/org.coursera.android/databases/coursera.db"
RESULT = "//*[@resource-id='org.coursera.android:id/search_results']/*[{nth}]"


def search(words):
    """Return moves that search from the home screen of the phone."""
    return [
        open_app(),
        tap(content_desc="Search"),
        type_text(words, enter=True, resource_id="search_query"),
    ]


@task(
    'Search for "linear algebra" on Coursera.',
    app=COURSERA,
    level=1,
    solution=search("linear algebra"),
)
def test_search(episode):
    assert episode.screen.find(resource_id="search_results")
    assert episode.screen.get(resource_id="search_query").text.lower() == "linear algebra"


@task(
    'Search for "machine learning" and let Coursera show courses for beginners only.',
    app=COURSERA,
    level=2,
    solution=[
        *search("machine learning"),
        tap(text="Filter"),
        tap(text="Beginner"),
        tap(text="Show results"),
    ],
)
def test_filter_level(episode):
    assert episode.screen.get(resource_id="search_query").text.lower() == "machine learning"
    assert episode.screen.find(text="Beginner", class_name="CompoundButton", checked=True)
    facts = [element.text for element in episode.screen.find_all(resource_id="course_facts")]
    assert facts
    assert all("Beginner" in text for text in facts)


@task(
    'Search Coursera for "python", filter for courses in Spanish, and open the first one.',
    app=COURSERA,
    level=2,
    solution=[
        *search("python"),
        tap(text="Filter"),
        tap(text="Spanish"),
        tap(text="Show results"),
        tap(xpath=RESULT.format(nth=1)),
    ],
)
def test_open_first_in_spanish(episode):
    def first(screen):
        """Return the first result, if the list is filtered."""
        assert screen.find(text="Spanish", class_name="CompoundButton")
        return screen.get(xpath=RESULT.format(nth=1))

    assert episode.tapped(first)


@task(
    'Search Coursera for "Matrix Algebra for Engineers" and tell me its rating.',
    app=COURSERA,
    kind="single-frame query",
    level=1,
    probes={"courses": sqlite(DATABASE, "SELECT name, rating FROM courses")},
    solution=[
        *search("matrix algebra for engineers"),
        answer("4.8"),
    ],
)
def test_rating(episode):
    ratings = {row["name"]: row["rating"] for row in episode.probe("courses")}
    assert episode.answers(number(ratings["Matrix Algebra for Engineers"], of=5))


@pytest.mark.parametrize(
    ("course", "week"),
    [("Linear Algebra", 3), ("Mathematics for Machine Learning: Linear Algebra", 4)],
)
@task(
    'How many hours does week {week} of the Coursera course "{course}" take?',
    app=COURSERA,
    kind="single-frame query",
    level=2,
    probes={
        "weeks": sqlite(
            DATABASE, "SELECT name, week, hours FROM weeks JOIN courses ON _id = course_id"
        )
    },
    solution=[
        *search("{course}"),
        tap(resource_id="courseName", text="{course}"),
        scroll("up"),
        answer(seen(xpath="//*[starts-with(@text, 'Week {week} ')]")),
    ],
)
def test_hours_of_week(episode, course, week):
    hours = {(row["name"], row["week"]): row["hours"] for row in episode.probe("weeks")}
    assert episode.answers(str(hours[course, week]))


MATHEMATICS = "Mathematics for Machine Learning: "


@task(
    'Three courses on Coursera are called "Mathematics for Machine Learning". Which of them takes '
    "the most hours, all weeks together, and how many hours is that?",
    app=COURSERA,
    kind="multi-frame query",
    level=3,
    probes={
        "hours": sqlite(
            DATABASE,
            "SELECT name, sum(hours) AS hours FROM weeks JOIN courses ON _id = course_id"
            " WHERE name LIKE 'Mathematics for Machine%' GROUP BY name ORDER BY hours DESC",
        )
    },
    solution=[
        *search("mathematics for machine learning"),
        tap(text=MATHEMATICS + "Linear Algebra"),
        scroll("up"),
        press("back"),
        tap(text=MATHEMATICS + "Multivariate Calculus"),
        scroll("up"),
        press("back"),
        tap(text=MATHEMATICS + "PCA"),
        tap(text="Not now"),
        scroll("up"),
        answer(MATHEMATICS + "Linear Algebra, 24 hours"),
    ],
)
def test_longest_of_three(episode):
    longest = episode.probe("hours")[0]
    course = one_of(longest["name"], longest["name"].removeprefix(MATHEMATICS))
    assert episode.answers([course, f"{longest['hours']} hours"])
