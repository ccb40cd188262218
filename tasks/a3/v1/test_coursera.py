"""A3's first release: its thirteen tasks in Coursera."""

import re

from pytest_mobileagent import answer, open_app, press, seen, tap, tasks, type_text

from .table import SOURCE, decide, fields, of

FOLDER = "coursera"
RESULTS = "//*[contains(@resource-id, 'id/search_results')]/*[1]"
# The provider of the first course found; if the list has no id, of what follows the search.
FIRST_PROVIDER = (
    f"({RESULTS}//*[@text!=''])[2] |"
    " (//*[@text='Cancel']/following::*[@class='android.widget.TextView'][@text!=''])[1]"
)
FREE = "//*[@text='Get Started with These Free Courses']/following::"
FIRST_FREE = (
    f"({FREE}*[contains(@resource-id, 'id/courseName')]"
    f" | {FREE}*[@class='android.widget.ScrollView']/*[1]/*[1][@content-desc!=''])[1]"
)
CARDS = "//*[@text='Top Rated Courses']/following::*[@clickable='true']"
# The name of the course whose page this is; in lists of courses, names are inside clickable
# elements.
OPENED = "//*[contains(@resource-id, 'id/courseName')][not(ancestor-or-self::*[@clickable='true'])]"
CHOSEN_LEVEL = (  # whether the checked box contains the text, is around it, or follows it
    "//*[@text='Level']/following::*[@text='{0}' and @checked='true'"
    " or @checked='true' and .//*[@text='{0}']"
    " or @text='{0}' and following-sibling::*[1][@checked='true'][not(@text!='')]]"
)
# The selected tab shows the larger of its two labels.
LEARNING = (
    "//*[@text='Learn'][contains(@resource-id, 'large_label_view')]"
    "[ancestor-or-self::*[@selected='true']]"
)
DARK_MODE = "//*[@text='Dark Mode']"
PROFILE = [open_app(), tap(content_desc="Profile")]
LEARN = [open_app(), tap(content_desc="Learn")]
CRYPTOGRAPHY = [*LEARN, tap(text="Cryptography")]
DATABASE = "/data/data/org.coursera.android/databases/coursera.db"
ENROLL = """INSERT OR IGNORE INTO enrollments
    SELECT _id, 9 FROM courses WHERE name = "Cryptography";
    UPDATE reminders SET hour = 9, enabled = 0"""


def enroll(device):
    """Enroll in the course, on a phone whose app stores a list of courses; else do it by hand."""
    device.system.shell(f"[ -f {DATABASE} ] && sqlite3 {DATABASE} '{ENROLL}'")


def searched(episode):
    """Assert that the courses on the screen were searched for and can be filtered."""
    screen = episode.screen
    assert screen.get(class_name="EditText").text.lower() == "linear algebra"
    assert screen.find(xpath="//*[contains(@text, 'Filter') or contains(@content-desc, 'Filter')]")
    names = [each.text.lower() for each in screen.find_all(resource_id="courseName")]
    assert not names or any("algebra" in name for name in names)


def for_beginners(episode):
    """Assert that the filter was closed with beginners only, and that the results match it."""
    searched(episode)
    pages = [
        each for each in episode.screens if each.find(text="Filter") and each.find(text="Level")
    ]
    assert pages, "the filter was never opened"
    levels = ("Beginner", "Intermediate", "Advanced")
    chosen = [each for each in levels if pages[-1].find(xpath=CHOSEN_LEVEL.format(each))]
    assert chosen == ["Beginner"]
    facts = [each.text for each in episode.screen.find_all(resource_id="course_facts")]
    assert all("Beginner" in text for text in facts)


def provider(episode):
    for_beginners(episode)
    assert episode.answers(episode.screen.get(xpath=FIRST_PROVIDER).text)


def best_rated(episode):
    stars: dict[str, float] = {}
    for screen in episode.screens:
        for card in screen.find_all(xpath=CARDS):
            found = [re.match(r"\d\.\d\b", text) for text in card.texts]
            stars |= dict.fromkeys(
                card.texts, max((float(each[0]) for each in found if each), default=0)
            )
    assert stars, "the best courses were never on the screen"
    opened = episode.screen.get(xpath=OPENED).text
    assert stars.get(opened) == max(stars.values())


def first_free(episode):
    courses = [screen.find(xpath=FIRST_FREE) for screen in episode.screens]
    first = next((each for each in courses if each), None)
    assert first, "the free courses were never on the screen"
    assert episode.answers(first.text or first.content_desc)


