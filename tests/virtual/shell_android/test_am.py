"""am and monkey: activities from the shell."""

import re

import pytest

NOTES = "org.demo/.NotesActivity"
TO_TOP = (
    "Warning: Activity not started, intent has been delivered to currently running"
    " top-most instance.\n"
)
TO_FRONT = "Warning: Activity not started, its current task has been brought to the front\n"


def test_a_start_says_what_it_starts(shell, phone):
    assert shell(f"am start -n {NOTES}") == (0, f"Starting: Intent {{ cmp={NOTES} }}\n", "")
    assert phone.activities.top.package == "org.demo"


STARTS = [
    ("by package", "org.demo", "NotesActivity"),
    ("by action and data", "-a android.intent.action.EDIT -d note:1", "EditorActivity"),
    ("with extras", f"-n {NOTES} --es a b --ei i 3 --ez z true --esn n", "NotesActivity"),
    ("with flags", f"-n {NOTES} -f 0x10008000 --activity-clear-top --user 0", "NotesActivity"),
]


@pytest.mark.parametrize(("words", "activity"), [s[1:] for s in STARTS], ids=[s[0] for s in STARTS])
def test_starts(sh, phone, words, activity):
    sh(f"am start {words}")
    assert phone.activities.top.component.endswith(f".{activity}")


def test_extras_have_types(sh, phone):
    sh(f"am start -n {NOTES} --es a 'b c' --ei i 0x10 --ez z t --ef f 1.5 --eia l 1,2 --esn n")
    assert phone.activities.top.activity.extras == {
        "a": "b c", "i": 16, "z": True, "f": 1.5, "l": [1, 2], "n": None,
    }  # fmt: skip


PROBLEMS = [
    ("-a no.such -d tel:123456",
     ("Error: Activity not started, unable to resolve Intent"
     " { act=no.such dat=tel:xxxxxx flg=0x10000000 }\n")),
    ("-n org.demo/.Nope", "Error type 3\nError: Activity class {org.demo/.Nope} does not exist.\n"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "message"), PROBLEMS)
def test_problems_go_to_stderr_or_with_waiting_to_stdout(shell, words, message):
    ran = shell(f"am start {words}")
    assert (ran.status, ran.err) == (1, message)
    waited = shell(f"am start -W {words}")
    assert (waited.status, waited.err) == (1, "")
    assert waited.out.endswith(message)


def test_force_stop(sh, phone):
    sh(f"am start -n {NOTES}")
    assert sh("am force-stop org.demo; am force-stop --user 0 not.there") == ""
    assert phone.activities.top.package == phone.launcher


def test_monkey_starts_an_app(sh, phone):
    told = sh("monkey -p org.demo -c android.intent.category.LAUNCHER 1")
    assert "Events injected: 1\n## Network stats: elapsed time=" in told
    assert phone.activities.top.package == "org.demo"


def test_values_may_follow_the_letters_of_a_monkey_s_options_at_once(sh, phone):
    sh("monkey -porg.demo -candroid.intent.category.LAUNCHER -s7 1")
    assert phone.activities.top.package == "org.demo"


def test_monkey_stays_in_the_packages_that_it_is_given(sh, phone):
    sh("monkey -p org.demo -s 7 --pct-syskeys 0 --throttle 10 -v 50")
    assert set(phone.proc._apps) <= {
        "org.demo", phone.launcher, "com.android.systemui", "com.google.android.inputmethod.latin",
    }  # fmt: skip


def test_a_task_is_removed_by_its_number(sh, shell, phone):
    sh(f"am start -n {NOTES}")
    (number,) = re.findall(r"\bid=(\d+)", sh("dumpsys activity recents"))
    assert sh(f"am stack remove {number}") == ""
    assert [task.package for task in phone.activities.tasks] == [phone.launcher]
    assert shell("am stack remove 4711") == (0, "", "")  # there is no such task, which AOSP ignores
    wrong = shell("am stack remove org.demo")
    assert wrong.status == 255
    assert "java.lang.NumberFormatException: For input string" in wrong.err
    assert shell("am stack info") == (255, "", "Error: unknown command 'info'\n")


def test_the_home_screen_comes_again_when_its_task_is_removed(sh, phone):
    sh(f"am stack remove {phone.activities.task.number}")
    assert phone.activities.top.package == phone.launcher


def test_a_crash_ends_the_app_and_is_logged(sh, phone):
    sh(f"am start -n {NOTES}")
    with phone.activities.guard("org.demo"):
        raise RuntimeError("on purpose")
    assert phone.activities.top.package == phone.launcher
    assert "on purpose" in sh("logcat -d -b crash")


def test_every_app_is_stopped_as_spa_bench_does_it(shell, demo):
    """Its commands extract the visible tasks from the output of dumpsys; home is not one."""
    shell(
        "dumpsys activity | grep topActivity | sed -n 's/.*{\\([^\\/]*\\)\\/.*/\\1/p'"
        " | while read -r package; do am force-stop $package; done"
    )
    assert [task.package for task in demo.activities.tasks] == [demo.launcher]
