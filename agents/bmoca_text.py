"""B-MoCA's agent with a language model."""

from __future__ import annotations

from ._bmoca import BMocaAgent


class BMocaText(BMocaAgent):
    """Receives the list of all elements, and no picture: the paper's LLM agent.

    Examples from human demonstrations can be added: `shots=3` and `examples=FOLDER`.
    """
