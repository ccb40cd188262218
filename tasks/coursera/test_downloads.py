"""Videos that Coursera stores on the phone."""

from pytest_mobileagent import answer, open_app, seen, sqlite, tap, task

COURSERA = "org.coursera.android"
DOWNLOADS = sqlite(
    "/data/data/org.coursera.android/databases/coursera.db",
    "SELECT name, week FROM downloads JOIN courses ON _id = course_id",
)


@task(
    "In Coursera, open the Downloads of my Profile and tell me how much storage is used.",
    app=COURSERA,
    kind="single-frame query",
    level=1,
    solution=[
        open_app(),
        tap(content_desc="Profile"),
        tap(text="Downloads"),
        answer(seen(resource_id="download_size")),
    ],
)
def test_storage_used(episode):
    assert episode.answers(episode.screen.get(resource_id="download_size").text)


@task(
    'Delete what Coursera has downloaded of "Negotiation Skills"; keep the other downloads.',
    app=COURSERA,
    level=2,
    probes={"downloads": DOWNLOADS},
    solution=[
        open_app(),
        tap(content_desc="Profile"),
        tap(text="Downloads"),
        tap(content_desc="Delete Negotiation Skills"),
        tap(text="Delete"),
    ],
)
def test_delete_one(episode):
    before = episode.initial_probe("downloads")
    others = [row for row in before if row["name"] != "Negotiation Skills"]
    assert episode.probe("downloads") == others


@task(
    "My phone is full. Remove everything that Coursera has downloaded.",
    app=COURSERA,
    level=2,
    probes={"downloads": DOWNLOADS},
    solution=[
        open_app(),
        tap(content_desc="Profile"),
        tap(text="Downloads"),
        tap(content_desc="Delete Python for Beginners"),
        tap(text="Delete"),
        tap(content_desc="Delete Negotiation Skills"),
        tap(text="Delete"),
    ],
)
def test_delete_all(episode):
    assert episode.probe("downloads") == []


@task(
    'I am taking "Negotiation Skills" on Coursera. Download its week 2, so that I can watch it on '
    "the train.",
    app=COURSERA,
    level=1,
    probes={"downloads": DOWNLOADS},
    solution=[
        open_app(),
        tap(text="Negotiation Skills"),
        tap(content_desc="Download week 2"),
    ],
)
def test_download_week(episode):
    assert {"name": "Negotiation Skills", "week": 2} in episode.probe("downloads")
