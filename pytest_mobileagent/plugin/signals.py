"""How the processes of a run end when they are asked to: as at Ctrl-C."""

from __future__ import annotations

import os
import select
import signal
import stat
import threading
from contextlib import suppress
from typing import Any

_ENDING = (signal.SIGTERM, signal.SIGHUP)
_MOST_DESCRIPTORS = 256  # that are looked at: terminals are opened first


def interrupt_when_asked() -> tuple[signal.Signals, ...]:
    """Let SIGTERM, which ends jobs of CI and clusters, end a run as Ctrl-C does, and SIGHUP, too.

    That comes when the terminal closes. Returns for which of them that was done: not for those that
    others handle, or that are ignored (nohup).
    """
    free = [each for each in _ENDING if signal.getsignal(each) is signal.SIG_DFL]
    if not _in_main_thread():
        return ()
    for each in free:
        signal.signal(each, _hang_up if each == signal.SIGHUP else signal.default_int_handler)
    return tuple(free)


def _hang_up(number: int, _: Any) -> None:
    """Interrupt the run once: a shell and the system both send this when a terminal closes."""
    signal.signal(number, signal.SIG_IGN)
    _forget_terminals()
    raise KeyboardInterrupt


def interrupt_once() -> None:
    """Let the first signal that asks for it interrupt a worker, and nothing disturb how it ends.

    At Ctrl-C it gets both SIGINT, from the terminal, and SIGTERM, from the process that owns the
    run; likewise SIGHUP when the terminal closes.
    """
    if not _in_main_thread():
        return
    asking = [
        each
        for each in (*_ENDING, signal.SIGINT)
        if signal.getsignal(each) in {signal.SIG_DFL, signal.default_int_handler}
    ]

    def interrupt(*_: Any) -> None:
        for each in asking:
            signal.signal(each, signal.SIG_IGN)
        _forget_terminals()
        raise KeyboardInterrupt

    for each in asking:
        signal.signal(each, interrupt)


def _forget_terminals() -> None:
    """Let what is written to a terminal that has closed go nowhere; else each write is an error."""
    poll = select.poll()
    for descriptor in range(_MOST_DESCRIPTORS):
        with suppress(OSError):  # it is not open
            if stat.S_ISCHR(os.fstat(descriptor).st_mode):  # by now it is said to be no terminal
                poll.register(descriptor, 0)
    for descriptor, events in poll.poll(0):
        if events & select.POLLHUP:
            with suppress(OSError):
                nowhere = os.open(os.devnull, os.O_RDWR)
                os.dup2(nowhere, descriptor, inheritable=os.get_inheritable(descriptor))
                os.close(nowhere)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
