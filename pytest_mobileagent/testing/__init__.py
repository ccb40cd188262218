"""Test your own agents and tasks: phones in memory, scripted models, and `play`.

model = ScriptedModel(["tap 540 1200", Fault(429), "done: 3"])
episode = play(MyAgent, "How many items are on the list?", phone=FakePhone(["list.xml"]))
assert episode.answers("3")
"""

from pytest_mobileagent.llm.model import ToolCall
from pytest_mobileagent.llm.scripted.entries import Fault, ScriptedReply, When
from pytest_mobileagent.llm.scripted.model import ScriptedModel
from pytest_mobileagent.testing.phones import FakeLease, FakePhone, MemoryPhone, make_screen
from pytest_mobileagent.testing.play import play

__all__ = [
    "FakeLease", "FakePhone", "Fault", "MemoryPhone", "ScriptedModel", "ScriptedReply", "ToolCall",
    "When", "make_screen", "play",
]  # fmt: skip
