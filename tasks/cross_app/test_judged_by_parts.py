"""Cross-app tasks whose parts are judged one after another; one part finds what another needs."""

from pytest_mobileagent import open_app, subtask, tap, task, type_text

COURSERA, NOTES = "org.coursera.android", "com.simplemobiletools.notes.pro"


@task(
    'Look up on Coursera how many people are enrolled in "Chinese for Beginners", and keep that '
    'number in a new note called "Learners".',
    app=COURSERA,
    apps=(NOTES,),
    kind="cross-app",
    level=3,
    solution=[
        open_app(),
        tap(content_desc="Search"),
        type_text("chinese for beginners", enter=True, resource_id="search_query"),
        tap(text="Chinese for Beginners"),
        open_app(NOTES),
        tap(content_desc="Create a new note"),
        type_text("Learners", resource_id="locked_note_title"),
        tap(text="OK"),
        type_text("872,316", resource_id="text_note_view"),
    ],
)
def test_learners(episode, judge):
    assert judge(
        episode,
        actions="text",
        subtasks=[
            subtask(
                COURSERA,
                'Open the page of the course "Chinese for Beginners".',
                memory="how many people are enrolled in the course",
            ),
            subtask(
                NOTES,
                'Create a note called "Learners" that says how many people are enrolled.',
                history=True,
            ),
        ],
    )
