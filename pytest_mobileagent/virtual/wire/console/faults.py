"""fault: lets things go wrong on purpose; real emulators have no such command."""

from __future__ import annotations

from pytest_mobileagent.virtual.faults.faults import FaultError, usage
from pytest_mobileagent.virtual.wire.console.registry import Emulator, Refusal, command


@command("fault", "let things go wrong on purpose, see 'fault help'")
def _fault(emulator: Emulator, text: str) -> str:
    faults, (word, _, rest) = emulator.phone.faults, text.partition(" ")
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