def learn(episode):
    assert episode.screen.find(xpath=LEARNING)


def opened_cryptography(screen):
    name = screen.find(xpath=OPENED)
    return name is not None and "cryptography" in name.text.lower()


def cryptography(episode):
    assert episode.saw(xpath=LEARNING)
    assert opened_cryptography(episode.screen)


def reminder(episode):
    screen = episode.screen
    assert screen.find(text="Study Reminders")
    monday = {"after": screen.get(text="Monday"), "before": screen.get(text="Tuesday")}
    assert screen.get(resource_id="timeText", **monday).text == "01:00 PM"
    switches = screen.find_all(xpath="//*[@checkable='true']")
    on = [each for each in switches if each.checked]
    assert not switches or on == screen.find_all(xpath="//*[@checkable='true']", **monday)
    assert any(opened_cryptography(each) for each in episode.screens)


def settings(episode):
    assert episode.screen.find(text="Settings", after=episode.screen.get(content_desc="Back"))


def dark(episode):
    settings(episode)
    row = f"{DARK_MODE}/ancestor-or-self::*[@clickable='true'][1]"
    boxes = episode.screen.find_all(xpath=f"{row}/descendant-or-self::*[@checkable='true']")
    if boxes:
        assert all(each.checked for each in boxes)
    else:  # the release's phones show a mark beside the text
        assert episode.screen.find(xpath=f"{DARK_MODE}/parent::*[count(*) > 1]")


def downloads(episode):
    assert episode.screen.find(resource_id="toolbar_title", text="Downloads")


def storage(episode):
    downloads(episode)
    if episode.screen.find(resource_id="dm_empty_state_container"):
        assert episode.answers("0")
    else:
        assert episode.answers(episode.screen.get(resource_id="download_size").text)


def deleted(episode):
    downloads(episode)
    assert episode.screen.find(resource_id="dm_empty_state_container")


BODIES = {
    "coursera_0": searched,
    "coursera_1": for_beginners,
    "coursera_2": provider,
    "coursera_3": best_rated,
    "coursera_4": first_free,
    "coursera_5": learn,
    "coursera_6": cryptography,
    "coursera_7": reminder,
    "coursera_8": settings,
    "coursera_9": dark,
    "coursera_10": downloads,
    "coursera_11": storage,
    "coursera_12": deleted,
}
SEARCH = [
    open_app(),
    tap(content_desc="Search"),
    type_text("linear algebra", enter=True, resource_id="search_query"),
]
BEGINNERS = [*SEARCH, tap(text="Filter"), tap(text="Beginner"), tap(text="Show results")]
SOLUTIONS = {
    "coursera_0": SEARCH,
    "coursera_1": BEGINNERS,
    "coursera_2": [*BEGINNERS, answer(seen(xpath=FIRST_PROVIDER))],
    "coursera_3": [open_app(), tap(xpath=f"({CARDS})[1]")],
    "coursera_4": [open_app(), answer(seen(xpath=FIRST_FREE))],
    "coursera_5": LEARN,
    "coursera_6": CRYPTOGRAPHY,
    "coursera_7": [
        *CRYPTOGRAPHY,
        press("back"),
        tap(content_desc="Profile"),
        tap(text="Settings"),
        tap(text="Study Reminders"),
        tap(xpath="//*[@text='Monday']/following-sibling::*[1]"),
        tap(resource_id="android:id/text1", text="01:00 PM"),
        tap(content_desc="Monday"),
    ],
    "coursera_8": [*PROFILE, tap(text="Settings")],
    "coursera_9": [*PROFILE, tap(text="Settings"), tap(text="Dark Mode")],
    "coursera_10": [*PROFILE, tap(text="Downloads")],
    "coursera_11": [*PROFILE, tap(text="Downloads"), answer(seen(resource_id="download_size"))],
    "coursera_12": [
        *PROFILE,
        tap(text="Downloads"),
        tap(content_desc="Delete Python for Beginners"),
        tap(text="Delete"),
        tap(content_desc="Delete Negotiation Skills"),
        tap(text="Delete"),
    ],
}
ENROLLED = ("coursera_6", "coursera_7")
MORE = {
    name: {"solution": moves, "prepare": enroll if name in ENROLLED else None}
    for name, moves in SOLUTIONS.items()
}


@tasks(of(FOLDER), each=fields(FOLDER, MORE), source=SOURCE)
def test_coursera(episode, row, judge):
    decide(BODIES, episode, row, judge)
