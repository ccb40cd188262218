"""cmd, dumpsys and service: the commands that access services."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import (
    answer,
    help_text,
    no_service,
    services,
)
from pytest_mobileagent.virtual.shell.commands import Context, Refused, command

UNKNOWN_TRANSACTION = 'Result: Parcel(Error: 0xffffffffffffffb6 "Not a data message")\n'
BAR = "-" * 79
WRONG = 10  # the exit status of a call that `service` does not understand
WITH_VALUE = ("-t", "-T", "--priority", "--skip")


def _listed() -> str:
    names = "".join(f"  {name}\n" for name in sorted(services))
    return f"Currently running services:\n{names}"


@command("cmd")
async def cmd(ctx: Context, args: list[str]) -> int:
    """Run a command of the service that is named first."""
    words = args[1:] if args[:1] == ["-w"] else args
    if not words:
        raise Refused("cmd: No service specified; use -l to list all running services", 20)
    if words[0] == "-l":
        await ctx.out(_listed())
        return 0
    if words[0] not in services:
        raise no_service(words[0])
    return await services[words[0]].run(ctx, words[1:])


@command("dumpsys")
async def dumpsys(ctx: Context, args: list[str]) -> int:
    """Print the state of a service or of all services, or list them."""
    words, skipped = list(args), list[str]()
    while words and words[0] in (*WITH_VALUE, "--pid", "--thread"):
        skipped = words[1].split(",") if words[:-1] and words[0] == "--skip" else skipped
        del words[: 2 if words[0] in WITH_VALUE else 1]
    match words:
        case ["-l", *_]:
            await ctx.out(_listed())
        case []:
            for name in sorted(services.keys() - skipped):
                await ctx.out(f"{BAR}\nDUMP OF SERVICE {name}:\n{services[name].tell(ctx, [])}")
        case [name, *rest] if name in services:
            await ctx.out(services[name].tell(ctx, rest))
        case [name, *_]:
            await ctx.err(f"Can't find service: {name}\n")
    return 0


@command("service")
async def service(ctx: Context, args: list[str]) -> int:
    """List services, check for one, or call one."""
    match args:
        case ["list"]:
            await ctx.out(f"Found {len(services)} services:\n")
            for at, (name, each) in enumerate(sorted(services.items())):
                await ctx.out(f"{at}\t{name}: [{each.interface}]\n")
            return 0
        case ["check", name, *_]:
            await ctx.out(f"Service {name}: {'found' if name in services else 'not found'}\n")
            return 0
        case ["call", name, code, *words]:
            if name not in services:
                raise Refused(f"service: Service {name} does not exist", WRONG)
            if code in services[name].calls:
                return await answer(ctx, services[name].calls[code], [code, *words])
            await ctx.out(UNKNOWN_TRANSACTION)
            return 0
        case ["check" | "call" as word, *_]:
            await ctx.err(f"service: No service specified for {word}\n")
        case [word, *_] if word not in ("-h", "-?"):
            await ctx.err(f"service: Unknown command {word}\n")
    raise Refused(help_text("service"), WRONG, out=True)
