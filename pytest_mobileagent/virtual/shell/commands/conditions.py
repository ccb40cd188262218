"""test, and [."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command
from pytest_mobileagent.virtual.shell.condition import ConditionError, Operand, holds
from pytest_mobileagent.virtual.shell.errors import ShellError


@command("test", "[", builtin=True)
async def test(ctx: Context, args: list[str]) -> int:
    """Succeed if the condition holds."""
    words = list(args)
    if ctx.name == "[" and (not words or words.pop() != "]"):
        raise Failure("missing ]", 2)
    try:
        return int(not holds([Operand(word) for word in words], ctx.shell, ctx.session))
    except (ConditionError, ShellError) as error:
        raise Failure(str(error), 2) from None
