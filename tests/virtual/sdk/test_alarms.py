"""The next alarm clock in the log and in a setting."""

from datetime import UTC, datetime

from pytest_mobileagent.virtual.sdk.app import set_next_alarm

MORNING = datetime(2026, 11, 21, 6, 30, tzinfo=UTC)


def test_a_change_of_the_next_alarm_is_logged_once(phone, sh):
    set_next_alarm(phone, MORNING)
    set_next_alarm(phone, MORNING)
    told = [entry.message for entry in phone.log.entries if entry.tag == "ConditionProviders.SCP"]
    assert told == [
        (
            "evaluateSubscriptionLocked cal=null, now=Fri Nov 20 12:00:00 UTC 2026 (1795176000000),"
            " nextUserAlarmTime=Sat Nov 21 06:30:00 UTC 2026 (1795242600000)"
        )
    ]
    assert sh("settings get system next_alarm_formatted") == "Sat 6:30 AM\n"
    assert "Sat 6:30 AM" in sh("dumpsys alarm")
    set_next_alarm(phone, None)
    assert phone.log.entries[-1].message.endswith(
        "nextUserAlarmTime=Thu Jan 01 00:00:00 UTC 1970 (0)"
    )
