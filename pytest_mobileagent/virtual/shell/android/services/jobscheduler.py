"""Jobs that apps have scheduled: none, as apps of this phone cannot."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Arguments, Context, Refused, Service

HELP = """Job scheduler (jobscheduler) commands:
  help
    Print this help text.
  run [-f | --force] [-s | --satisfied] [-u | --user USER_ID] [-n | --namespace NAMESPACE] PACKAGE JOB_ID
    Trigger immediate execution of a specific scheduled job.
  get-battery-charging
    Return whether the battery is currently considered to be charging.
  get-battery-not-low
    Return whether the battery is currently considered to not be low.
  get-storage-not-low
    Return whether storage is currently considered to not be low.
  get-job-state [-u | --user USER_ID] [-n | --namespace NAMESPACE] PACKAGE JOB_ID
    Return the current state of a job."""  # noqa: E501 - as it is printed
NO_PACKAGE, NO_JOB = 24, 23  # -1000 and -1001, as a shell sees them
LOW = 15  # percent of the battery
service = Service("jobscheduler", HELP, interface="android.app.job.IJobScheduler")


@service.dump
def dump(_ctx: Context, _: list[str]) -> str:
    """Tell that no app has scheduled a job: apps of this phone cannot."""
    return (
        "Settings:\n    min_ready_non_active_jobs_count=5\n\nStarted users: 0\n\n"
        "Registered 0 jobs:\n  None.\n\nPending queue:\n  None\n\nActive jobs:\n  N/A\n"
    )


@service.command("run", "get-job-state", "timeout", "stop", "cancel")
def find(ctx: Context, args: Arguments) -> None:
    """Look for a job, of which there are none."""
    while option := args.option():
        if option in ("-u", "--user", "-n", "--namespace"):
            args.required()
    name, job = args.required(), args.required()
    if name not in ctx.phone.packages:
        raise Refused(f"Package not found: {name} / user 0", NO_PACKAGE)
    raise Refused(f"Could not find job {job} in package {name} / user 0", NO_JOB)


@service.command("get-battery-charging")
def charging(ctx: Context, _: Arguments) -> str:
    """Tell whether the battery is charged."""
    return f"{str(ctx.phone.power.charging).lower()}\n"


@service.command("get-battery-not-low")
def battery_not_low(ctx: Context, _: Arguments) -> str:
    """Tell whether the battery has some charge left."""
    return f"{str(ctx.phone.power.level > LOW).lower()}\n"


@service.command("get-storage-not-low")
def storage_not_low(ctx: Context, _: Arguments) -> str:
    """Tell whether there is room for more files."""
    files = ctx.phone.files
    return f"{str(files.used < files.capacity * 0.95).lower()}\n"
