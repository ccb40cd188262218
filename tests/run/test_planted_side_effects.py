"""Side effects of many kinds, while tasks are solved: each is found, and nothing else is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from functools import partial

import pytest

pytest.importorskip("gymnasium")  # the face of rollouts imports it
from pytest_mobileagent import Finish, Key, Scripted
from pytest_mobileagent.device.device import system_of, without_screenshots
from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.rollout import phones
from pytest_mobileagent.run.attempt import briefing_of, finish, start
from pytest_mobileagent.run.plan import AttemptPlan, ChosenAgent, Limits
from pytest_mobileagent.run.runner import in_thread
from pytest_mobileagent.run.side_effects import EffectsFinder
from tests.loading import load_suites
from tests.suite.test_tasks_are_sound import OURS, ROOT, part

SUITES = [
    f"tasks/{name}" for name in ("calendar", "clock", "contacts", "messages", "notes", "settings")
]
ALARM, NOTE = "clock/alarms/add[7:00 AM]", "notes/notes/tick_off"
DARK, TEXT = "settings/phone/dark_theme", "messages/messages/confirm"
MESSAGES, OTHER = "com.google.android.apps.messaging", "com.simplemobiletools.smsmessenger"
EVENTS = "content://com.android.calendar/events"
NOTES = "/data/data/com.simplemobiletools.notes.pro/databases/notes.db"
COLUMNS = "title, value, type, path, protection_type, protection_hash"
TWIN = f"insert into notes ({COLUMNS}) select {COLUMNS} from notes where title = 'Garden'"
WIKIPEDIA = "/data/data/org.wikipedia/shared_prefs/org.wikipedia_preferences.xml"
ALARMS = "/data/user_de/0/com.google.android.deskclock/databases/alarms.db"

# The task that is solved; what is done before, as a command or another task; what is to be found.
# fmt: off
BY_COMMAND = {
    "a setting": (NOTE, "settings put system volume_music 11", "settings system/volume_music: *"),
    "a preference": (
        NOTE,
        f"""sed -i 's/<map>/<map><int name="size" value="9" \\/>/' {WIKIPEDIA}""",
        "preferences org.wikipedia/*/size: none → 9",
    ),
    "a removed app": (ALARM, "pm uninstall org.tasks", "packages org.tasks: removed"),
    "a disabled app": (
        NOTE,
        "pm disable-user com.google.android.youtube",
        "app com.google.android.youtube/disabled: none → yes",
    ),
    "a permission granted": (
        NOTE,
        "pm grant com.simplemobiletools.contacts.pro android.permission.READ_CONTACTS",
        "app com.simplemobiletools.contacts.pro/*.READ_CONTACTS: denied → granted",
    ),
    "a permission revoked": (
        TEXT,
        f"pm revoke {MESSAGES} android.permission.READ_CONTACTS",
        f"app {MESSAGES}/*.READ_CONTACTS: granted → denied",
    ),
    "a special permission": (
        NOTE,
        "appops set org.wikipedia SYSTEM_ALERT_WINDOW allow",
        "app org.wikipedia/SYSTEM_ALERT_WINDOW: none → allowed",
    ),
    "another app for messages": (
        DARK,
        f"cmd role add-role-holder android.app.role.SMS {OTHER}",
        f"role android.app.role.SMS: {MESSAGES} → {OTHER}",
    ),
    "a PIN": (NOTE, "locksettings set-pin 1234", "lock: *NONE → *PIN"),
    "data saver": (
        DARK,
        "cmd netpolicy set restrict-background true",
        "data saver: disabled → enabled",
    ),
    "the language": (
        NOTE,
        "setprop persist.sys.locale de-DE",
        "property persist.sys.locale: en-US → de-DE",
    ),
    "a file removed": (
        ALARM,
        "rm /sdcard/Download/timetable.csv",
        "files /sdcard/Download/timetable.csv: removed",
    ),
    "a file added": (
        NOTE,
        "echo x > /sdcard/Download/new.txt",
        "files /sdcard/Download/new.txt: added",
    ),
    "a file changed, but not its size": (
        NOTE,
        "cd /sdcard/Download; sed -i s/a/e/ timetable.csv",
        "files /sdcard/Download/timetable.csv: * bytes",
    ),
    "an empty folder": (ALARM, "mkdir /sdcard/New", "files /sdcard/New/: added"),
    "a message": (
        TEXT,
        "content insert --uri content://sms --bind address:s:4155550100 --bind body:s:Hello",
        "rows mmssms.db:sms: + *body: Hello*",
    ),
    "an event moved": (
        NOTE,
        f"content update --uri {EVENTS} --bind dtstart:l:1893456000000 --where _id=1",
        "rows calendar.db:Events: - *",
        "rows calendar.db:Events: + *dtstart: 1893456000000*",
    ),
    "a twin of a row, in the asked table": (
        NOTE, f'sqlite3 {NOTES} "{TWIN}"', "rows notes.db:notes: + *title: Garden*",
    ),
    "a lost database": (NOTE, f"rm {ALARMS}", *["rows alarms.db:alarm_templates: - *"] * 3),
}
BY_HAND = {
    "an alarm switched on": (
        ALARM,
        "clock/alarms/switch_on",
        "rows alarms.db:alarm_templates: - *",
        "rows alarms.db:alarm_templates: + *enabled: 1*",
    ),
    "an alarm deleted": (
        ALARM, "clock/alarms/delete", "rows alarms.db:alarm_templates: - *hour: 8*",
    ),
    "a note deleted": (NOTE, "notes/notes/delete", "rows notes.db:notes: - *title: Garden*"),
    "an event": (
        ALARM,
        "calendar/events/all_day",
        "rows calendar.db:Events: + *title: Water delivery*",
    ),
    "a contact": (
        NOTE,
        "contacts/contacts/add[Amir-Nazari-4155550121]",
        "rows contacts2.db:raw_contacts: + *Amir*",
        "rows contacts2.db:data: + *Amir*",
        "rows contacts2.db:data: + *0121*",
    ),
    "airplane mode": (
        ALARM,
        "settings/phone/airplane_mode",
        "settings global/airplane_mode_on: 0 → 1",
        "settings global/wifi_on: 1 → 3",
    ),
}
# fmt: on


@pytest.fixture(scope="module")
def project():
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        yield


@pytest.fixture(scope="module")
def tasks(project):
    return {task.id.removeprefix("tasks/"): task for task in load_suites(*SUITES)}


@pytest.fixture(scope="module")
def device(project):
    with phones(1) as (phone,):
        yield phone.device()


@pytest.fixture(scope="module")
def finder():
    return EffectsFinder()  # one, as it remembers what solutions change


class Solver(Scripted):
    """Plays the solution of another case, goes home, and plays the task's own."""

    def __init__(self, other):
        self.other = other and Scripted()
        if other:
            self.other.assign_task(other.task, other.parameters)

    def step(self, observation):
        if self.other is not None:
            action = self.other.step(observation)
            if not isinstance(action, Finish):
                return action
            self.other = None
            return Key("home")
        return super().step(observation)


