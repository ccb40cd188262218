"""Joining courses, saving them, and viewing one's own."""

from pytest_mobileagent import answer, open_app, press, sqlite, tap, task, type_text

COURSERA = "org.coursera.android"
DATABASE = "/data/data/org.coursera.android/databases/coursera.db"
ENROLLED = sqlite(DATABASE, "SELECT name FROM enrollments JOIN courses ON _id = course_id")
SAVED = sqlite(DATABASE, "SELECT name FROM saved JOIN courses ON _id = course_id")


@task(
    "Open Coursera, go to Learn, and show me my Saved courses.",
    app=COURSERA,
    level=1,
    solution=[open_app(), tap(content_desc="Learn"), tap(content_desc="Saved")],
)
def test_show_saved(episode):
    assert episode.screen.find(resource_id="saved_list")


@task(
    'Join the course "Successful Presentations", which I have saved in Coursera for later.',
    app=COURSERA,
    level=2,
    probes={"enrolled": ENROLLED},
    solution=[
        open_app(),
        tap(content_desc="Learn"),
        tap(content_desc="Saved"),
        tap(text="Successful Presentations"),
        tap(text="Enroll"),
        tap(text="Join"),
    ],
)
def test_join_saved(episode):
    assert {"name": "Successful Presentations"} in episode.probe("enrolled")


@task(
    'Search for "Advanced Linear Algebra" on Coursera and save that course.',
    app=COURSERA,
    level=2,
    probes={"saved": SAVED},
    solution=[
        open_app(),
        tap(content_desc="Search"),
        type_text("advanced linear algebra", enter=True, resource_id="search_query"),
        tap(text="Advanced Linear Algebra"),
        tap(content_desc="Save"),
    ],
)
def test_save(episode):
    assert {"name": "Advanced Linear Algebra"} in episode.probe("saved")


@task(
    'I have lost interest in "Modern Art and Ideas". Take it off my saved courses in Coursera.',
    app=COURSERA,
    level=2,
    probes={"saved": SAVED},
    solution=[
        open_app(),
        tap(content_desc="Learn"),
        tap(content_desc="Saved"),
        tap(text="Modern Art and Ideas"),
        tap(content_desc="Remove from saved"),
    ],
)
def test_unsave(episode):
    assert episode.probe("saved") == [{"name": "Successful Presentations"}]


@task(
    "How many weeks do the courses that I am taking on Coursera last, if I add them all up?",
    app=COURSERA,
    kind="multi-frame query",
    level=2,
    probes={
        "weeks": sqlite(DATABASE, "SELECT count(*) AS weeks FROM weeks NATURAL JOIN enrollments")
    },
    solution=[
        open_app(),
        tap(content_desc="Learn"),
        tap(text="Python for Beginners"),
        press("back"),
        tap(text="Negotiation Skills"),
        press("back"),
        tap(text="Introduction to Philosophy"),
        tap(text="Not now"),
        answer("14 weeks"),
    ],
)
def test_weeks_in_all(episode):
    assert episode.answers(str(episode.probe("weeks")[0]["weeks"]))
