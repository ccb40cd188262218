from __future__ import annotations

import threading
from dataclasses import dataclass, field

from pytest_mobileagent.screen.lazy import lazy


@dataclass
class Counts:
    asked: list[int] = field(default_factory=list)
    go_on: threading.Event | None = None
    begun: threading.Event = field(default_factory=threading.Event)

    @lazy
    def value(self) -> int:
        """A number."""
        self.begun.set()
        if self.go_on is not None:
            assert self.go_on.wait(20)
        self.asked.append(1)
        return 42


def test_it_is_computed_once() -> None:
    counts = Counts()
    assert (counts.value, counts.value, counts.asked) == (42, 42, [1])
    assert Counts.value.__doc__ == "A number."


def test_nobody_waits_for_the_property_of_another_instance() -> None:
    slow = Counts(go_on=threading.Event())
    thread = threading.Thread(target=lambda: slow.value)
    thread.start()
    assert slow.begun.wait(20)
    quick = Counts()
    other = threading.Thread(target=lambda: quick.value, daemon=True)
    other.start()
    other.join(20)
    assert quick.asked == [1]
    assert slow.go_on is not None
    slow.go_on.set()
    thread.join()
