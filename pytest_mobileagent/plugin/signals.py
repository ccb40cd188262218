"""How the processes of a run end when they are asked to: as at Ctrl-C."""

from __future__ import annotations

import signal
import threading
from typing import Any

_ASKING = (signal.SIGTERM, signal.SIGINT)


def interrupt_at_sigterm() -> bool:
    """Let SIGTERM, which ends jobs of CI and clusters, end a run as Ctrl-C does.

    Returns whether that was done: not where others handle that signal.
    """
    is_free = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if not (is_free and _in_main_thread()):
        return False
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return True


def interrupt_once() -> None:
    """Let the first SIGTERM or SIGINT interrupt a worker, and let nothing disturb how it ends.

    At Ctrl-C it gets both: from the terminal, and from the process that owns the run.
    """
    if not _in_main_thread():
        return

    def interrupt(*_: Any) -> None:
        for each in _ASKING:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt

    for each in _ASKING:
        if signal.getsignal(each) in {signal.SIG_DFL, signal.default_int_handler}:
            signal.signal(each, interrupt)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
