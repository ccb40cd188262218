"""Two tasks. Each test body decides whether the recorded episode met the goal."""

from pytest_mobileagent import open_app, sqlite, tap, task, type_text

APP = "com.example.shopping"
ITEMS = sqlite(f"/data/data/{APP}/databases/shopping.db", "select name, bought from items")


@task(
    "Tick off the eggs in the Shopping app.",
    app=APP,
    level=1,
    probes={"items": ITEMS},
    solution=[open_app(), tap(text="Eggs")],
)
def test_eggs(episode):
    assert {"name": "Eggs", "bought": 1} in episode.probe("items")


@task(
    "Put milk on the list in the Shopping app.",
    app=APP,
    level=1,
    probes={"items": ITEMS},
    solution=[open_app(), tap(resource_id="new_item"), type_text("Milk"), tap(text="Add")],
)
def test_milk(episode):
    assert "milk" in [item["name"].lower() for item in episode.probe("items")]
