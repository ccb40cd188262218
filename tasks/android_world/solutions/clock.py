"""Clock: three tasks."""

from pytest_mobileagent import open_app, tap

from ._registry import solves

CLOCK = "com.google.android.deskclock"
STOPWATCH = [open_app(CLOCK), tap(resource_id="page_stopwatch")]


@solves("ClockStopWatchPausedVerify")
def see_the_stopwatch(params):
    return STOPWATCH


@solves("ClockStopWatchRunning")
def run_the_stopwatch(params):
    return [*STOPWATCH, tap(resource_id="fab")]


@solves("ClockTimerEntry")
def enter_a_timer(params):
    digits = "{hours:02}{minutes:02}{seconds:02}".format(**params).lstrip("0")
    keys = [tap(resource_id=f"timer_setup_digit_{digit}") for digit in digits]
    return [open_app(CLOCK), tap(resource_id="page_timer"), *keys]
