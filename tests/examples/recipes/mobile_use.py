"""Stand-in for MadeAgents' mobile-use: a library that returns a status."""

import enum
import types

from model import ask


class AgentStatus(enum.Enum):
    FINISHED = 1
    FAILED = 2


class Agent:
    @classmethod
    def from_params(cls, params):
        return cls()

    def run(self, input_content):
        trajectory, status, message = [], None, ""
        try:
            words = ask()
        except OSError as error:
            status, message = AgentStatus.FAILED, str(error)
        else:
            if '"terminate"' in words and words.endswith("}</tool_call>"):
                status = AgentStatus.FINISHED
        return types.SimpleNamespace(trajectory=trajectory, status=status, message=message)
