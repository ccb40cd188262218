"""For tests of your own agents and tasks: phones in memory, and a way to play an agent on them.

episode = play(MyAgent, "How many items are on the list?", phone=FakePhone(["list.xml"]))
assert episode.answers("3")
"""

from pytest_mobileagent.testing.phones import FakeLease, FakePhone, MemoryPhone
from pytest_mobileagent.testing.play import play
from pytest_mobileagent.testing.screens import make_screen

__all__ = ["FakeLease", "FakePhone", "MemoryPhone", "make_screen", "play"]
