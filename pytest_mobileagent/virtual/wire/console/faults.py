"""The console's command for faults: real emulators have none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.faults.faults import FaultError, usage
from pytest_mobileagent.virtual.wire.console.console import Command, Refusal

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.faults.faults import Faults


def fault_command(faults: Faults) -> Command:
    """Give the command `fault`."""

    def fault(text: str) -> str:
        word, _, rest = text.partition(" ")
        try:
            match word:
                case "":
                    raise Refusal("missing fault, try 'fault help'")
                case "help":
                    return usage()
                case "list":
                    return "".join(f"{line}\n" for line in faults.list()) or "no faults\n"
                case "clear":
                    faults.clear(rest.strip())
                case _:
                    faults.set(text)
        except FaultError as error:
            raise Refusal(str(error)) from None
        return ""

    return Command("fault", "let things go wrong on purpose, see 'fault help'", fault)
