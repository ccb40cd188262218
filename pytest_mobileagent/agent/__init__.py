"""Who decides: the protocol of agents, and how they are found."""

from pytest_mobileagent.agent.agent import Agent, KnowsTask, Reply, Usage

__all__ = ["Agent", "KnowsTask", "Reply", "Usage"]