def effects_of(task, device, finder, folder, *, command="", other=None, clock=None):
    """Run a command and solve another case, both by accident; solve a task; return the effects."""

    def runner(case, values):
        return in_thread(partial(Solver, other), {}, case, values)

    case = task.at(0).case
    limits, watch = Limits(60, 60), finder.watch()
    plan = AttemptPlan(case, ChosenAgent("solver", runner), limits, clock=clock, watch=watch)
    with without_screenshots(device):
        recorder = Recorder(folder, ScreenStore(folder / "screens"))
        session = start(plan, device, recorder)
        said = system_of(device).shell(f"{command} 2>&1")
        assert not said or "Success" in said or " new state: " in said or "Pin set" in said
        run = runner(session.plan.case, session.values).run
        run(session, briefing_of(session, recorder))
        finish(session, device)
        return finder.effects(session.plan, device)


@pytest.fixture
def solve(tasks, device, finder, tmp_path):
    """Solves a task of these suites on one phone, after something else was done."""

    def solve(name, command="", other=""):
        case = tasks[other].case if other else None
        return effects_of(tasks[name], device, finder, tmp_path, command=command, other=case)

    return solve


def check(found, *wanted):
    assert not found.unknown
    assert found.is_filtered
    texts = [str(each) for each in found.found]
    assert len(texts) == len(wanted), texts
    assert all(any(fnmatchcase(text, each) for text in texts) for each in wanted), texts


@pytest.mark.slow
@pytest.mark.parametrize(("task", "command", "wanted"), [
    pytest.param(task, command, wanted, id=name)
    for name, (task, command, *wanted) in BY_COMMAND.items()
])  # fmt: skip
def test_side_effects_of_a_command_are_found_exactly(task, command, wanted, solve):
    check(solve(task, command), *wanted)


@pytest.mark.slow
@pytest.mark.parametrize(("task", "other", "wanted"), [
    pytest.param(task, other, wanted, id=name)
    for name, (task, other, *wanted) in BY_HAND.items()
])  # fmt: skip
def test_side_effects_by_hand_are_found_exactly(task, other, wanted, solve):
    check(solve(task, other=other), *wanted)


@pytest.mark.slow
@pytest.mark.parametrize("months", [0, -8, 1])
def test_solutions_have_no_side_effects_on_any_day(months, project, finder, tmp_path):
    """A sample of our suites is played (see `tests.suite.test_tasks_are_sound.part`)."""
    clock = datetime.now(UTC).replace(microsecond=0) + timedelta(days=30 * months)
    number, _, parts = part(40).partition("/")
    options = [f"--ignore={ROOT / each.removeprefix('--ignore=')}" for each in OURS[1:]]
    every = [each for each in load_suites("tasks", options=options) if each.case.task.solution]
    with phones(1, clock=clock) as (phone,):
        for place, task in enumerate(every[int(number) - 1 :: int(parts)]):
            folder = tmp_path / str(place)
            folder.mkdir()
            found = effects_of(task, phone.device(), finder, folder, clock=clock)
            assert (task.id, found.count, found.found) == (task.id, 0, ())
